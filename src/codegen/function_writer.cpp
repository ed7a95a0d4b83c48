#include "codegen/function_writer.h"
#include "codegen/small_float.h"
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace nereus::cg {
void set_target(llvm::Function& f, const Target& target) {
    f.addFnAttr("target-cpu", "x86-64-v" + std::to_string(target.level));
    if (!target.tune.empty()) f.addFnAttr("tune-cpu", target.tune);
}

FunctionWriter::FunctionWriter(llvm::Module& module, llvm::Function* function, const Target& t)
    : target(t), ir(module.getContext(), llvm::InstSimplifyFolder(module.getDataLayout())), fn_(function) {
    fn_->setDoesNotThrow();
    set_target(*fn_, t);
    entry_ = llvm::BasicBlock::Create(ir.getContext(), "entry", fn_);
    body_ = llvm::BasicBlock::Create(ir.getContext(), "body", fn_);
    ir.SetInsertPoint(entry_);
    ir.CreateBr(body_);                                  // at_entry() inserts before it
    ir.SetInsertPoint(body_);
}

void FunctionWriter::promote() {
    llvm::DominatorTree tree(*fn_);
    llvm::PromoteMemToReg(vars_, tree);
}

Type* FunctionWriter::scalar_type(DType t) {
    if (t == DType::boolean) return ir.getInt1Ty();
    if (!is_float(t)) return ir.getIntNTy(unsigned(8 * size_of(t)));
    return t == DType::f64 ? ir.getDoubleTy() : ir.getFloatTy();
}
Type* FunctionWriter::memory_type(DType t) {
    bool other = t == DType::boolean || is_small_float(t);
    return other ? ir.getIntNTy(unsigned(8 * size_of(t))) : scalar_type(t);
}
Type* FunctionWriter::vector_type(DType t, int width) {
    Type* scalar = scalar_type(t);
    return width == 1 ? scalar : llvm::FixedVectorType::get(scalar, unsigned(width));
}
Value* FunctionWriter::splat(Value* scalar, int width) {
    return width == 1 ? scalar : ir.CreateVectorSplat(unsigned(width), scalar);
}

Value* FunctionWriter::at_entry(const std::function<Value*()>& make) {
    IR::InsertPointGuard guard(ir);
    ir.SetInsertPoint(entry_->getTerminator());
    return make();
}

FunctionWriter::Var FunctionWriter::var(Type* type) {
    auto* slot = static_cast<llvm::AllocaInst*>(at_entry([&] { return ir.CreateAlloca(type); }));
    vars_.push_back(slot);
    return Var{slot};
}
FunctionWriter::Var FunctionWriter::var(Value* initial) {
    Var v = var(initial->getType());
    set(v, initial);
    return v;
}
llvm::AllocaInst* FunctionWriter::memory(Type* type, int64_t count, int align) {
    auto* slot = static_cast<llvm::AllocaInst*>(at_entry([&] { return ir.CreateAlloca(type, i64(count)); }));
    slot->setAlignment(llvm::Align(uint64_t(align)));
    return slot;
}

llvm::BasicBlock* FunctionWriter::block(const char* name) { return llvm::BasicBlock::Create(ir.getContext(), name, fn_); }
void FunctionWriter::enter(llvm::BasicBlock* to) {
    if (!ir.GetInsertBlock()->getTerminator()) ir.CreateBr(to);
    ir.SetInsertPoint(to);
}
void FunctionWriter::go_if(Value* condition, llvm::BasicBlock* to) {
    llvm::BasicBlock* after = block("after");
    ir.CreateCondBr(condition, to, after);
    ir.SetInsertPoint(after);
}

void FunctionWriter::loop_while(const std::function<Value*()>& condition, const Emit& body) {
    llvm::BasicBlock *head = block("head"), *inside = block("loop"), *done = block("done");
    enter(head);
    ir.CreateCondBr(condition(), inside, done);
    ir.SetInsertPoint(inside);
    body();
    enter(head);
    ir.SetInsertPoint(done);
}
// Tests at the bottom: one branch per round.
void FunctionWriter::loop(Value* from, Value* to, int64_t step, const std::function<void(Value*)>& body) {
    llvm::BasicBlock *inside = block("loop"), *done = block("done");
    Var i = var(from);
    ir.CreateCondBr(ir.CreateICmpSLT(from, to), inside, done);
    ir.SetInsertPoint(inside);
    body(get(i));
    add(i, i64(step));
    ir.CreateCondBr(ir.CreateICmpSLT(get(i), to), inside, done);
    ir.SetInsertPoint(done);
}
void FunctionWriter::when(Value* condition, const Emit& then, const Emit& otherwise) {
    llvm::BasicBlock *yes = block("then"), *no = otherwise ? block("else") : nullptr, *done = block("join");
    ir.CreateCondBr(condition, yes, no ? no : done);
    ir.SetInsertPoint(yes);
    then();
    if (no) {
        if (!ir.GetInsertBlock()->getTerminator()) ir.CreateBr(done);
        ir.SetInsertPoint(no);
        otherwise();
    }
    enter(done);
}

Value* FunctionWriter::load(DType t, Value* pointer, int width, Value* mask) {
    Type* scalar = memory_type(t);
    Type* type = width == 1 ? scalar : llvm::FixedVectorType::get(scalar, unsigned(width));
    llvm::Align align(1);                                // buffers may lie anywhere
    Value *zero = llvm::Constant::getNullValue(type), *loaded;
    if (mask) loaded = ir.CreateMaskedLoad(type, pointer, align, mask, zero);
    else loaded = ir.CreateAlignedLoad(type, pointer, align);
    if (is_small_float(t)) return emit_widened(*this, t, loaded);
    return t == DType::boolean ? ir.CreateICmpNE(loaded, zero) : loaded;
}
void FunctionWriter::store(DType t, Value* value, Value* pointer, Value* mask) {
    if (t == DType::boolean) value = ir.CreateZExt(value, value->getType()->getWithNewType(ir.getInt8Ty()));
    if (is_small_float(t)) value = emit_narrowed(*this, t, value);
    llvm::Align align(1);
    if (mask) ir.CreateMaskedStore(value, pointer, align, mask);
    else ir.CreateAlignedStore(value, pointer, align);
}
Value* FunctionWriter::first_lanes(Value* count, int width) {
    Type* bits = ir.getIntNTy(unsigned(width));
    Value* drop = ir.CreateTrunc(ir.CreateSub(i64(width), count), bits);
    Value* kept = ir.CreateLShr(llvm::Constant::getAllOnesValue(bits), drop);
    return ir.CreateBitCast(kept, llvm::FixedVectorType::get(ir.getInt1Ty(), unsigned(width)));
}

} // namespace nereus::cg
