// codegen/expr.cpp - each loop operator as LLVM instructions, scalar or vector alike.
#include "codegen/body.h"
#include "codegen/small_float.h"
#include "tensor/element.h"
#include <llvm/IR/Intrinsics.h>

namespace nereus::cg {
using loop::Expr;
using loop::ExprId;
using loop::Op;

namespace {
Value* unary_intrinsic(Emitter& e, llvm::Intrinsic::ID id, Value* a) { return e.ir.CreateUnaryIntrinsic(id, a); }
Value* zero_like(Value* v) { return llvm::Constant::getNullValue(v->getType()); }
Value* any_lane(Emitter& e, Value* v) { return v->getType()->isVectorTy() ? e.ir.CreateOrReduce(v) : v; }

llvm::CmpInst::Predicate predicate(Op op, DType t) {
    using P = llvm::CmpInst;
    auto row = [&](P::Predicate real, P::Predicate with_sign, P::Predicate without) {
        return is_float(t) ? real : is_unsigned(t) ? without : with_sign;
    };
    switch (op) {
    case Op::eq: return row(P::FCMP_OEQ, P::ICMP_EQ, P::ICMP_EQ);
    case Op::ne: return row(P::FCMP_UNE, P::ICMP_NE, P::ICMP_NE);
    case Op::lt: return row(P::FCMP_OLT, P::ICMP_SLT, P::ICMP_ULT);
    case Op::le: return row(P::FCMP_OLE, P::ICMP_SLE, P::ICMP_ULE);
    case Op::gt: return row(P::FCMP_OGT, P::ICMP_SGT, P::ICMP_UGT);
    default: return row(P::FCMP_OGE, P::ICMP_SGE, P::ICMP_UGE);
    }
}
// Of a small float, these leave more bits than it has.
bool rounds(Op op) {
    switch (op) {
    case Op::exp: case Op::log: case Op::tanh: case Op::erf: case Op::sin: case Op::cos: case Op::asin: case Op::acos:
    case Op::atan: case Op::pow: case Op::sqrt: case Op::add: case Op::sub: case Op::mul: case Op::div:
    case Op::floor_div: case Op::mod: case Op::rem: return true;
    default: return false;
    }
}
} // namespace

Value* emit_fma(FunctionWriter& e, Value* a, Value* b, Value* c) {
    if (!e.target.machine.fma) return e.ir.CreateFAdd(e.ir.CreateFMul(a, b), c);     // llvm.fma would call libm
    return e.ir.CreateIntrinsic(llvm::Intrinsic::fma, {a->getType()}, {a, b, c});
}
// The select is one max instruction, which gives b if either is NaN; the second select puts a NaN of a back.
Value* emit_max(Emitter& e, DType t, Value* a, Value* b) {
    if (!is_float(t)) return e.ir.CreateSelect(e.ir.CreateICmp(predicate(Op::gt, t), a, b), a, b);
    Value* larger = e.ir.CreateSelect(e.ir.CreateFCmpOGT(a, b), a, b);
    return e.ir.CreateSelect(e.ir.CreateFCmpUNO(a, a), a, larger);
}
Value* emit_min(Emitter& e, DType t, Value* a, Value* b) {
    if (!is_float(t)) return e.ir.CreateSelect(e.ir.CreateICmp(predicate(Op::lt, t), a, b), a, b);
    Value* smaller = e.ir.CreateSelect(e.ir.CreateFCmpOLT(a, b), a, b);
    return e.ir.CreateSelect(e.ir.CreateFCmpUNO(a, a), a, smaller);
}

void Body::scope(const Emit& inside) {
    std::vector<Value*> outside = memo_;
    auto run = [&] { uniform_ ? uniform_->scope(inside) : inside(); };
    run();
    memo_ = std::move(outside);
}

void Body::hoist(const std::vector<ExprId>& roots, loop::GroupId group) {
    for (ExprId root : roots) {
        if (memo_[root.index]) continue;
        const Expr& x = e_.f.expr(root);
        if (!(masks_[root.index] >> group.index & 1)) {
            emit(root);
            continue;
        }
        for (ExprId operand : {x.a, x.b, x.c})
            if (operand.valid()) hoist({operand}, group);
    }
}

void Body::check(Value* condition, Fault fault, loop::BufferId operand, Value* value, Value* size) {
    if (width_ == 1) {
        e_.fault_if(condition, fault, operand, e_.ir.CreateSExt(value, e_.ir.getInt64Ty()), size);
        return;
    }
    if (mask) condition = e_.ir.CreateAnd(condition, mask);
    Value* any = any_lane(e_, condition);
    bad = bad ? e_.ir.CreateOr(bad, any) : any;
}

Value* Body::emit(ExprId id) {
    Value*& known = memo_[id.index];
    if (known) return known;
    if (uniform_ && !(masks_[id.index] >> along_.index & 1)) {
        Value* spread = e_.splat(uniform_->emit(id), width_);
        return memo_[id.index] = spread;
    }
    const Expr& x = e_.f.expr(id);
    Value* made = make(x);
    if (rounds(x.op)) made = emit_rounded(e_, x.dtype, made);
    return memo_[id.index] = made;
}

Value* Body::constant(const Expr& x) {
    Type* type = e_.scalar_type(x.dtype);
    if (!is_float(x.dtype)) return llvm::ConstantInt::get(type, llvm::APInt(type->getIntegerBitWidth(), uint64_t(x.bits)));
    if (!is_small_float(x.dtype)) return e_.ir.CreateBitCast(e_.ir.getIntN(unsigned(8 * size_of(x.dtype)), uint64_t(x.bits)), type);
    const uint16_t bits = uint16_t(x.bits);
    return llvm::ConstantFP::get(type, x.dtype == DType::f16 ? double(F16::of_bits(bits)) : double(BF16::of_bits(bits)));
}

Value* Body::fused(const Expr& x) {
    if (!is_float(x.dtype) || is_small_float(x.dtype) || !e_.target.machine.fma) return nullptr;
    const Expr &a = e_.f.expr(x.a), &b = e_.f.expr(x.b);
    if (a.op == Op::mul) {
        Value *left = emit(a.a), *right = emit(a.b), *rest = emit(x.b);
        return emit_fma(e_, left, right, x.op == Op::sub ? e_.ir.CreateFNeg(rest) : rest);
    }
    if (b.op == Op::mul) {
        Value *left = emit(b.a), *right = emit(b.b), *rest = emit(x.a);
        return emit_fma(e_, x.op == Op::sub ? e_.ir.CreateFNeg(left) : left, right, rest);
    }
    return nullptr;
}

Value* Body::make(const Expr& x) {
    namespace I = llvm::Intrinsic;
    DType t = x.dtype;
    switch (x.op) {
    case Op::constant: return e_.splat(constant(x), width_);
    case Op::scalar: return e_.splat(e_.scalar(loop::ScalarId(size_t(x.bits))), width_);
    case Op::index: return leaves.index(loop::GroupId(size_t(x.bits)));
    case Op::load: return leaves.load(loop::AccessId(size_t(x.bits)));
    case Op::value: return leaves.value(int(x.bits));
    case Op::neg: {
        Value* a = emit(x.a);
        return is_float(t) ? e_.ir.CreateFNeg(a) : e_.ir.CreateNeg(a);
    }
    case Op::abs: {
        Value* a = emit(x.a);
        if (is_float(t)) return unary_intrinsic(e_, I::fabs, a);
        return is_unsigned(t) ? a : e_.ir.CreateBinaryIntrinsic(I::abs, a, e_.ir.getFalse());
    }
    case Op::exp: return emit_exp(e_, emit(x.a));
    case Op::log: return emit_log(e_, emit(x.a));
    case Op::tanh: return emit_tanh(e_, emit(x.a));
    case Op::erf: return emit_erf(e_, emit(x.a));
    case Op::sin: return emit_sine(e_, emit(x.a), false);
    case Op::cos: return emit_sine(e_, emit(x.a), true);
    case Op::asin: return emit_asin(e_, emit(x.a));
    case Op::acos: return emit_acos(e_, emit(x.a));
    case Op::atan: return emit_atan(e_, emit(x.a));
    case Op::sqrt: return unary_intrinsic(e_, I::sqrt, emit(x.a));
    case Op::floor: return unary_intrinsic(e_, I::floor, emit(x.a));
    case Op::ceil: return unary_intrinsic(e_, I::ceil, emit(x.a));
    case Op::round: return unary_intrinsic(e_, I::roundeven, emit(x.a));
    case Op::logical_not: return e_.ir.CreateNot(emit(x.a));
    case Op::cast: {
        Value* a = emit(x.a);
        return cast(a, e_.f.expr(x.a).dtype, t);
    }
    case Op::bit_cast: return e_.ir.CreateBitCast(emit(x.a), e_.vector_type(t, width_));
    case Op::philox: {
        Value *key = emit(x.a), *counter = emit(x.b);
        return emit_philox(e_, key, counter, t);
    }
    case Op::select: {
        Value *c = emit(x.a), *a = emit(x.b), *b = emit(x.c);
        return e_.ir.CreateSelect(c, a, b);
    }
    case Op::add: case Op::sub:
        if (Value* one = fused(x)) return one;
        [[fallthrough]];
    default: {
        Value *a = emit(x.a), *b = emit(x.b);
        return binary(x, a, b);
    }
    }
}

Value* Body::binary(const Expr& x, Value* a, Value* b) {
    IR& ir = e_.ir;
    DType t = e_.f.expr(x.a).dtype;
    bool real = is_float(t);
    switch (x.op) {
    case Op::add: return real ? ir.CreateFAdd(a, b) : ir.CreateAdd(a, b);
    case Op::sub: return real ? ir.CreateFSub(a, b) : ir.CreateSub(a, b);
    case Op::mul: return real ? ir.CreateFMul(a, b) : ir.CreateMul(a, b);
    case Op::div: return real ? ir.CreateFDiv(a, b) : integer_divide(x.op, t, a, b);
    case Op::floor_div: case Op::mod: case Op::rem: return real ? emit_float_divide(e_, x.op, a, b) : integer_divide(x.op, t, a, b);
    case Op::pow: return real ? emit_pow(e_, a, b) : emit_integer_pow(e_, t, a, b);
    case Op::max: return emit_max(e_, t, a, b);
    case Op::min: return emit_min(e_, t, a, b);
    case Op::logical_and: case Op::bit_and: return ir.CreateAnd(a, b);
    case Op::logical_or: case Op::bit_or: return ir.CreateOr(a, b);
    case Op::bit_xor: return ir.CreateXor(a, b);
    case Op::shift_left: case Op::shift_right: {
        uint64_t top = uint64_t(8 * size_of(t) - 1);
        Value* by = ir.CreateAnd(b, llvm::ConstantInt::get(b->getType(), top));
        return x.op == Op::shift_left ? ir.CreateShl(a, by) : ir.CreateLShr(a, by);
    }
    default: return ir.CreateCmp(predicate(x.op, t), a, b);
    }
}

// Never traps: a zero divisor is reported and replaced by 1, and x / -1 is a negation that wraps. Vectors divide as
// floats of twice the bits or more, where the quotient of two integers is never rounded across an integer.
Value* Body::integer_divide(Op op, DType t, Value* a, Value* b) {
    IR& ir = e_.ir;
    Value *zero = zero_like(b), *one = llvm::ConstantInt::get(b->getType(), 1);
    Value* minus = llvm::Constant::getAllOnesValue(b->getType());
    const bool positive = is_unsigned(t);
    auto* number = llvm::dyn_cast<llvm::Constant>(b);            // one constant, in every lane
    bool known = number && (positive ? !number->isZeroValue() : number->getUniqueInteger().isStrictlyPositive());
    Value* negates = nullptr;
    Value* divisor = b;
    if (!known) {
        Value* unfit = ir.CreateICmpEQ(b, zero);
        check(unfit, Fault::zero_divisor, {}, zero_like(width_ == 1 ? b : ir.CreateExtractElement(b, uint64_t(0))));
        if (!positive) {
            negates = ir.CreateICmpEQ(b, minus);
            unfit = ir.CreateOr(unfit, negates);
        }
        divisor = ir.CreateSelect(unfit, one, b);
    }
    Value* quotient;
    if (width_ > 1) {
        Type* scalar = size_of(t) <= 2 ? ir.getFloatTy() : ir.getDoubleTy();
        Type* wide = llvm::FixedVectorType::get(scalar, unsigned(width_));
        auto real = [&](Value* v) { return positive ? ir.CreateUIToFP(v, wide) : ir.CreateSIToFP(v, wide); };
        Value* exact = ir.CreateFDiv(real(a), real(divisor));
        quotient = positive ? ir.CreateFPToUI(exact, a->getType()) : ir.CreateFPToSI(exact, a->getType());
    } else {
        quotient = positive ? ir.CreateUDiv(a, divisor) : ir.CreateSDiv(a, divisor);
    }
    if (negates) quotient = ir.CreateSelect(negates, ir.CreateNeg(a), quotient);
    if (op == Op::div || (positive && op == Op::floor_div)) return quotient;
    Value* rest = ir.CreateSub(a, ir.CreateMul(quotient, b));
    if (positive || op == Op::rem) return rest;
    Value* adjust = ir.CreateAnd(ir.CreateICmpNE(rest, zero), ir.CreateICmpSLT(ir.CreateXor(rest, b), zero));
    if (op == Op::mod) return ir.CreateSelect(adjust, ir.CreateAdd(rest, b), rest);
    return ir.CreateAdd(quotient, ir.CreateSExt(adjust, quotient->getType()));
}

Value* Body::cast(Value* a, DType from, DType to) {
    IR& ir = e_.ir;
    Type* type = e_.vector_type(to, width_);
    if (from == to) return a;
    if (to == DType::boolean)
        return is_float(from) ? ir.CreateFCmpUNE(a, zero_like(a)) : ir.CreateICmpNE(a, zero_like(a));
    if (from == DType::boolean) return is_float(to) ? ir.CreateUIToFP(a, type) : ir.CreateZExt(a, type);
    if (is_float(from) && is_small_float(to)) return emit_rounded(e_, to, from == DType::f64 ? emit_sticky(e_, a) : a);
    if (is_float(from) && is_float(to)) return ir.CreateFPCast(a, type);
    if (is_float(from)) {
        llvm::Intrinsic::ID id = is_unsigned(to) ? llvm::Intrinsic::fptoui_sat : llvm::Intrinsic::fptosi_sat;
        return ir.CreateIntrinsic(id, {type, a->getType()}, {a});
    }
    if (is_small_float(to)) return emit_small_of_integer(e_, from, to, a);
    if (is_float(to)) return is_unsigned(from) ? ir.CreateUIToFP(a, type) : ir.CreateSIToFP(a, type);
    return is_unsigned(from) ? ir.CreateZExtOrTrunc(a, type) : ir.CreateSExtOrTrunc(a, type);
}
} // namespace nereus::cg
