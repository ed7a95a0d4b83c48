// grad/products.h - the product form of reverse mode: functions that compute a gradient without cells or closures.
//
// @f.fwd(x...) gives (y, tape), @f.bwd(tape, adjoint of y, accumulators...) the adjoints of the active parameters; both are
// made on demand, once per function and set of active parameters (backward.h says how). What is kept is a tuple; of a
// recursive function it is a generated type, since it holds itself. Parameters are not kept: whoever calls has them and
// gives them *again*, so that weights which a recursion hands down are in no tape. Of a recursive function these are the
// parameters that it hands down as they are, decided before its body is looked at.
//
// A parameter that is *threaded* has its accumulator passed in and handed back with more in it: one that a recursion
// passes on, or of which parts are read (partial_reads.h). For others the backward half gives a fresh adjoint.
#pragma once
#include "grad/cell_adjoints.h"
#include "grad/partial_reads.h"
#include "grad/tangents.h"

namespace nereus {
class Backward;
class Gradients;

struct Derived {
    FunctionId forward, backward;
    TypeId tape;                             // invalid: nothing is kept and `forward` is the function itself
    std::vector<Threaded> threaded;          // per parameter, with an accumulator that goes in and comes back
    std::vector<bool> again;                 // per parameter
    bool takes(size_t param, const Type& leaf) const {
        return threaded[param] == Threaded::everything || (threaded[param] == Threaded::tensors && leaf.kind == TypeKind::tensor);
    }
};
struct GradientForm {
    std::string op;                          // grad, value_and_grad, vjp, jvp
    std::vector<int64_t> wrt;
    std::string whose = "the adjoint of the result";     // vjp: what is blamed if it does not fit
    auto operator<=>(const GradientForm&) const = default;
};

// products.cpp: which there are; products_derive.cpp: how they are written; products_of_products.cpp: jvp, checkpoint.
class Products {
 public:
    explicit Products(Gradients& all);

    Result<Derived> derived(FunctionId function, const std::vector<bool>& active, Span asked);
    // @f.grad: f's parameters (for vjp, then an adjoint of the result) to what the form promises.
    Result<FunctionId> gradient(FunctionId function, const GradientForm& form, Span asked);
    // @f.jvp: f's parameters, then changes of the chosen ones, to (y, its change).
    Result<FunctionId> tangent(FunctionId function, const GradientForm& form, Span asked);
    // The same. The change of the result is linear in those of the parameters, and vjp is its transpose: so it is the vjp of
    // `adjoint of y -> vjp(f)`, at any adjoint, here zero.
    Result<FunctionId> transposed(FunctionId function, const GradientForm& form, Span asked);
    Status expand(FunctionId function, Span asked);
    Function copy(const Function& source);   // without what is not reached
    // @f.checkpoint: f with a rule of its own (`with vjp`): it keeps f's arguments, and runs f's vjp on them.
    Result<FunctionId> checkpointed(FunctionId function, Span asked);
    // Gradients that checkpoints have for the reference form: of functions whose code may not be there when they are asked for.
    Status write_late();
    Status write_late(FunctionId gradient);
    Status check_run_again(FunctionId function, Span asked);         // what a checkpoint does is nothing but compute
    // Of a function that gradient() made: what it is the gradient of.
    struct Made { FunctionId function; GradientForm form; };
    const Made* source_of(FunctionId gradient) const;
    bool recursive(FunctionId function);     // it may call itself
    const std::set<FunctionId>& reached(FunctionId function);
    const Module& module() const;
    // What a checkpoint is one of; any other function itself.
    FunctionId without_checkpoint(FunctionId function) const;
    bool has_own_rule(FunctionId function) const;        // `with vjp`, which a checkpoint has for the reference form alone

    AdjointTypes types;
    AdjointStructures structures;
    CellAdjoints cells;
    PartialReads partial_reads;
    Tangents tangents;

 private:
    using Key = std::pair<FunctionId, std::vector<bool>>;
    struct Entry {
        Derived derived;
        size_t index = 0, lowest = 0;        // place on the stack, and the lowest one that its body came back to
        DeclId decl;                         // of a recursive function's tape
        std::vector<TypeId> kept;            // what that holds
    };
    Status expand_reached(FunctionId from, Span asked);
    FunctionId reserve(FunctionId function, const GradientForm& form);
    Status write_gradient(FunctionId reserved, Span asked);
    Status derive(const Key& key, Entry& entry);
    Status derive_custom(const Key& key, Entry& entry);  // of a function `with vjp`
    Status derive_checkpoint(const Key& key, Entry& entry);
    std::vector<bool> handed_down(FunctionId function);
    void write_forward(Function both, const std::vector<ValueId>& kept, Entry& entry);
    void write_backward(Function& both, BlockId block, const std::vector<ValueId>& params, const std::vector<ValueId>& kept,
                        const Entry& entry, Backward& back);
    void finish_group(size_t from);          // of functions that call each other: their tape types
    TypeId named(TypeId type, const std::map<TypeId, TypeId>& to);

    Gradients& all_;
    std::map<Key, Entry> entries_;
    std::vector<Key> stack_;                 // recursive functions whose tape types are not written yet
    std::map<std::pair<FunctionId, GradientForm>, FunctionId> gradients_;
    std::map<FunctionId, Made> made_;
    std::map<FunctionId, Span> late_;        // and who asked
    std::map<FunctionId, FunctionId> checkpoint_of_;
    std::set<FunctionId> expanded_;
    std::map<FunctionId, std::set<FunctionId>> reached_;
};
} // namespace nereus
