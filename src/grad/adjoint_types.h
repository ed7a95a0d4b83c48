// grad/adjoint_types.h - what the adjoint of a value is made of in the product form: a list of *leaves*.
//
//   float tensor          one leaf, a tensor of its shape
//   tuple, record         the leaves of the parts, one after the other: the type is *spread*
//   data                  one leaf of a type of its own; so has a record that holds itself
//   Seq                   one leaf, a Seq; without elements it is zero everywhere, otherwise it has at least as many
//   without floats        none
//
// The type for data has the same constructors and one more, which says that everything is zero:
// TreeAdj[c] = LeafAdj(c) | NodeAdj(TreeAdj[c], TreeAdj[c]) | NoTree, used as TreeAdj[Adj[Tensor]]. A tensor inside is
// an Adj[a] = Val(a) | Zero, in elements of a Seq too. As with shadows each tensor is a type parameter: the shapes stage
// follows those.
#pragma once
#include "grad/shadow_types.h"

namespace nereus {
class AdjointTypes {
 public:
    AdjointTypes(Module& module, ShadowTypes& shadows) : module_(module), shadows_(shadows) {}

    std::vector<TypeId> leaves(TypeId type);
    size_t count(TypeId type) { return leaves(type).size(); }
    bool is_spread(TypeId type);
    std::vector<TypeId> parts(TypeId spread);            // plain
    size_t offset(TypeId spread, size_t part);           // of the part's first leaf

    TypeId of_data(TypeId data);
    TypeId data_of(TypeId leaf) const { return data_of_.at(leaf); }   // whose adjoint it is; of Seq too
    DeclId decl_of(TypeId data);                         // its last constructor is the zero
    uint32_t zero_of(DeclId decl) const { return uint32_t(module_[decl].constructors.size() - 1); }
    TypeId held(TypeId type);                            // of a field of data or element of a Seq: leaves as a tuple, () if none
    TypeId maybe(TypeId tensor);                         // Adj[tensor]: constructor 0 is Val, 1 is Zero
    DeclId maybe_decl();

    // Arms[a, b, c] = Arm0(a, b) | Arm1(c): what is kept per arm, for these numbers of values.
    DeclId arms(const std::vector<size_t>& kept);
    // A type for the tape of a recursive function, to be filled in when its body is known.
    DeclId reserve_tape(const std::string& function);

 private:
    bool recursive(TypeId data);
    void declare(TypeId data);

    struct Adjoint { DeclId decl; std::vector<TypeId> args; };
    Module& module_;
    ShadowTypes& shadows_;
    std::map<TypeId, Adjoint> adjoints_;
    std::map<std::vector<size_t>, DeclId> arms_;
    std::map<TypeId, TypeId> data_of_;
    DeclId maybe_;
};
} // namespace nereus
