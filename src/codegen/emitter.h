// codegen/emitter.h - one kernel under construction: the parameters of its launch, and faults.
#pragma once
#include "codegen/function_writer.h"
#include "tensor/kernel.h"
#include <map>

namespace nereus::cg {
class Emitter : public FunctionWriter {
 public:
    Emitter(llvm::Module& module, const std::string& name, const loop::Scheduled& kernel, const Target& target,
            const CodegenOptions& options);
    void finish();                                       // returns success, promotes variables

    const loop::Function& f;
    const ParamLayout& layout;
    const bool checked;
    Value *task_begin, *task_end;

    // Launch
    Value* param(int slot);                              // p[slot], read once at entry
    Value* param_pointer(Value* slot);                   // &p[slot]
    Value* buffer(loop::BufferId b);
    Value* scalar(loop::ScalarId s);
    Value* scratch();
    Value* out_pointer();
    Value* buffer_bytes(loop::BufferId b);               // checked mode only
    Value* points(loop::GroupId g) { return param(layout.group_slot(g.index) + 2); }

    // Faults: where() gives task and element; set by the plan before anything may fail.
    struct Place { Value *task, *index; };
    std::function<Place()> where;
    void fault_if(Value* condition, Fault fault, loop::BufferId operand, Value* value, Value* size = nullptr);

 private:
    Value* launch_field(size_t offset, Type* type);
    llvm::BasicBlock* fault_ = nullptr;
    llvm::PHINode* fault_fields_[6];                     // in the order of KernelError
    std::map<int, Value*> params_;
    std::map<uint32_t, Value*> buffers_, scalars_;
    Value *p_ = nullptr, *scratch_ = nullptr, *out_ = nullptr;
};
} // namespace nereus::cg
