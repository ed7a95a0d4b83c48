#include "codegen/emitter.h"
#include "codegen/small_float.h"
#include <cstddef>
#include <llvm/IR/Module.h>

namespace nereus::cg {
namespace {
llvm::Function* kernel_function(llvm::Module& module, const std::string& name) {
    llvm::LLVMContext& c = module.getContext();
    Type *i32 = Type::getInt32Ty(c), *word = Type::getInt64Ty(c), *pointer = llvm::PointerType::get(c, 0);
    auto* type = llvm::FunctionType::get(i32, {pointer, word, word, pointer}, false);
    auto* fn = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    for (unsigned i : {0u, 3u}) {
        fn->addParamAttr(i, llvm::Attribute::NoCapture);
        fn->addParamAttr(i, llvm::Attribute::NonNull);
    }
    return fn;
}
} // namespace

Emitter::Emitter(llvm::Module& module, const std::string& name, const loop::Scheduled& kernel, const Target& t,
                 const CodegenOptions& options)
    : FunctionWriter(module, kernel_function(module, name), t), f(kernel.function), layout(kernel.params),
      checked(options.checked), task_begin(fn_->getArg(1)), task_end(fn_->getArg(2)) {
    p_ = at_entry([&] { return launch_field(offsetof(Launch, p), ir.getPtrTy()); });
}

void Emitter::finish() {
    ir.CreateRet(ir.getInt32(0));
    promote();
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
