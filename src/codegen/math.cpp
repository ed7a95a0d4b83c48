// codegen/math.cpp - exp, log, tanh and erf as polynomials on float and double lanes. No calls, no branches.
//
// Largest errors over a dense sample, in units of the last place (math_test.cpp checks them on every target):
//           f32        f64
//   exp     1.1        1.0      0 below the smallest denormal, inf above, also for +-1e30 and +-inf
//   log     1.0        1.0      exact at 1; denormals are scaled; log(0) = -inf, log(negative) = NaN
//   tanh    2.0        2.0      odd, keeps -0
//   erf     1.5        1.5      odd, keeps -0
// NaN comes back as NaN from all of them. Clamps are written as `select(x < c, c, x)`, which keeps a NaN.
#include "codegen/lanes.h"

namespace nereus::cg {
// x = n ln2 + r with |r| <= ln2 / 2. n is read from the low bits of x log2(e) + 1.5 * 2^mantissa, which rounds and
// converts at once and is defined for NaN. 2^n is applied in two halves: it may be denormal or just overflow.
Value* emit_exp_of_sum(Emitter& e, Value* x, Value* low) {
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
    if (low) r = l.add(r, low);
    Value* tail = l.wide ? l.poly(r, {1.0 / 6227020800, 1.0 / 479001600, 1.0 / 39916800, 1.0 / 3628800, 1.0 / 362880,
                                      1.0 / 40320, 1.0 / 5040, 1.0 / 720, 1.0 / 120, 1.0 / 24, 1.0 / 6, 0.5})
                         : l.poly(r, {1.9875691500e-4, 1.3981999507e-3, 8.3334519073e-3, 4.1665795894e-2,
                                      1.6666665459e-1, 5.0000001201e-1});
    Value* y = ir.CreateFAdd(l.fma(ir.CreateFMul(r, r), tail, r), l.num(1));
    Value* half = ir.CreateAShr(whole, l.bits(1));
    Value* rest = ir.CreateSub(whole, half);
    return ir.CreateFMul(ir.CreateFMul(y, l.power_of_two(half)), l.power_of_two(rest));
}

Value* emit_exp(Emitter& e, Value* x) { return emit_exp_of_sum(e, x, nullptr); }

Lanes::Split Lanes::split(Value* x) {
    double smallest = wide ? std::numeric_limits<double>::min() : std::numeric_limits<float>::min();
    Value* tiny = ir.CreateFCmpOLT(x, num(smallest));
    Value* scaled = pick(tiny, mul(x, num(wide ? 0x1p52 : 0x1p23)), x);
    // Subtracting the bits of sqrt(1/2) puts the exponent of the wanted interval into the high bits.
    Value* root = to_bits(num(0.70710678118654752440));
    Value* offset = ir.CreateSub(to_bits(scaled), root);
    Value* exponent = ir.CreateAShr(offset, bits(uint64_t(mantissa())));
    Value* fraction = to_real(ir.CreateSub(to_bits(scaled), ir.CreateShl(exponent, bits(uint64_t(mantissa())))));
    exponent = ir.CreateSub(exponent, pick(tiny, bits(uint64_t(mantissa())), bits(0)));
    // through i32: there is no vector conversion of i64 before AVX-512
    exponent = ir.CreateTrunc(exponent, real->getWithNewType(ir.getInt32Ty()));
    return {fraction, ir.CreateSIToFP(exponent, real)};
}

// x = m 2^k with m in [sqrt(1/2), sqrt(2)): f32 by a polynomial in m - 1, f64 by the series in s = f / (2 + f).
Value* emit_log(Emitter& e, Value* x) {
    Lanes l(e, x);
    IR& ir = l.ir;
    auto [m, k] = l.split(x);
    Value* f = ir.CreateFSub(m, l.num(1));
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
    y = l.pick(ir.CreateFCmpUEQ(x, l.infinity()), x, y);                     // inf and NaN as they came
    y = l.pick(ir.CreateFCmpOEQ(x, l.num(0)), ir.CreateFNeg(l.infinity()), y);
    return l.pick(ir.CreateFCmpOLT(x, l.num(0)), l.nan(), y);
}

// Odd: 1 - 2 / (exp(2|x|) + 1) for large |x|; near zero, where that cancels, x + x^3 P(x^2).
Value* emit_tanh(Emitter& e, Value* x) {
    Lanes l(e, x);
    IR& ir = l.ir;
    Value* size = l.size_of(x);
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
    return l.with_sign(y, x);                                                // also -0: x + 0 has lost the sign
}

// Odd: 1 - exp(P(|x|)), with P near the logarithm of 1 - erf, for large |x|; x + x P(x^2) near zero.
Value* emit_erf(Emitter& e, Value* x) {
    Lanes l(e, x);
    IR& ir = l.ir;
    Value *size = l.size_of(x), *z = l.mul(x, x);
    Value* near = l.wide ? l.poly(z, {-7.800775027334686e-10, 1.3722746376175645e-08, -1.6209120714538498e-07,
                                      1.644751018034526e-06, -1.492474403018171e-05, 0.00012055295286096715,
                                      -0.0008548325988494578, 0.0052239776073972205, -0.026866170643272867,
                                      0.11283791670945231, -0.3761263890318355, 0.12837916709551256})
                         : l.poly(z, {-0.00059880223, 0.004993115, -0.026766978, 0.1128184, -0.37612498, 0.12837915});
    const double one = l.wide ? 6 : 4;                                       // from here on
    Value* t = l.pick(ir.CreateFCmpOGT(size, l.num(one)), l.num(one), size);
    Value* far = l.wide ? l.poly(t, {-5.020026888721984e-12, 2.0805423091902058e-10, -3.998506815807078e-09,
                                     4.71376439805613e-08, -3.7878984563028117e-07, 2.1665225864996015e-06,
                                     -8.798653926159839e-06, 2.32566980028201e-05, -2.1391142398864072e-05,
                                     -0.0001327531286151039, 0.000766940756912096, -0.001911261937825053,
                                     0.0004060404416898698, 0.018993590294004735, -0.1027052990105935,
                                     -0.6366429279014245, -1.1283742521283768, -4.852956100582074e-07})
                        : l.poly(t, {0.00019471945, -0.0030317067, 0.022182802, -0.10384367, -0.6372785, -1.1276207, -0.00020847745});
    far = l.with_sign(l.sub(l.num(1), emit_exp(e, far)), x);
    return l.pick(ir.CreateFCmpOLT(size, l.num(l.wide ? 1 : 0.925)), l.fma(x, near, x), far);
}
} // namespace nereus::cg
