// codegen/math.cpp - exp, log and tanh as polynomials on float and double lanes. No calls, no branches.
//
// Largest errors over a dense sample, in units of the last place (math_test.cpp checks them on every target):
//           f32        f64
//   exp     1.1        1.0      0 below the smallest denormal, inf above, also for +-1e30 and +-inf
//   log     1.0        1.0      exact at 1; denormals are scaled; log(0) = -inf, log(negative) = NaN
//   tanh    2.0        2.0      odd, keeps -0
// NaN comes back as NaN from all three. Clamps are written as `select(x < c, c, x)`, which keeps a NaN.
#include "codegen/body.h"
#include <llvm/IR/Intrinsics.h>
#include <initializer_list>
#include <limits>

namespace nereus::cg {
namespace {
// The lanes of one argument and arithmetic on them.
struct Lanes {
    Emitter& e;
    IR& ir;
    Type *real, *whole;                   // float or double; integers of the same size
    bool wide;                            // double

    Lanes(Emitter& emitter, Value* x) : e(emitter), ir(emitter.ir), real(x->getType()) {
        wide = real->getScalarType()->isDoubleTy();
        whole = real->getWithNewType(wide ? ir.getInt64Ty() : ir.getInt32Ty());
    }
    Value* num(double v) { return llvm::ConstantFP::get(real, v); }
    Value* bits(uint64_t v) { return llvm::ConstantInt::get(whole, v); }
    Value* to_bits(Value* v) { return ir.CreateBitCast(v, whole); }
    Value* to_real(Value* v) { return ir.CreateBitCast(v, real); }
    Value* fma(Value* a, Value* b, Value* c) { return emit_fma(e, a, b, c); }
    Value* pick(Value* c, Value* a, Value* b) { return ir.CreateSelect(c, a, b); }
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
};
} // namespace

// x = n ln2 + r with |r| <= ln2 / 2. n is read from the low bits of x log2(e) + 1.5 * 2^mantissa, which rounds and
// converts at once and is defined for NaN. 2^n is applied in two halves: it may be denormal or just overflow.
Value* emit_exp(Emitter& e, Value* x) {
    Lanes l(e, x);
    IR& ir = l.ir;
    double lowest = l.wide ? -746 : -104, highest = l.wide ? 710 : 89;
    x = l.pick(ir.CreateFCmpOLT(x, l.num(lowest)), l.num(lowest), x);
    x = l.pick(ir.CreateFCmpOGT(x, l.num(highest)), l.num(highest), x);
    double shift = l.wide ? 0x1.8p52 : 0x1.8p23;
    Value* shifted = l.fma(x, l.num(0x1.71547652b82fep0), l.num(shift));
    Value* n = ir.CreateFSub(shifted, l.num(shift));
    Value* whole = ir.CreateSub(l.to_bits(shifted), l.to_bits(l.num(shift)));
    Value* r = l.fma(n, l.num(l.wide ? -6.93145751953125e-1 : -0.693359375), x);
    r = l.fma(n, l.num(l.wide ? -1.42860682030941723212e-6 : 2.12194440e-4), r);
    Value* tail = l.wide ? l.poly(r, {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
                                      1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5})
                         : l.poly(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2,
                                      1.6666665459e-1, 5.0000001201e-1});
    Value* y = ir.CreateFAdd(l.fma(ir.CreateFMul(r, r), tail, r), l.num(1));
    Value* half = ir.CreateAShr(whole, l.bits(1));
    Value* rest = ir.CreateSub(whole, half);
    return ir.CreateFMul(ir.CreateFMul(y, l.power_of_two(half)), l.power_of_two(rest));
}

