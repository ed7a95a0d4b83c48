// codegen/trig.cpp - sin and cos, at most 1 unit in the last place, for every finite number; of f32 too in double lanes.
//
// |x| is n quarter turns and a rest of at most half a quarter. Up to 2^20, n times the first pieces of pi/2, which have
// 33 bits, is exact, and so are the differences. Beyond, which is rare and behind a branch, |x| is multiplied with those
// bits of 2/pi that matter: what is a multiple of four quarters is left out before it is computed.
#include "codegen/lanes.h"
#include <cmath>
#include <iterator>
#include <llvm/IR/Module.h>

namespace nereus::cg {
namespace {
// 2/pi in pieces of 24 bits.
constexpr double pieces[] = {
    10680707, 7228996,  1387004,  2578385,  16069853, 12639074, 9804092,  4427841,  16666979, 11263675, 12935607, 2387514,  4345298,
    14681673, 3074569,  13734428, 16653803, 1880361,  10960616, 8533493,  3062596,  8710556,  7349940,  6258241,  3772886,  3769171,
    3798172,  8675211,  12450088, 3874808,  9961438,  366607,   15675153, 9132554,  7151469,  3571407,  2607881,  12013382, 4155038,
    6285869,  7677882,  13102053, 15825725, 473591,   9065106,  15363067, 6271263,  9264392,  5636912,  4652155};
constexpr int piece_bits = 24, pieces_used = 9;

struct Turned { Value *quarters, *rest, *low; };         // quarters: a whole number; the rest in radians, as a pair

Value* piece(Lanes& l, Value* at) {
    llvm::Module& module = *l.ir.GetInsertBlock()->getModule();
    llvm::Constant* data = llvm::ConstantDataArray::get(module.getContext(), llvm::ArrayRef<double>(pieces));
    auto* table = llvm::cast<llvm::GlobalVariable>(module.getOrInsertGlobal("two_over_pi", data->getType()));
    table->setInitializer(data);
    table->setConstant(true);
    table->setLinkage(llvm::GlobalValue::InternalLinkage);
    Value* where = l.ir.CreateGEP(l.ir.getDoubleTy(), table, at);
    if (!at->getType()->isVectorTy()) return l.ir.CreateLoad(l.real, where);
    return l.ir.CreateMaskedGather(l.real, where, llvm::Align(8));
}

// x >= 2^20. As many pieces are skipped as give multiples of 4 with the last bit of x.
Turned turn_far(Lanes& l, Value* x) {
    IR& ir = l.ir;
    Value* exponent = ir.CreateSub(ir.CreateLShr(l.to_bits(x), l.bits(52)), l.bits(1023));
    // a division by 24 of what is below 1024: the product with 2731 / 2^16
    Value* past = ir.CreateSub(exponent, l.bits(52 + 2));
    past = l.pick(ir.CreateICmpSGT(past, l.bits(0)), past, l.bits(0));
    Value* skipped = ir.CreateLShr(ir.CreateMul(past, l.bits(2731)), l.bits(16));
    Value* down = ir.CreateMul(ir.CreateAdd(skipped, l.bits(1)), l.bits(piece_bits));
    x = l.to_real(ir.CreateSub(l.to_bits(x), ir.CreateShl(down, l.bits(52))));
    Value* upper = l.to_real(ir.CreateAnd(l.to_bits(x), l.bits(~uint64_t((1 << 26) - 1))));       // 27 bits: products are exact
    Value* parts[] = {upper, l.sub(x, upper)};

    Pair sum{l.num(0), l.num(0)};
    Value* quarters = nullptr;
    for (int k = 0; k < pieces_used; ++k) {
        Value* bits = l.mul(piece(l, ir.CreateAdd(skipped, l.bits(uint64_t(k)))), l.num(std::ldexp(1.0, -piece_bits * k)));
        constexpr int last_with_quarters = 3;
        for (Value* part : parts) {
            Value* term = l.mul(part, bits);
            if (k <= last_with_quarters) {
                Value* turns = l.unary(llvm::Intrinsic::floor, l.mul(term, l.num(0.25)));
                term = l.sub(term, l.mul(turns, l.num(4)));
            }
            Pair next = l.sum(sum.high, term);
            sum = {next.high, l.add(sum.low, next.low)};
        }
        if (k == last_with_quarters) {
            quarters = l.unary(llvm::Intrinsic::roundeven, sum.high);
            sum = l.sum(l.sub(sum.high, quarters), sum.low);
        }
    }
    Pair radians = l.product(sum.high, l.num(0x1.921fb54442d18p+0));
    Value* low = l.fma(sum.high, l.num(0x1.1a62633145c07p-54), l.fma(sum.low, l.num(0x1.921fb54442d18p+0), radians.low));
    radians = l.ordered_sum(radians.high, low);
    return {quarters, radians.high, radians.low};
}

// 0 <= x < 2^20
Turned turn_near(Lanes& l, Value* x, bool narrow) {
    Value* n = l.unary(llvm::Intrinsic::roundeven, l.mul(x, l.num(0x1.45f306dc9c883p-1)));
    Value* minus = l.ir.CreateFNeg(n);
    Value* rest = l.add(x, l.mul(minus, l.num(0x1.921fb544p+0)));
    if (narrow) return {n, l.add(rest, l.mul(minus, l.num(0x1.0b4611a626331p-34))), nullptr};
    Pair a = l.sum(rest, l.mul(minus, l.num(0x1.0b4611a6p-34)));
    Pair b = l.sum(a.high, l.mul(minus, l.num(0x1.3198a2e037073p-69)));
    Pair all = l.sum(b.high, l.add(a.low, b.low));
    return {n, all.high, all.low};
}

// sin of a rest r + low and its cos.
Value* sin_of_rest(Lanes& l, Value* r, Value* low, bool narrow) {
    Value *z = l.mul(r, r), *cube = l.mul(r, z);
    if (narrow) return l.fma(cube, l.poly(z, {2.7183433783916273e-06, -0.00019839339436228862, 0.008333329405731716, -0.1666666664187169}), r);
    Value* p = l.poly(z, {1.5896688718592496e-10, -2.505075638078441e-08, 2.7557313681610324e-06, -0.0001984126982978001,
                          0.008333333333322378, -0.16666666666666632});
    Value* of_low = l.sub(low, l.mul(l.mul(z, l.num(0.5)), low));
    return l.add(r, l.fma(cube, p, of_low));
}
Value* cos_of_rest(Lanes& l, Value* r, Value* low, bool narrow) {
    Value *z = l.mul(r, r), *half = l.mul(z, l.num(0.5)), *one = l.num(1);
    Value* p = narrow ? l.poly(z, {-2.7210290008981397e-07, 2.4799521575494238e-05, -0.0013888883763838549, 0.04166666662299927})
                      : l.poly(z, {-1.1359658823578284e-11, 2.0875723386246784e-09, -2.755731435209882e-07, 2.4801587289476133e-05,
                                   -0.0013888888888874103, 0.0416666666666666});
    Value* most = l.sub(one, half);
    if (narrow) return l.fma(l.mul(z, z), p, most);
    Value* left_out = l.sub(l.sub(one, most), half);
    return l.add(most, l.add(left_out, l.fma(l.mul(z, z), p, l.mul(l.ir.CreateFNeg(r), low))));
}
} // namespace

Value* emit_sine(Emitter& e, Value* x, bool cosine) {
    Type* given = x->getType();
    const bool narrow = given->getScalarType()->isFloatTy();
    IR& ir = e.ir;
    Lanes l(e, given->getWithNewType(ir.getDoubleTy()));
    if (narrow) x = ir.CreateFPExt(x, l.real);
    Value* size = l.size_of(x);
    Value* finite = ir.CreateFCmpOLT(size, l.infinity());
    Value* far = ir.CreateAnd(finite, ir.CreateFCmpOGE(size, l.num(0x1p20)));
    Turned near = turn_near(l, l.pick(far, l.num(0), size), narrow);
    Emitter::Var quarters = e.var(near.quarters), rest = e.var(near.rest), low = e.var(narrow ? l.num(0) : near.low);
    e.when(l.any(far), [&] {
        Turned t = turn_far(l, l.pick(far, size, l.num(0x1p20)));
        e.set(quarters, l.pick(far, t.quarters, near.quarters));
        e.set(rest, l.pick(far, t.rest, near.rest));
        if (!narrow) e.set(low, l.pick(far, t.low, near.low));
    });
    Value *r = e.get(rest), *below = e.get(low);
    Value* count = l.to_bits(l.add(e.get(quarters), l.num(0x1.8p52)));       // its last bits
    if (cosine) count = ir.CreateAdd(count, l.bits(1));
    auto has = [&](uint64_t bit) { return ir.CreateICmpNE(ir.CreateAnd(count, l.bits(bit)), l.bits(0)); };
    Value* y = l.pick(has(1), cos_of_rest(l, r, below, narrow), sin_of_rest(l, r, below, narrow));
    Value* flips = has(2);
    if (!cosine) flips = ir.CreateXor(flips, ir.CreateICmpSLT(l.to_bits(x), l.bits(0)));
    y = l.pick(flips, ir.CreateFNeg(y), y);
    y = l.pick(finite, y, l.nan());
    return narrow ? ir.CreateFPTrunc(y, given) : y;
}
} // namespace nereus::cg
