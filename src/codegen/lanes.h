// codegen/lanes.h - arithmetic on the lanes of one argument, float or double: what polynomials are written in.
#pragma once
#include "codegen/body.h"
#include <initializer_list>
#include <limits>
#include <llvm/IR/Intrinsics.h>

namespace nereus::cg {
struct Pair { Value *high, *low; };       // a sum of two, the second below the last place of the first

struct Lanes {
    Emitter& e;
    IR& ir;
    Type *real, *whole;                   // float or double; integers of the same size
    bool wide;                            // double

    Lanes(Emitter& emitter, Value* x) : Lanes(emitter, x->getType()) {}
    Lanes(Emitter& emitter, Type* like) : e(emitter), ir(emitter.ir), real(like) {
        wide = real->getScalarType()->isDoubleTy();
        whole = real->getWithNewType(wide ? ir.getInt64Ty() : ir.getInt32Ty());
    }
    Value* num(double v) { return llvm::ConstantFP::get(real, v); }
    Value* infinity() { return num(std::numeric_limits<double>::infinity()); }
    Value* nan() { return num(std::numeric_limits<double>::quiet_NaN()); }
    Value* bits(uint64_t v) { return llvm::ConstantInt::get(whole, v); }
    Value* to_bits(Value* v) { return ir.CreateBitCast(v, whole); }
    Value* to_real(Value* v) { return ir.CreateBitCast(v, real); }
    Value* add(Value* a, Value* b) { return ir.CreateFAdd(a, b); }
    Value* sub(Value* a, Value* b) { return ir.CreateFSub(a, b); }
    Value* mul(Value* a, Value* b) { return ir.CreateFMul(a, b); }
    Value* fma(Value* a, Value* b, Value* c) { return emit_fma(e, a, b, c); }
    Value* pick(Value* c, Value* a, Value* b) { return ir.CreateSelect(c, a, b); }
    Value* unary(llvm::Intrinsic::ID id, Value* v) { return ir.CreateUnaryIntrinsic(id, v); }
    Value* size_of(Value* v) { return unary(llvm::Intrinsic::fabs, v); }
    Value* with_sign(Value* size, Value* sign) { return ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, size, sign); }
    Value* any(Value* c) { return c->getType()->isVectorTy() ? ir.CreateOrReduce(c) : c; }
    int mantissa() const { return wide ? 52 : 23; }
    uint64_t bias() const { return wide ? 1023 : 127; }
    Value* power_of_two(Value* n) {
        return to_real(ir.CreateShl(ir.CreateAdd(n, bits(bias())), bits(uint64_t(mantissa()))));
    }
    // Horner, highest power first.
    Value* poly(Value* x, std::initializer_list<double> coefficients) {
        Value* sum = nullptr;
        for (double c : coefficients) sum = sum ? fma(sum, x, num(c)) : num(c);
        return sum;
    }

    // Exact: what rounding leaves out is the low part.
    Pair ordered_sum(Value* a, Value* b) {                               // |a| >= |b|
        Value* high = add(a, b);
        return {high, sub(b, sub(high, a))};
    }
    Pair sum(Value* a, Value* b) {
        Value *high = add(a, b), *from_b = sub(high, a);
        return {high, add(sub(a, sub(high, from_b)), sub(b, from_b))};
    }
    Pair product(Value* a, Value* b) {
        Value* high = mul(a, b);
        if (e.target.machine.fma) return {high, fma(a, b, ir.CreateFNeg(high))};
        auto halves = [&](Value* v) -> Pair {                            // of half the bits each
            Value *scaled = mul(v, num(wide ? 0x1.0000002p27 : 4097)), *upper = sub(scaled, sub(scaled, v));
            return {upper, sub(v, upper)};
        };
        Pair x = halves(a), y = halves(b);
        Value* low = sub(mul(x.high, y.high), high);
        low = add(add(low, mul(x.high, y.low)), mul(x.low, y.high));
        return {high, add(low, mul(x.low, y.low))};
    }

    // x > 0 as fraction * 2^exponent, the fraction in [sqrt(1/2), sqrt(2)); subnormals are scaled.
    struct Split { Value *fraction, *exponent; };
    Split split(Value* x);
};

// exp(x + low); low may be absent (math.cpp).
Value* emit_exp_of_sum(Emitter& e, Value* x, Value* low);
} // namespace nereus::cg
