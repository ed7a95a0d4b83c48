#include "codegen/emitter.h"
#include "codegen/small_float.h"
#include <cstddef>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/Module.h>
#include <llvm/Transforms/Utils/PromoteMemToReg.h>

namespace nereus::cg {
void set_target(llvm::Function& f, const Target& target) {
    f.addFnAttr("target-cpu", "x86-64-v" + std::to_string(target.level));
    if (!target.tune.empty()) f.addFnAttr("tune-cpu", target.tune);
}

Emitter::Emitter(llvm::Module& module, const std::string& name, const loop::Scheduled& kernel, const Target& t,
                 const CodegenOptions& options)
    : f(kernel.function), layout(kernel.params), target(t), checked(options.checked),
      ir(module.getContext(), llvm::InstSimplifyFolder(module.getDataLayout())) {
    Type *i32 = ir.getInt32Ty(), *word = ir.getInt64Ty(), *pointer = ir.getPtrTy();
    auto* type = llvm::FunctionType::get(i32, {pointer, word, word, pointer}, false);
    fn_ = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    fn_->setDoesNotThrow();
    set_target(*fn_, t);
    for (unsigned i : {0u, 3u}) {
        fn_->addParamAttr(i, llvm::Attribute::NoCapture);
        fn_->addParamAttr(i, llvm::Attribute::NonNull);
    }
    task_begin = fn_->getArg(1);
    task_end = fn_->getArg(2);
    entry_ = llvm::BasicBlock::Create(ir.getContext(), "entry", fn_);
    body_ = llvm::BasicBlock::Create(ir.getContext(), "body", fn_);
    ir.SetInsertPoint(entry_);
    ir.CreateBr(body_);                                  // at_entry() inserts before it
    p_ = at_entry([&] { return launch_field(offsetof(Launch, p), ir.getPtrTy()); });
    ir.SetInsertPoint(body_);
}

void Emitter::finish() {
    ir.CreateRet(ir.getInt32(0));
    llvm::DominatorTree tree(*fn_);
    llvm::PromoteMemToReg(vars_, tree);
}

Type* Emitter::scalar_type(DType t) {
    if (t == DType::boolean) return ir.getInt1Ty();
    if (!is_float(t)) return ir.getIntNTy(unsigned(8 * size_of(t)));
    return t == DType::f64 ? ir.getDoubleTy() : ir.getFloatTy();
}
Type* Emitter::memory_type(DType t) {
    bool other = t == DType::boolean || is_small_float(t);
    return other ? ir.getIntNTy(unsigned(8 * size_of(t))) : scalar_type(t);
}
Type* Emitter::vector_type(DType t, int width) {
    Type* scalar = scalar_type(t);
    return width == 1 ? scalar : llvm::FixedVectorType::get(scalar, unsigned(width));
}
Value* Emitter::splat(Value* scalar, int width) {
    return width == 1 ? scalar : ir.CreateVectorSplat(unsigned(width), scalar);
}

Value* Emitter::at_entry(const std::function<Value*()>& make) {
    IR::InsertPointGuard guard(ir);
    ir.SetInsertPoint(entry_->getTerminator());
    return make();
}

Emitter::Var Emitter::var(Type* type) {
    auto* slot = static_cast<llvm::AllocaInst*>(at_entry([&] { return ir.CreateAlloca(type); }));
    vars_.push_back(slot);
    return Var{slot};
}
Emitter::Var Emitter::var(Value* initial) {
    Var v = var(initial->getType());
    set(v, initial);
    return v;
}
llvm::AllocaInst* Emitter::memory(Type* type, int64_t count, int align) {
    auto* slot = static_cast<llvm::AllocaInst*>(at_entry([&] { return ir.CreateAlloca(type, i64(count)); }));
    slot->setAlignment(llvm::Align(uint64_t(align)));
    return slot;
}

Value* Emitter::launch_field(size_t offset, Type* type) {
    return ir.CreateLoad(type, ir.CreateConstGEP1_64(ir.getInt8Ty(), fn_->getArg(0), offset));
}
Value* Emitter::param(int slot) {
    Value*& known = params_[slot];
    if (!known)
        known = at_entry([&] { return ir.CreateLoad(ir.getInt64Ty(), param_pointer(i64(slot))); });
    return known;
}
Value* Emitter::param_pointer(Value* slot) { return ir.CreateGEP(ir.getInt64Ty(), p_, slot); }
Value* Emitter::buffer(loop::BufferId b) {
    Value*& known = buffers_[b.index];
    if (!known)
        known = at_entry([&] {
            Value* table = launch_field(offsetof(Launch, buf), ir.getPtrTy());
            return ir.CreateLoad(ir.getPtrTy(), ir.CreateConstGEP1_64(ir.getPtrTy(), table, b.index));
        });
    return known;
}
Value* Emitter::scalar(loop::ScalarId s) {
    Value*& known = scalars_[s.index];
    if (known) return known;
    Value* bits = param(layout.scalar_slot(s.index));
    known = at_entry([&]() -> Value* {
        DType t = f.scalars[s.index].dtype;
        if (t == DType::boolean) return ir.CreateICmpNE(bits, i64(0));
        Value* low = ir.CreateTrunc(bits, ir.getIntNTy(unsigned(8 * size_of(t))));
        return is_small_float(t) ? emit_widened(*this, t, low) : is_float(t) ? ir.CreateBitCast(low, scalar_type(t)) : low;
    });
    return known;
}
Value* Emitter::scratch() {
    if (!scratch_)
        scratch_ = at_entry([&] {
            Value* field = ir.CreateConstGEP1_64(ir.getInt8Ty(), fn_->getArg(3), offsetof(Worker, scratch));
            return ir.CreateLoad(ir.getPtrTy(), field);
        });
    return scratch_;
}
Value* Emitter::out_pointer() {
    if (!out_) out_ = at_entry([&] { return launch_field(offsetof(Launch, out), ir.getPtrTy()); });
    return out_;
}
Value* Emitter::buffer_bytes(loop::BufferId b) {
    return at_entry([&] {
        Value* table = launch_field(offsetof(Launch, bytes), ir.getPtrTy());
        return ir.CreateLoad(ir.getInt64Ty(), ir.CreateConstGEP1_64(ir.getInt64Ty(), table, b.index));
    });
}

llvm::BasicBlock* Emitter::block(const char* name) { return llvm::BasicBlock::Create(ir.getContext(), name, fn_); }
void Emitter::enter(llvm::BasicBlock* to) {
    if (!ir.GetInsertBlock()->getTerminator()) ir.CreateBr(to);
    ir.SetInsertPoint(to);
}
void Emitter::go_if(Value* condition, llvm::BasicBlock* to) {
    llvm::BasicBlock* after = block("after");
    ir.CreateCondBr(condition, to, after);
    ir.SetInsertPoint(after);
}

void Emitter::loop_while(const std::function<Value*()>& condition, const Emit& body) {
    llvm::BasicBlock *head = block("head"), *inside = block("loop"), *done = block("done");
    enter(head);
    ir.CreateCondBr(condition(), inside, done);
    ir.SetInsertPoint(inside);
    body();
    enter(head);
    ir.SetInsertPoint(done);
}
// Tests at the bottom: one branch per round.
void Emitter::loop(Value* from, Value* to, int64_t step, const std::function<void(Value*)>& body) {
    llvm::BasicBlock *inside = block("loop"), *done = block("done");
    Var i = var(from);
    ir.CreateCondBr(ir.CreateICmpSLT(from, to), inside, done);
    ir.SetInsertPoint(inside);
    body(get(i));
    add(i, i64(step));
    ir.CreateCondBr(ir.CreateICmpSLT(get(i), to), inside, done);
    ir.SetInsertPoint(done);
}
void Emitter::when(Value* condition, const Emit& then, const Emit& otherwise) {
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

void Emitter::fault_if(Value* condition, Fault fault, loop::BufferId operand, Value* value, Value* size) {
    if (!fault_) {
        fault_ = block("fault");
        IR::InsertPointGuard guard(ir);
        ir.SetInsertPoint(fault_);
        Type *word = ir.getInt64Ty(), *half = ir.getInt32Ty();
        Type* types[] = {word, half, half, word, word, word};
        size_t offsets[] = {offsetof(KernelError, task), offsetof(KernelError, fault), offsetof(KernelError, operand),
                            offsetof(KernelError, index), offsetof(KernelError, value), offsetof(KernelError, size)};
        for (int i = 0; i < 6; ++i) fault_fields_[i] = ir.CreatePHI(types[i], 2);
        Value* record = launch_field(offsetof(Launch, err), ir.getPtrTy());
        llvm::BasicBlock *write = block("record"), *leave = block("leave");
        ir.CreateCondBr(ir.CreateICmpSLT(fault_fields_[0], ir.CreateLoad(word, record)), write, leave);
        ir.SetInsertPoint(write);
        for (int i = 0; i < 6; ++i)
            ir.CreateStore(fault_fields_[i], ir.CreateConstGEP1_64(ir.getInt8Ty(), record, offsets[i]));
        ir.CreateBr(leave);
        ir.SetInsertPoint(leave);
        ir.CreateRet(fault_fields_[1]);
    }
    llvm::BasicBlock* failing = block("failing");
    go_if(condition, failing);
    IR::InsertPointGuard guard(ir);
    ir.SetInsertPoint(failing);
    Place place = where();
    Value* fields[] = {place.task, ir.getInt32(uint32_t(fault)), ir.getInt32(operand.index), place.index, value, size ? size : i64(0)};
    for (int i = 0; i < 6; ++i) fault_fields_[i]->addIncoming(fields[i], ir.GetInsertBlock());
    ir.CreateBr(fault_);
}
} // namespace nereus::cg
