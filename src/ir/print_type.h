// ir/print_type.h - types and dims as text; gives every symbol and variable of one function a name of its own.
#pragma once
#include "ir/module.h"
#include <unordered_map>
#include <unordered_set>

namespace nereus {
// Words that no symbol may be called by, and names that hide others; of the whole module.
struct ModuleNames {
    explicit ModuleNames(const Module& module);
    std::unordered_set<std::string> reserved;
    std::unordered_set<std::string_view> own_types, own_constructors;
};

class TypePrinter {
 public:
    TypePrinter(const Module& module, const ModuleNames& names) : m_(&module), module_names_(&names) {}

    std::string type(TypeId id);
    std::string dim(Dim dim);
    std::string fact(const DimFact& fact);
    std::string type_param(const TypeParam& param);      // n: dim
    std::string symbol(Sym sym);                         // plain, `new k` where it is introduced, or ?
    std::string plain(Sym sym);                          // its name; from now on it is introduced
    std::string introduce(Sym sym);                      // `new k`, with its kind where that is not the usual one
    std::string variable(VarId var);
    std::string type_name(DeclId decl) const;            // prelude.List where the module has its own List

    // `new` is written where a symbol occurs that is neither declared nor introduced; `usual` is the kind it then has
    // unless another one is written.
    bool writes_new = false;
    std::optional<SymKind> usual;
    bool quantifies = false; // inside fn(…): a size first written here belongs to that function
    bool own_sizes = false;  // in a body: a size that a function type or a lambda is the first to write ends with it
    // What is named from here to the end of a function type or a lambda; forgetting it lets others have these names.
    size_t mark() const { return named_.size(); }
    void forget(size_t mark);
    std::unordered_set<uint32_t> quantified, quantified_vars;
    std::unordered_set<uint32_t> introduced, redefined;  // redefined: `new` again although introduced
    std::unordered_set<uint32_t> definable;              // symbols with a definition; an unknown one has a name then
    std::unordered_map<uint32_t, int> mentions;          // of symbols
    std::vector<Sym> mentioned;                          // in order of first mention
    std::vector<VarId> mentioned_vars;
    std::vector<Sym> introductions;                      // by `new`, in order of the text
    const std::unordered_map<uint32_t, int>* counts = nullptr;        // of an earlier run: which `?` occur once

 private:
    std::string element(const Element& element);
    std::string shape(const Shape& shape);
    std::string argument(const TypeArg& arg);
    std::string marked(Dim dim, int& budget);            // symbols as marks, so that order does not depend on `new`
    std::string marked_atom(Atom atom, int& budget);
    std::string marked_operand(Dim dim, int& budget);
    std::string marked_term(const Term& term, int& budget);
    std::string unmark(const std::string& text, bool final);           // not final: names alone, for comparing
    const std::string& name_of(Sym sym);
    std::string unique(std::string_view wanted);

    const Module* m_;
    const ModuleNames* module_names_;
    std::unordered_map<uint32_t, std::string> symbol_names_, var_names_;
    std::vector<Sym> named_;                             // in order
    std::unordered_map<uint32_t, int> unknown_numbers_;
    std::unordered_set<std::string> used_;
};

std::string quoted_text(std::string_view text);          // with quotes and escapes
std::string real_text(double value);                     // shortest that reads back; inf, nan
} // namespace nereus
