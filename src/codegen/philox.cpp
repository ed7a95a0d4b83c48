// codegen/philox.cpp - Philox4x32-10 (Salmon et al., SC11): ten rounds of two 32x32 products, keyed by element.
// Words live in 64-bit lanes with a zero upper half, so that a product is one instruction.
#include "codegen/body.h"

namespace nereus::cg {
Value* emit_philox(Emitter& e, Value* key, Value* counter, DType result) {
    IR& ir = e.ir;
    Type* lanes = key->getType();
    auto number = [&](uint64_t n) { return llvm::ConstantInt::get(lanes, n); };
    auto low = [&](Value* v) { return ir.CreateAnd(v, number(0xffffffff)); };
    auto high = [&](Value* v) { return ir.CreateLShr(v, number(32)); };
    Value *x0 = low(counter), *x1 = high(counter), *x2 = number(0), *x3 = number(0);
    Value *k0 = low(key), *k1 = high(key);
    for (int round = 0; round < 10; ++round) {
        Value *left = ir.CreateMul(x0, number(0xD2511F53)), *right = ir.CreateMul(x2, number(0xCD9E8D57));
        x0 = ir.CreateXor(ir.CreateXor(high(right), x1), k0);
        x1 = low(right);
        x2 = ir.CreateXor(ir.CreateXor(high(left), x3), k1);
        x3 = low(left);
        k0 = low(ir.CreateAdd(k0, number(0x9E3779B9)));
        k1 = low(ir.CreateAdd(k1, number(0xBB67AE85)));
    }
    if (result == DType::i64) return ir.CreateOr(x0, ir.CreateShl(x1, number(32)));
    return ir.CreateTrunc(x0, lanes->getWithNewType(ir.getInt32Ty()));
}
} // namespace nereus::cg
