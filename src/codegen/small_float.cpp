// codegen/small_float.cpp - f16 and bf16 between memory, where they are 16 bits, and registers, where they are f32. No
// target has arithmetic of them; from level 3 on instructions convert f16, before that bits do.
#include "codegen/small_float.h"
#include <llvm/IR/Intrinsics.h>

namespace nereus::cg {
namespace {
constexpr int level_with_f16c = 3;

struct Lanes {
    IR& ir;
    Type *real, *word, *stored;           // float, i32, i16

    Lanes(FunctionWriter& e, Type* like) : ir(e.ir) {
        real = like->getWithNewType(ir.getFloatTy());
        word = like->getWithNewType(ir.getInt32Ty());
        stored = like->getWithNewType(ir.getInt16Ty());
    }
    Value* num(uint32_t v) { return llvm::ConstantInt::get(word, v); }
    Value* to_word(Value* v) { return ir.CreateBitCast(v, word); }
    Value* to_real(Value* v) { return ir.CreateBitCast(v, real); }
    Value* masked(Value* v, uint32_t mask) { return ir.CreateAnd(v, num(mask)); }
    Value* up(Value* v, uint32_t by) { return ir.CreateShl(v, num(by)); }
    Value* down(Value* v, uint32_t by) { return ir.CreateLShr(v, num(by)); }
};

// The upper half of the nearest f32 that has only one; ties to even, a NaN stays one.
Value* upper_half(Lanes& l, Value* bits) {
    IR& ir = l.ir;
    Value* odd = l.masked(l.down(bits, 16), 1);
    Value* nearest = l.down(ir.CreateAdd(bits, ir.CreateAdd(odd, l.num(0x7fff))), 16);
    Value* nan = ir.CreateICmpUGT(l.masked(bits, 0x7fffffff), l.num(0x7f800000));
    return ir.CreateSelect(nan, ir.CreateOr(l.down(bits, 16), l.num(0x40)), nearest);
}

// An f16 shifted to the place of an f32 has an exponent too small by 112, which a product mends, of subnormals too.
Value* widened_f16(Lanes& l, Value* bits) {
    IR& ir = l.ir;
    Value *size = l.up(l.masked(bits, 0x7fff), 13), *sign = l.up(l.masked(bits, 0x8000), 16);
    Value* finite = l.to_word(ir.CreateFMul(l.to_real(size), llvm::ConstantFP::get(l.real, 0x1p112)));
    Value* special = ir.CreateICmpUGE(size, l.num(0x7c00 << 13));
    return l.to_real(ir.CreateOr(ir.CreateSelect(special, ir.CreateOr(size, l.num(0x7f800000)), finite), sign));
}

// Subnormals are rounded by an addition whose last bit is theirs, the others by one on the bits, carry and all.
Value* narrowed_f16(Lanes& l, Value* bits) {
    IR& ir = l.ir;
    Value *size = l.masked(bits, 0x7fffffff), *sign = l.masked(l.down(bits, 16), 0x8000);
    Value* shifted = ir.CreateFAdd(l.to_real(size), llvm::ConstantFP::get(l.real, 0.5));
    Value* subnormal = ir.CreateSub(l.to_word(shifted), l.num(0x3f000000));
    Value* odd = l.masked(l.down(size, 13), 1);
    Value* normal = l.down(ir.CreateAdd(ir.CreateSub(size, l.num(112u << 23)), ir.CreateAdd(odd, l.num(0xfff))), 13);
    Value* nan = ir.CreateOr(l.masked(l.down(size, 13), 0x3ff), l.num(0x7e00));
    Value* result = ir.CreateSelect(ir.CreateICmpULT(size, l.num(113u << 23)), subnormal, normal);
    result = ir.CreateSelect(ir.CreateICmpUGE(size, l.num(143u << 23)), l.num(0x7c00), result);
    result = ir.CreateSelect(ir.CreateICmpUGT(size, l.num(0x7f800000)), nan, result);
    return ir.CreateOr(result, sign);
}
} // namespace

Value* emit_widened(FunctionWriter& e, DType t, Value* bits) {
    Lanes l(e, bits->getType());
    if (t == DType::f16 && e.target.level >= level_with_f16c)
        return l.ir.CreateFPExt(l.ir.CreateBitCast(bits, l.stored->getWithNewType(l.ir.getHalfTy())), l.real);
    Value* word = l.ir.CreateZExt(bits, l.word);
    return t == DType::f16 ? widened_f16(l, word) : l.to_real(l.up(word, 16));
}

Value* emit_narrowed(FunctionWriter& e, DType t, Value* number) {
    Lanes l(e, number->getType());
    if (t == DType::f16 && e.target.level >= level_with_f16c)
        return l.ir.CreateBitCast(l.ir.CreateFPTrunc(number, l.real->getWithNewType(l.ir.getHalfTy())), l.stored);
    Value* word = l.to_word(number);
    return l.ir.CreateTrunc(t == DType::f16 ? narrowed_f16(l, word) : upper_half(l, word), l.stored);
}

Value* emit_rounded(FunctionWriter& e, DType t, Value* number) {
    if (!is_small_float(t)) return number;
    Lanes l(e, number->getType());
    if (t == DType::bf16) return l.to_real(l.up(upper_half(l, l.to_word(number)), 16));
    return emit_widened(e, t, emit_narrowed(e, t, number));
}

// To odd: what an f32 does not hold leaves its last bit set, so that rounding it again rounds the double itself.
Value* emit_sticky(FunctionWriter& e, Value* number) {
    IR& ir = e.ir;
    Lanes l(e, number->getType());
    auto size_of = [&](Value* v) { return ir.CreateUnaryIntrinsic(llvm::Intrinsic::fabs, v); };
    Value* nearest = ir.CreateFPTrunc(number, l.real);
    Value *found = size_of(ir.CreateFPExt(nearest, number->getType())), *wanted = size_of(number);
    Value* bits = l.to_word(nearest);
    bits = ir.CreateSelect(ir.CreateFCmpOGT(found, wanted), ir.CreateSub(bits, l.num(1)), bits);
    return l.to_real(ir.CreateSelect(ir.CreateFCmpONE(found, wanted), ir.CreateOr(bits, l.num(1)), bits));
}

Value* emit_small_of_integer(FunctionWriter& e, DType from, DType to, Value* number) {
    IR& ir = e.ir;
    auto real = [&](Value* v, Type* scalar) {
        Type* type = v->getType()->getWithNewType(scalar);
        return is_unsigned(from) ? ir.CreateUIToFP(v, type) : ir.CreateSIToFP(v, type);
    };
    if (size_of(from) <= 2) return emit_rounded(e, to, real(number, ir.getFloatTy()));         // an f32 holds it
    if (size_of(from) == 8) {
        // What a double does not hold is made odd at its last bit but eleven.
        auto num = [&](uint64_t v) { return llvm::ConstantInt::get(number->getType(), v); };
        constexpr uint64_t low = (1 << 11) - 1;
        Value* beyond = ir.CreateICmpNE(ir.CreateAnd(number, num(low)), num(0));
        Value* odd = ir.CreateOr(ir.CreateAnd(number, num(~low)), ir.CreateSelect(beyond, num(low + 1), num(0)));
        constexpr uint64_t largest = uint64_t(1) << 53;                                         // of either sign
        Value* held = is_unsigned(from) ? ir.CreateICmpULE(number, num(largest))
                                        : ir.CreateICmpULE(ir.CreateAdd(number, num(largest)), num(2 * largest));
        number = ir.CreateSelect(held, number, odd);
    }
    return emit_rounded(e, to, emit_sticky(e, real(number, ir.getDoubleTy())));
}
} // namespace nereus::cg
