// codegen/fold.h - accumulators of folds: where they start, how they take a value, how lanes join.
#pragma once
#include "codegen/body.h"

namespace nereus::cg {
// What to evaluate at each point: a sum of products takes both factors and fuses.
std::vector<loop::ExprId> fold_reads(const Emitter& e, const loop::Reduce& r);

Value* fold_identity(Emitter& e, loop::Fold fold, DType t, int width);
Value* fold_combine(Emitter& e, loop::Fold fold, DType t, Value* a, Value* b);
// The accumulator after the current point of `body`; masked lanes keep what they had.
Value* fold_step(Emitter& e, const loop::Reduce& r, Body& body, Value* accumulator);
// An accumulator of one lane or of many. A sum of floats is a sum of short sums, as long chains of additions lose digits; the
// order follows from the number of the step alone.
class Accumulator {
 public:
    Accumulator(Emitter& e, const loop::Reduce& r, int width);
    void step(Body& body);                               // takes the current point of `body`
    Value* total();

 private:
    Emitter& e_;
    const loop::Reduce& r_;
    DType dtype_;
    int width_;
    bool in_parts_;
    Emitter::Var sum_, part_, steps_;                    // finished parts; the one at hand, and how often it was added to
};
// What an accumulator is worth: of a small float, rounded once.
Value* fold_result(Emitter& e, DType t, Value* accumulator);
// Joins the lanes pairwise, upper half onto lower half: the same tree on every run.
Value* fold_lanes(Emitter& e, loop::Fold fold, DType t, Value* vector);
} // namespace nereus::cg
