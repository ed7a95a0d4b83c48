// codegen/inverse_trig.cpp - atan, asin and acos on float and double lanes; errors up to 2, 2.5 and 2 units. NaN comes
// back as NaN, as does anything beyond 1 from asin and acos.
#include "codegen/lanes.h"

namespace nereus::cg {
namespace {
// A right angle is `angle` and, below its last place, `rest`.
struct Right {
    Value *angle, *rest;
    explicit Right(Lanes& l) : angle(l.num(0x1.921fb54442d18p+0)), rest(l.num(l.wide ? 0x1.1a62633145c07p-54 : -4.3711390001862426e-08)) {}
};

// What asin and acos share: with s = |x| up to 1/2, and sqrt((1 - |x|) / 2) above, asin(s) = s + s^3 P(s^2).
struct Arc {
    Value *small, *of_s;
    Arc(Lanes& l, Value* size) {
        small = l.ir.CreateFCmpOLE(size, l.num(0.5));
        Value* z = l.pick(small, l.mul(size, size), l.mul(l.sub(l.num(1), size), l.num(0.5)));
        Value* s = l.pick(small, size, l.unary(llvm::Intrinsic::sqrt, z));
        Value* p = l.wide ? l.poly(z, {0.03268146316111031, -0.021085080615897422, 0.021769391819405865, 0.0036804329465116113,
                                       0.010787278381982022, 0.011397629794142605, 0.013980981164690657, 0.017351598260263636,
                                       0.022372215774867796, 0.030381942679030768, 0.0446428571752272, 0.07499999999970146,
                                       0.16666666666666763})
                          : l.poly(z, {0.042196967, 0.02415926, 0.045475006, 0.074952565, 0.16666754});
        of_s = l.fma(l.mul(s, z), p, s);
    }
};
} // namespace

// atan(x) is pi/2 + atan(-1 / x) and pi/4 + atan((x - 1) / (x + 1)), which brings every x below tan(pi/8).
Value* emit_atan(Emitter& e, Value* x) {
    Lanes l(e, x);
    IR& ir = l.ir;
    Right right(l);
    Value *size = l.size_of(x), *half = l.num(0.5), *zero = l.num(0);
    Value *far = ir.CreateFCmpOGT(size, l.num(2.414213562373095)), *middle = ir.CreateFCmpOGT(size, l.num(0.41421356237309503));
    Value* top = l.pick(far, l.num(-1), l.pick(middle, l.sub(size, l.num(1)), size));
    Value* bottom = l.pick(far, size, l.pick(middle, l.add(size, l.num(1)), l.num(1)));
    Value *t = ir.CreateFDiv(top, bottom), *z = l.mul(t, t);
    Value* p = l.wide ? l.poly(z, {-0.017909260337090893, 0.038066506426638495, -0.05039382914938444, 0.058479066193924054,
                                   -0.06663106339825575, 0.07692060397873517, -0.09090897766099018, 0.11111110783638914,
                                   -0.1428571428019643, 0.19999999999953527, -0.333333333333332})
                      : l.poly(z, {-0.060819324, 0.105954304, -0.14243783, 0.19998488, -0.33333316});
    Value* angle = l.fma(l.mul(t, z), p, t);
    auto turned = [&](Value* quarter) { return l.pick(far, quarter, l.pick(middle, l.mul(quarter, half), zero)); };
    return l.with_sign(l.add(turned(right.angle), l.add(angle, turned(right.rest))), x);
}

Value* emit_asin(Emitter& e, Value* x) {
    Lanes l(e, x);
    Value* size = l.size_of(x);
    Right right(l);
    Arc arc(l, size);
    Value* large = l.sub(right.angle, l.sub(l.add(arc.of_s, arc.of_s), right.rest));
    return l.with_sign(l.pick(arc.small, arc.of_s, large), x);
}

Value* emit_acos(Emitter& e, Value* x) {
    Lanes l(e, x);
    Right right(l);
    Arc arc(l, l.size_of(x));
    Value* small = l.sub(right.angle, l.sub(l.with_sign(arc.of_s, x), right.rest));
    Value* below = l.sub(right.angle, l.sub(arc.of_s, right.rest));              // half of it
    Value* large = l.pick(l.ir.CreateFCmpOLT(x, l.num(0)), below, arc.of_s);
    return l.pick(arc.small, small, l.add(large, large));
}
} // namespace nereus::cg
