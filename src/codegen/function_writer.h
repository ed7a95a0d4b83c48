// codegen/function_writer.h - one function of machine code under construction: mutable variables, structured control flow, what
// lies in memory.
//
// Variables are stack slots that promote() turns into phi nodes, so emitters read like the loops they write.
#pragma once
#include "codegen/codegen.h"
#include <functional>
#include <llvm/Analysis/InstSimplifyFolder.h>
#include <llvm/IR/IRBuilder.h>
#include <vector>

namespace nereus::cg {
using llvm::Type;
using llvm::Value;
using IR = llvm::IRBuilder<llvm::InstSimplifyFolder>;     // no pass cleans up after us
using Emit = std::function<void()>;

void set_target(llvm::Function& f, const Target& target);

class FunctionWriter {
 public:
    FunctionWriter(llvm::Module& module, llvm::Function* function, const Target& target);
    void promote();                                      // variables to phi nodes; last

    const Target& target;
    IR ir;

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

    // Memory, at any alignment; small floats are widened and narrowed on the way
    Value* step_by(Value* pointer, Value* bytes) { return ir.CreateGEP(ir.getInt8Ty(), pointer, bytes); }
    Value* load(DType t, Value* pointer, int width = 1, Value* mask = nullptr);      // masked lanes are 0
    void store(DType t, Value* value, Value* pointer, Value* mask = nullptr);
    Value* first_lanes(Value* count, int width);         // mask of 1 <= count <= width lanes

    // Control flow
    void loop(Value* from, Value* to, int64_t step, const std::function<void(Value*)>& body);
    void loop_while(const std::function<Value*()>& condition, const Emit& body);
    void when(Value* condition, const Emit& then, const Emit& otherwise = {});
    llvm::BasicBlock* block(const char* name);
    void enter(llvm::BasicBlock* block);                 // falls through into it and continues there
    void go_if(Value* condition, llvm::BasicBlock* to);  // else continues after
    Value* min(Value* a, Value* b) { return ir.CreateSelect(ir.CreateICmpSLT(a, b), a, b); }
    // Evaluates at entry, where values of parameters that serve the whole function belong.
    Value* at_entry(const std::function<Value*()>& make);

 protected:
    llvm::Function* fn_;

 private:
    llvm::BasicBlock *entry_, *body_;
    std::vector<llvm::AllocaInst*> vars_;
};
} // namespace nereus::cg
