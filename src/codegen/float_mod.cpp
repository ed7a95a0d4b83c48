// codegen/float_mod.cpp - floor_div, mod and rem of floats, exact for every finite quotient, without calls.
//
// The remainder of |a| / |b| is found in double lanes: r starts as |a| and loses multiples q*t of t = b * 2^k until no
// lane has r >= b. Each step is exact. Where the quotient fits (the common case) k is 0 and one step is enough.
//   f32          q < 2^29, so that q*t has at most 53 bits and needs no fused step
//   f64, FMA     q <= 2^52; q is never below the true quotient, so r - q*t lies in [-t, t) and is a double
//   f64 without  q = 1 and t <= r <= 2t: the difference of two such numbers is exact
#include "codegen/body.h"
#include <llvm/IR/Intrinsics.h>
#include <cmath>
#include <limits>

namespace nereus::cg {
namespace {
struct Doubles {
    Emitter& e;
    IR& ir;
    Type *real, *whole;

    Doubles(Emitter& emitter, Value* like) : e(emitter), ir(emitter.ir), real(like->getType()->getWithNewType(ir.getDoubleTy())) {
        whole = real->getWithNewType(ir.getInt64Ty());
    }
    Value* num(double v) { return llvm::ConstantFP::get(real, v); }
    Value* pick(Value* c, Value* a, Value* b) { return ir.CreateSelect(c, a, b); }
    Value* unary(llvm::Intrinsic::ID id, Value* v) { return ir.CreateUnaryIntrinsic(id, v); }
    Value* copy_sign(Value* size, Value* sign) { return ir.CreateBinaryIntrinsic(llvm::Intrinsic::copysign, size, sign); }
    Value* any(Value* c) { return c->getType()->isVectorTy() ? ir.CreateOrReduce(c) : c; }
    // Of a positive number, as an integer; 1024 for infinity.
    Value* exponent(Value* v) {
        Value* biased = ir.CreateLShr(ir.CreateBitCast(v, whole), llvm::ConstantInt::get(whole, 52));
        return ir.CreateSub(biased, llvm::ConstantInt::get(whole, 1023));
    }
    Value* power_of_two(Value* n) {                      // -1022 <= n <= 1023
        Value* biased = ir.CreateAdd(n, llvm::ConstantInt::get(whole, 1023));
        return ir.CreateBitCast(ir.CreateShl(biased, llvm::ConstantInt::get(whole, 52)), real);
    }

    // r - q * t with q < 2^bits, then back into [0, t).
    Value* step(Value* r, Value* b, int bits, bool fused) {
        Value* q = ir.CreateFDiv(r, b);
        Value* far = ir.CreateFCmpOGE(q, num(std::ldexp(1.0, bits)));
        Value* k = ir.CreateSub(exponent(q), llvm::ConstantInt::get(whole, uint64_t(bits - 1)));
        Value* t = ir.CreateFMul(b, pick(far, power_of_two(pick(far, k, llvm::Constant::getNullValue(whole))), num(1)));
        Value* times = unary(llvm::Intrinsic::floor, ir.CreateFDiv(r, t));
        Value* rest = fused ? emit_fma(e, ir.CreateFNeg(times), t, r) : ir.CreateFSub(r, ir.CreateFMul(times, t));
        return pick(ir.CreateFCmpOLT(rest, num(0)), ir.CreateFAdd(rest, t), rest);
    }
    // r - t with t <= r <= 2t.
    Value* halving_step(Value* r, Value* base) {
        Value* k = exponent(ir.CreateFDiv(r, base));
        Value* zero = llvm::Constant::getNullValue(whole);
        k = pick(ir.CreateICmpSGT(k, zero), k, zero);
        Value* one = llvm::ConstantInt::get(whole, 1);
        Value* t = ir.CreateFMul(base, power_of_two(k));
        Value* half = ir.CreateFMul(base, power_of_two(ir.CreateSub(k, one)));
        return ir.CreateFSub(r, pick(ir.CreateFCmpOLE(t, r), t, half));
    }
    // As C's fmod: the sign of a; NaN where a is infinite, b is 0 or either is NaN.
    Value* rest(Value* a, Value* b, bool narrow) {
        Value *size = unary(llvm::Intrinsic::fabs, a), *by = unary(llvm::Intrinsic::fabs, b);
        Value* valid = ir.CreateAnd(ir.CreateFCmpOLT(size, num(std::numeric_limits<double>::infinity())), ir.CreateFCmpOGT(by, num(0)));
        by = pick(valid, by, num(1));
        Emitter::Var left = e.var(pick(valid, size, num(0)));
        auto reduce = [&](Value* divisor) {
            Value* r = e.get(left);
            Value* next = narrow                  ? step(r, divisor, 29, false)
                          : e.target.machine.fma ? step(r, divisor, 52, true)
                                                 : halving_step(r, divisor);
            e.set(left, pick(ir.CreateFCmpOGE(r, divisor), next, r));
        };
        auto overflows = [&](Value* divisor) {
            return ir.CreateFCmpOEQ(ir.CreateFDiv(e.get(left), divisor), num(std::numeric_limits<double>::infinity()));
        };
        if (!narrow)                                     // a quotient beyond the doubles: first modulo by * 2^1000 or 2^2000
            e.loop_while([&] { return any(overflows(by)); },
                         [&] {
                             Value* raised = ir.CreateFMul(by, pick(overflows(by), num(0x1p1000), num(1)));
                             reduce(ir.CreateFMul(raised, pick(overflows(raised), num(0x1p1000), num(1))));
                         });
        e.loop_while([&] { return any(ir.CreateFCmpOGE(e.get(left), by)); }, [&] { reduce(by); });
        Value* found = copy_sign(e.get(left), a);
        return pick(valid, found, num(std::numeric_limits<double>::quiet_NaN()));
    }
};
} // namespace

Value* emit_float_divide(Emitter& e, loop::Op op, Value* a, Value* b) {
    Type* given = a->getType();
    bool narrow = given->getScalarType()->isFloatTy();
    Doubles d(e, a);
    IR& ir = e.ir;
    if (narrow) a = ir.CreateFPExt(a, d.real), b = ir.CreateFPExt(b, d.real);
    Value* rest = d.rest(a, b, narrow);
    if (op == loop::Op::rem) return narrow ? ir.CreateFPTrunc(rest, given) : rest;
    Value* below = d.num(0);
    Value* differ = ir.CreateXor(ir.CreateFCmpOLT(rest, below), ir.CreateFCmpOLT(b, below));
    Value* result;
    if (op == loop::Op::mod) {
        result = d.pick(differ, ir.CreateFAdd(rest, b), rest);
        result = d.pick(ir.CreateFCmpOEQ(rest, below), d.copy_sign(d.num(0), b), result);
    } else {
        Value *quotient = ir.CreateFDiv(ir.CreateFSub(a, rest), b), *plain = ir.CreateFDiv(a, b);
        Value* down = ir.CreateAnd(ir.CreateFCmpUNE(rest, below), differ);
        quotient = d.pick(down, ir.CreateFSub(quotient, d.num(1)), quotient);
        result = d.unary(llvm::Intrinsic::floor, ir.CreateFAdd(quotient, d.num(0.5)));     // an integer up to rounding
        result = d.pick(ir.CreateFCmpOEQ(quotient, below), d.copy_sign(d.num(0), plain), result);
        result = d.pick(ir.CreateFCmpOEQ(b, below), plain, result);
    }
    return narrow ? ir.CreateFPTrunc(result, given) : result;
}
} // namespace nereus::cg
