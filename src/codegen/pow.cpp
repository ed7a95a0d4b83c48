// codegen/pow.cpp - powers, as C's pow has them: at most 2 units in the last place. Of integers by repeated squares.
//
// exp(b * log|a|), the logarithm and the product in about 66 bits: an f32 in double lanes, an f64 in pairs of doubles.
#include "codegen/lanes.h"

namespace nereus::cg {
namespace {
// x is positive and finite. With s = (m - 1) / (m + 1), log(m) = 2 s (1 + z (1/3 + z P(z))), z = s^2.
Pair log_pair(Lanes& l, Value* x) {
    auto [m, k] = l.split(x);
    Value *one = l.num(1), *f = l.sub(m, one), *d = l.add(m, one);
    Value *d_low = l.sub(m, l.sub(d, one)), *s = l.ir.CreateFDiv(f, d);
    Pair back = l.product(s, d);
    Value* s_low = l.ir.CreateFDiv(l.sub(l.sub(l.sub(f, back.high), back.low), l.mul(s, d_low)), d);
    Pair z = l.product(s, s);
    z.low = l.add(z.low, l.mul(l.add(s, s), s_low));
    Value* p = l.poly(z.high, {0.05994444668133549, 0.05837416001478185, 0.06668158427616747, 0.0769227844109592, 0.09090909435103449,
                               0.11111111108768516, 0.14285714285722553, 0.1999999999999999});
    auto times = [&](Pair a, Pair b) {
        Pair y = l.product(a.high, b.high);
        return Pair{y.high, l.add(y.low, l.add(l.mul(a.high, b.low), l.mul(a.low, b.high)))};
    };
    Pair third = l.ordered_sum(l.num(0x1.5555555555555p-2), l.mul(z.high, p));
    third.low = l.add(third.low, l.num(0x1.5555555555555p-56));
    Pair cubic = times({s, s_low}, times(z, third));
    Pair half = l.ordered_sum(s, cubic.high);
    half.low = l.add(half.low, l.add(s_low, cubic.low));
    Pair sum = l.sum(l.mul(k, l.num(6.93147180369123816490e-01)), l.add(half.high, half.high));      // k times 33 bits is exact
    Value* low = l.add(l.add(half.low, half.low), l.fma(k, l.num(1.90821492927058770002e-10), sum.low));
    return l.ordered_sum(sum.high, low);
}
} // namespace

Value* emit_pow(Emitter& e, Value* a, Value* b) {
    Lanes l(e, a);
    IR& ir = l.ir;
    Value *size = l.size_of(a), *one = l.num(1), *zero = l.num(0);
    Value* y;
    if (l.wide) {
        Value* usual = ir.CreateAnd(ir.CreateFCmpOGT(size, zero), ir.CreateFCmpOLT(size, l.infinity()));
        Pair log = log_pair(l, l.pick(usual, size, one));
        Pair power = l.product(b, log.high);
        Value* low = l.fma(b, log.low, power.low);
        const double beyond = 1000;                      // exp is 0 or infinite; the low part of what overflows is no number
        Value* huge = ir.CreateFCmpOGT(l.size_of(power.high), l.num(beyond));
        y = emit_exp_of_sum(e, power.high, l.pick(huge, zero, low));
    } else {
        Lanes d(e, a->getType()->getWithNewType(ir.getDoubleTy()));
        Value* log = emit_log(e, ir.CreateFPExt(size, d.real));
        y = ir.CreateFPTrunc(emit_exp(e, d.mul(ir.CreateFPExt(b, d.real), log)), l.real);
    }
    auto whole = [&](Value* v) { return ir.CreateFCmpOEQ(l.unary(llvm::Intrinsic::floor, v), v); };
    Value *is_whole = whole(b), *odd = ir.CreateAnd(is_whole, ir.CreateNot(whole(l.mul(b, l.num(0.5)))));
    Value *b_size = l.size_of(b), *infinite = l.infinity();
    // at the ends: 0 or infinity
    Value* ends = ir.CreateOr(ir.CreateOr(ir.CreateFCmpOEQ(size, zero), ir.CreateFCmpOEQ(size, infinite)), ir.CreateFCmpOEQ(b_size, infinite));
    Value* grows = ir.CreateXor(ir.CreateFCmpOGT(size, one), ir.CreateFCmpOLT(b, zero));
    y = l.pick(ends, l.pick(grows, infinite, zero), y);
    y = l.pick(ir.CreateFCmpOEQ(size, one), one, y);
    y = l.pick(ir.CreateAnd(odd, ir.CreateICmpSLT(l.to_bits(a), l.bits(0))), ir.CreateFNeg(y), y);
    Value* negative = ir.CreateAnd(ir.CreateFCmpOLT(a, zero), ir.CreateFCmpOLT(size, infinite));
    y = l.pick(ir.CreateAnd(negative, ir.CreateNot(is_whole)), l.nan(), y);
    y = l.pick(ir.CreateFCmpUNO(a, b), l.nan(), y);
    return l.pick(ir.CreateOr(ir.CreateFCmpOEQ(b, zero), ir.CreateFCmpOEQ(a, one)), one, y);
}

// A negative power of an integer is what is left of 1 / a^-b: of 1 and -1 something, else 0.
Value* emit_integer_pow(Emitter& e, DType t, Value* a, Value* b) {
    IR& ir = e.ir;
    Value *zero = llvm::ConstantInt::get(a->getType(), 0), *one = llvm::ConstantInt::get(a->getType(), 1);
    Value* minus = llvm::Constant::getAllOnesValue(a->getType());
    auto any = [&](Value* c) { return c->getType()->isVectorTy() ? ir.CreateOrReduce(c) : c; };
    auto odd = [&](Value* v) { return ir.CreateICmpNE(ir.CreateAnd(v, one), zero); };
    Value* below = is_unsigned(t) ? nullptr : ir.CreateICmpSLT(b, zero);
    Emitter::Var result = e.var(one), square = e.var(a), left = e.var(below ? ir.CreateSelect(below, zero, b) : b);
    e.loop_while([&] { return any(ir.CreateICmpNE(e.get(left), zero)); },
                 [&] {
                     Value* factor = e.get(square);
                     e.set(result, ir.CreateSelect(odd(e.get(left)), ir.CreateMul(e.get(result), factor), e.get(result)));
                     e.set(square, ir.CreateMul(factor, factor));
                     e.set(left, ir.CreateLShr(e.get(left), one));
                 });
    Value* y = e.get(result);
    if (!below) return y;
    Value* of_minus = ir.CreateSelect(odd(b), minus, one);
    Value* inverse = ir.CreateSelect(ir.CreateICmpEQ(a, one), one, ir.CreateSelect(ir.CreateICmpEQ(a, minus), of_minus, zero));
    return ir.CreateSelect(below, inverse, y);
}
} // namespace nereus::cg
