// codegen/emitter.h - one kernel under construction: parameters, mutable variables, structured control flow, faults.
//
// Variables are stack slots that finish() turns into phi nodes, so emitters read like the loops they write.
#pragma once
#include "codegen/codegen.h"
#include "tensor/kernel.h"
#include <functional>
#include <llvm/Analysis/InstSimplifyFolder.h>
#include <llvm/IR/IRBuilder.h>
#include <map>

namespace nereus::cg {
using llvm::Type;
using llvm::Value;
using IR = llvm::IRBuilder<llvm::InstSimplifyFolder>;     // no pass cleans up after us
using Emit = std::function<void()>;

void set_target(llvm::Function& f, const Target& target);

class Emitter {
 public:
    Emitter(llvm::Module& module, const std::string& name, const loop::Scheduled& kernel, const Target& target,
            const CodegenOptions& options);
    void finish();                                       // returns success, promotes variables

    const loop::Function& f;
    const ParamLayout& layout;
    const Target& target;
    const bool checked;
    IR ir;
    Value *task_begin, *task_end;

    // Types and constants
    Type* scalar_type(DType t);                          // in registers: bool is i1, f16 and bf16 are float
    Type* memory_type(DType t);                          // bool is i8, f16 and bf16 are i16
    Type* vector_type(DType t, int width);               // width 1: the scalar type
    Value* i64(int64_t value) { return ir.getInt64(uint64_t(value)); }
    Value* splat(Value* scalar, int width);

    // Variables; made in the entry block
    struct Var { llvm::AllocaInst* slot; };
    Var var(Type* type);
    Var var(Value* initial);
    Value* get(Var v) { return ir.CreateLoad(v.slot->getAllocatedType(), v.slot); }
    void set(Var v, Value* value) { ir.CreateStore(value, v.slot); }
    void add(Var v, Value* by) { set(v, ir.CreateAdd(get(v), by)); }
    llvm::AllocaInst* memory(Type* type, int64_t count, int align);     // stays in memory

    // Launch
    Value* param(int slot);                              // p[slot], read once at entry
    Value* param_pointer(Value* slot);                   // &p[slot]
    Value* buffer(loop::BufferId b);
    Value* scalar(loop::ScalarId s);
    Value* scratch();
    Value* out_pointer();
    Value* buffer_bytes(loop::BufferId b);               // checked mode only
    Value* points(loop::GroupId g) { return param(layout.group_slot(g.index) + 2); }

    // Control flow
    void loop(Value* from, Value* to, int64_t step, const std::function<void(Value*)>& body);
    void loop_while(const std::function<Value*()>& condition, const Emit& body);
    void when(Value* condition, const Emit& then, const Emit& otherwise = {});
    llvm::BasicBlock* block(const char* name);
    void enter(llvm::BasicBlock* block);                 // falls through into it and continues there
    void go_if(Value* condition, llvm::BasicBlock* to);  // else continues after
    Value* min(Value* a, Value* b) { return ir.CreateSelect(ir.CreateICmpSLT(a, b), a, b); }
    // Evaluates at entry, where values of parameters that serve the whole kernel belong.
    Value* at_entry(const std::function<Value*()>& make);

    // Faults: where() gives task and element; set by the plan before anything may fail.
    struct Place { Value *task, *index; };
    std::function<Place()> where;
    void fault_if(Value* condition, Fault fault, loop::BufferId operand, Value* value, Value* size = nullptr);

 private:
    Value* launch_field(size_t offset, Type* type);
    llvm::Function* fn_;
    llvm::BasicBlock *entry_, *body_, *fault_ = nullptr;
    llvm::PHINode* fault_fields_[6];                     // in the order of KernelError
    std::vector<llvm::AllocaInst*> vars_;
    std::map<int, Value*> params_;
    std::map<uint32_t, Value*> buffers_, scalars_;
    Value *p_ = nullptr, *scratch_ = nullptr, *out_ = nullptr;
};
} // namespace nereus::cg
