// codegen/body.h - evaluates loop expressions for one lane or for a vector of lanes.
//
// Each expression is emitted once per scope. What does not change along the lanes is computed once, by the `uniform`
// body, and spread. A failing check in a one-lane body faults; a vector body only collects `bad`, and the loop around
// it then runs the same lanes one by one: the fault is exact and vector code stays small.
#pragma once
#include "codegen/emitter.h"

namespace nereus::cg {
struct Leaves {
    std::function<Value*(loop::AccessId)> load;
    std::function<Value*(loop::GroupId)> index;
    std::function<Value*(int)> value;                    // result of a fold or contraction
};

class Body {
 public:
    // One lane.
    Body(Emitter& e, const std::vector<uint64_t>& masks) : e_(e), masks_(masks), memo_(e.f.exprs.size()) {}
    // `width` lanes along a group; whatever does not change along it comes from `uniform`.
    Body(Emitter& e, const std::vector<uint64_t>& masks, int width, loop::GroupId along, Body* uniform)
        : e_(e), masks_(masks), memo_(e.f.exprs.size()), width_(width), along_(along), uniform_(uniform) {}

    Leaves leaves;
    Value* mask = nullptr;                               // active lanes; null: all
    Value* bad = nullptr;                                // i1: a lane failed a check; null: none can have

    Value* emit(loop::ExprId e);
    // Emits here, before a loop over `group`, what does not change along it.
    void hoist(const std::vector<loop::ExprId>& roots, loop::GroupId group);
    // Runs `inside` and forgets what it computed: values of a loop body do not dominate what follows.
    void scope(const Emit& inside);
    // `condition` has one i1 per lane; true is a fault.
    void check(Value* condition, Fault fault, loop::BufferId operand, Value* value, Value* size = nullptr);
    int width() const { return width_; }

 private:
    Value* make(const loop::Expr& x);
    Value* binary(const loop::Expr& x, Value* a, Value* b);
    Value* fused(const loop::Expr& x);                   // a product inside a sum, as one FMA; null: none
    Value* integer_divide(loop::Op op, DType t, Value* a, Value* b);
    Value* cast(Value* a, DType from, DType to);
    Value* constant(const loop::Expr& x);

    Emitter& e_;
    const std::vector<uint64_t>& masks_;
    std::vector<Value*> memo_;
    int width_ = 1;
    loop::GroupId along_;
    Body* uniform_ = nullptr;
};

// Shared by expressions and folds.
Value* emit_fma(FunctionWriter& e, Value* a, Value* b, Value* c);                   // a * b + c; two roundings without FMA
Value* emit_max(Emitter& e, DType t, Value* a, Value* b);                    // NaN wins
Value* emit_min(Emitter& e, DType t, Value* a, Value* b);

// Polynomials, for float and double, one lane or many; errors are stated there and tested in math_test.cpp.
Value* emit_exp(Emitter& e, Value* x);
Value* emit_log(Emitter& e, Value* x);
Value* emit_tanh(Emitter& e, Value* x);
Value* emit_erf(Emitter& e, Value* x);
Value* emit_sine(Emitter& e, Value* x, bool cosine);                         // trig.cpp
Value* emit_atan(Emitter& e, Value* x);                                      // inverse_trig.cpp
Value* emit_asin(Emitter& e, Value* x);
Value* emit_acos(Emitter& e, Value* x);
Value* emit_pow(Emitter& e, Value* a, Value* b);                             // pow.cpp
Value* emit_integer_pow(Emitter& e, DType t, Value* a, Value* b);
Value* emit_float_divide(Emitter& e, loop::Op op, Value* a, Value* b);        // floor_div, mod or rem (float_mod.cpp)
Value* emit_philox(Emitter& e, Value* key, Value* counter, DType result);    // philox.cpp
} // namespace nereus::cg