// x = m 2^k with m in [sqrt(1/2), sqrt(2)): f32 by a polynomial in m - 1, f64 by the series in s = f / (2 + f).
Value* emit_log(Emitter& e, Value* x) {
    Lanes l(e, x);
    IR& ir = l.ir;
    double smallest = l.wide ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
    Value* tiny = ir.CreateFCmpOLT(x, l.num(smallest));
    Value* scaled = l.pick(tiny, ir.CreateFMul(x, l.num(l.wide ? 0x1p52 : 0x1p23)), x);
    // Subtracting the bits of sqrt(1/2) puts the exponent of the wanted interval into the high bits.
    Value* root = l.to_bits(l.num(0.70710678118654752440));
    Value* offset = ir.CreateSub(l.to_bits(scaled), root);
    Value* exponent = ir.CreateAShr(offset, l.bits(uint64_t(l.mantissa())));
    Value* m = l.to_real(ir.CreateSub(l.to_bits(scaled), ir.CreateShl(exponent, l.bits(uint64_t(l.mantissa())))));
    exponent = ir.CreateSub(exponent, l.pick(tiny, l.bits(uint64_t(l.mantissa())), l.bits(0)));
    // through i32: there is no vector conversion of i64 before AVX-512
    exponent = ir.CreateTrunc(exponent, l.real->getWithNewType(ir.getInt32Ty()));
    Value *k = ir.CreateSIToFP(exponent, l.real), *f = ir.CreateFSub(m, l.num(1));
    Value* y;
    if (l.wide) {
        Value* s = ir.CreateFDiv(f, ir.CreateFAdd(l.num(2), f));
        Value *z = ir.CreateFMul(s, s), *half = ir.CreateFMul(l.num(0.5), ir.CreateFMul(f, f));
        Value* series = ir.CreateFMul(z, l.poly(z, {1.479819860511658591e-01, 1.531383769920937332e-01,
                                                    1.818357216161805012e-01, 2.222219843214978396e-01,
                                                    2.857142874366239149e-01, 3.999999999940941908e-01,
                                                    6.666666666666735130e-01}));
        Value* low = l.fma(k, l.num(1.90821492927058770002e-10), ir.CreateFMul(s, ir.CreateFAdd(half, series)));
        y = l.fma(k, l.num(6.93147180369123816490e-01), ir.CreateFSub(f, ir.CreateFSub(half, low)));
    } else {
        Value* z = ir.CreateFMul(f, f);
        Value* p = l.poly(f, {7.0376836292e-2, -1.1514610310e-1, 1.1676998740e-1, -1.2420140846e-1, 1.4249322787e-1,
                              -1.6668057665e-1, 2.0000714765e-1, -2.4999993993e-1, 3.3333331174e-1});
        Value* low = ir.CreateFMul(ir.CreateFMul(f, z), p);
        low = l.fma(k, l.num(-2.12194440e-4), low);
        low = l.fma(z, l.num(-0.5), low);
        y = l.fma(k, l.num(0.693359375), ir.CreateFAdd(f, low));
    }
    double infinity = std::numeric_limits<double>::infinity();
    y = l.pick(ir.CreateFCmpUEQ(x, l.num(infinity)), x, y);                  // inf and NaN as they came
    y = l.pick(ir.CreateFCmpOEQ(x, l.num(0)), l.num(-infinity), y);
    return l.pick(ir.CreateFCmpOLT(x, l.num(0)), l.num(std::numeric_limits<double>::quiet_NaN()), y);
}

// Odd: 1 - 2 / (exp(2|x|) + 1) for large |x|; near zero, where that cancels, x + x^3 P(x^2).
Value* emit_tanh(Emitter& e, Value* x) {
    Lanes l(e, x);
    IR& ir = l.ir;
    Value* size = ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, x);
    Value* grown = emit_exp(e, ir.CreateFAdd(size, size));
    Value* far = ir.CreateFSub(l.num(1), ir.CreateFDiv(l.num(2), ir.CreateFAdd(grown, l.num(1))));
    Value* z = ir.CreateFMul(x, x);
    Value* p;
    if (l.wide) {
        Value* top = l.poly(z, {-9.64399179425052238628e-1, -9.92877231001918586564e1, -1.61468768441708447952e3});
        Value* bottom = l.poly(z, {1, 1.12811678491632931402e2, 2.23548839060100448583e3, 4.84406305325125486048e3});
        p = ir.CreateFDiv(top, bottom);
    } else {
        p = l.poly(z, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2, 1.33314422036e-1, -3.33332819422e-1});
    }
    Value* near = l.fma(ir.CreateFMul(x, z), p, x);
    Value* y = l.pick(ir.CreateFCmpOLT(size, l.num(0.625)), near, far);
    return ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, y, x);        // also -0: x + 0 has lost the sign
}
} // namespace nereus::cg
