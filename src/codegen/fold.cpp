#include "codegen/fold.h"
#include "codegen/small_float.h"
#include <limits>
#include <numeric>

namespace nereus::cg {
using loop::Fold;

namespace {
const loop::Expr* product(const Emitter& e, const loop::Reduce& r) {
    const loop::Expr& x = e.f.expr(r.value);
    return r.fold == Fold::sum && x.op == loop::Op::mul && is_float(x.dtype) && !is_small_float(x.dtype) ? &x : nullptr;
}
} // namespace

std::vector<loop::ExprId> fold_reads(const Emitter& e, const loop::Reduce& r) {
    if (const loop::Expr* x = product(e, r)) return {x->a, x->b};
    return {r.value};
}

Value* fold_identity(Emitter& e, Fold fold, DType t, int width) {
    Type* type = e.vector_type(t, width);
    double infinity = std::numeric_limits<double>::infinity();
    auto start = [&](double real, int64_t whole) -> Value* {
        if (is_float(t)) return llvm::ConstantFP::get(type, real);
        return llvm::ConstantInt::get(type, llvm::APInt(type->getScalarSizeInBits(), uint64_t(whole), true));
    };
    const int64_t lowest = is_float(t) || is_unsigned(t) ? 0 : INT64_MIN >> (63 - precision(t));
    switch (fold) {
    case Fold::sum: return start(0, 0);
    case Fold::prod: return start(1, 1);
    case Fold::max: return start(-infinity, lowest);
    case Fold::min: return start(infinity, ~lowest);
    case Fold::any: return start(0, 0);
    case Fold::all: return start(1, 1);
    }
    return nullptr;
}

Value* fold_combine(Emitter& e, Fold fold, DType t, Value* a, Value* b) {
    switch (fold) {
    case Fold::sum: return is_float(t) ? e.ir.CreateFAdd(a, b) : e.ir.CreateAdd(a, b);
    case Fold::prod: return is_float(t) ? e.ir.CreateFMul(a, b) : e.ir.CreateMul(a, b);
    case Fold::max: return emit_max(e, t, a, b);
    case Fold::min: return emit_min(e, t, a, b);
    case Fold::any: return e.ir.CreateOr(a, b);
    case Fold::all: return e.ir.CreateAnd(a, b);
    }
    return nullptr;
}

Value* fold_step(Emitter& e, const loop::Reduce& r, Body& body, Value* accumulator) {
    DType t = e.f.expr(r.value).dtype;
    const loop::Expr* x = product(e, r);
    Value* next = x ? emit_fma(e, body.emit(x->a), body.emit(x->b), accumulator)
                    : fold_combine(e, r.fold, t, accumulator, body.emit(r.value));
    return body.mask ? e.ir.CreateSelect(body.mask, next, accumulator) : next;
}

Accumulator::Accumulator(Emitter& e, const loop::Reduce& r, int width)
    : e_(e), r_(r), dtype_(e.f.expr(r.value).dtype), width_(width), in_parts_(r.fold == Fold::sum && is_float(dtype_)),
      sum_(e.var(fold_identity(e, r.fold, dtype_, width))), part_(e.var(fold_identity(e, r.fold, dtype_, width))), steps_(e.var(e.i64(0))) {}

void Accumulator::step(Body& body) {
    constexpr int64_t part_steps = 32;
    e_.set(part_, fold_step(e_, r_, body, e_.get(part_)));
    if (!in_parts_) return;
    e_.add(steps_, e_.i64(1));
    e_.when(e_.ir.CreateICmpEQ(e_.get(steps_), e_.i64(part_steps)), [&] {
        e_.set(sum_, fold_combine(e_, r_.fold, dtype_, e_.get(sum_), e_.get(part_)));
        e_.set(part_, fold_identity(e_, r_.fold, dtype_, width_));
        e_.set(steps_, e_.i64(0));
    });
}
Value* Accumulator::total() { return in_parts_ ? fold_combine(e_, r_.fold, dtype_, e_.get(sum_), e_.get(part_)) : e_.get(part_); }

Value* fold_result(Emitter& e, DType t, Value* accumulator) { return emit_rounded(e, t, accumulator); }

Value* fold_lanes(Emitter& e, Fold fold, DType t, Value* vector) {
    auto* type = llvm::dyn_cast<llvm::FixedVectorType>(vector->getType());
    if (!type) return vector;
    for (unsigned width = type->getNumElements(); width > 1; width /= 2) {
        std::vector<int> low(width / 2), high(width / 2);
        std::iota(low.begin(), low.end(), 0);
        std::iota(high.begin(), high.end(), int(width / 2));
        Value *lower = e.ir.CreateShuffleVector(vector, low), *upper = e.ir.CreateShuffleVector(vector, high);
        vector = fold_combine(e, fold, t, lower, upper);
    }
    return e.ir.CreateExtractElement(vector, uint64_t(0));
}
} // namespace nereus::cg
