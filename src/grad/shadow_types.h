// grad/shadow_types.h - the type of the shadow that goes beside a value.
//
//   float tensor          Ref[(Tensor, bool)]: the cell that collects its adjoint, and whether anything was added to it
//   other tensors         (), and so is any structure without floats and functions: it is *inert*
//   tuple, Seq, Ref       the same of the shadows of what is inside
//   data, records         a declaration of its own with the same constructors; see below
//   fn(A) -> B            fn(A, shadow of A, tape) -> (B, shadow of B); inert ones are left out
//
// The declaration for a data type has one type parameter per float tensor in it, so that the shapes stage follows each
// cell: TreeShadow[c] = LeafShadow(c) | NodeShadow(TreeShadow[c], TreeShadow[c]), used as TreeShadow[Ref[(Tensor, bool)]].
#pragma once
#include "ir/module.h"
#include <map>
#include <set>

namespace nereus {
class ShadowTypes {
 public:
    explicit ShadowTypes(Module& module);

    TypeId plain(TypeId type);               // the same without any shape
    bool inert(TypeId type);                 // its shadow is ()
    bool holds_cell(TypeId type);            // a Ref inside, not looking into functions
    bool holds_function(TypeId type);
    bool has_adjoint(TypeId type);           // in the product form: it holds floats elsewhere than in cells
    TypeId of(TypeId type);                  // the shadow of a value of this type
    DeclId decl_of(TypeId data);             // the shadow's declaration, of data that is not inert
    std::vector<TypeId> fields(TypeId data, uint32_t constructor);   // plain
    TypeId with_shadow(TypeId type);         // (T, shadow of T), or T where that is inert: what taped code gives back
    TypeId taped(TypeId function);           // of fn(A) -> B

    // Steps[a] = Done | Step(a, Steps[a]): a list that grows at its front.
    TypeId list_of(TypeId element);
    DeclId list_decl();
    TypeId step() { return module_.types.function({}, module_.types.unit()); }
    TypeId tape() { return module_.types.ref(list_of(step())); }
    TypeId tensor(DType dtype) { return module_.types.tensor(Shape{{}, false, {}}, dtype); }

    std::vector<TypeId> reached(TypeId type);            // itself and what is inside, at any depth; not into functions
    std::vector<TypeId> inside(TypeId type);             // one level down
    std::vector<TypeId> group_of(TypeId data);           // the data types it is recursive with, itself among them
    std::string unique_name(const std::string& base);    // of no type or constructor there is

    static constexpr size_t most_types = 2000;           // reached from one type; more: it grows with every level
    const Status& status() const { return status_; }     // an error once such a type was met

 private:
    enum class Holds : uint8_t { adjoint, adjoint_outside_cells, cell, function };
    bool holds(TypeId type, Holds what);
    std::vector<TypeId> reached(TypeId type, bool into_cells);
    void declare(TypeId data);

    struct Shadow { DeclId decl; std::vector<TypeId> args; };        // args: the cells, in order of the parameters
    Module& module_;
    std::map<TypeId, Shadow> shadows_;
    std::map<TypeId, TypeId> plain_;
    std::map<std::pair<TypeId, Holds>, bool> holds_;
    DeclId list_;
    std::set<std::string> names_;
    Status status_;
};
} // namespace nereus
