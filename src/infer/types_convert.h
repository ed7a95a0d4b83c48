// infer/types_convert.h - between written types and type terms.
#pragma once
#include "infer/types_term.h"
#include <functional>

namespace nereus {
// Written types to terms. Each variable is one term throughout; a hole is a new unknown each time.
class WrittenTypes {
 public:
    WrittenTypes(const Module& module, Terms& terms) : module_(&module), terms_(&terms) {}
    TermId term(TypeId type);
    TermId element(const Element& element);
    TermId variable(VarId var);                          // an unknown of the variable's kind, made at the first call
    // A data type with its parameters as unknowns of this object, and so a constructor's fields.
    TermId data(DeclId decl);

 private:
    const Module* module_;                               // pointers, so that it can be assigned
    Terms* terms_;
    std::unordered_map<VarId, TermId> vars_;
};

bool has_holes(const Module& module, TypeId written);    // is it, or does it contain, a type that was left out?
// The type and dtype variables that occur in the function's parameters and result, each once; and its declared ones.
std::vector<VarId> signature_variables(const Module& module, const Function& function);

// Terms to types: shapes are "..", dim arguments of data types are invalid ids; both mean "nothing is known".
class FinishedTypes {
 public:
    using NameUnknown = std::function<VarId(TermId, VarKind)>;
    FinishedTypes(Module& module, const Terms& terms, NameUnknown name_unknown)
        : module_(module), terms_(terms), name_unknown_(std::move(name_unknown)) {}
    TypeId type(TermId id);
    Element element(TermId id);
    // The written type with its variables and holes filled in: sizes from it, structure and dtypes from the term.
    TypeId fill(TypeId written, TermId id);

 private:
    Module& module_;                                     // new types are interned here
    const Terms& terms_;
    NameUnknown name_unknown_;
    std::unordered_map<TermId, TypeId> known_;
};
} // namespace nereus
