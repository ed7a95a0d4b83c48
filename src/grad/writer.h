// grad/writer.h - appends bindings to a function under construction.
#pragma once
#include "grad/shadow_types.h"
#include "ir/op.h"
#include "ops/gradients.h"
#include <functional>
#include <unordered_map>

namespace nereus {
class Writer {
 public:
    Writer(Module& module, ShadowTypes& shadows, Function& function);

    Module& module() { return module_; }
    ShadowTypes& shadows() { return shadows_; }
    Function& function() { return function_; }
    TypeId type(ValueId value) const { return function_[value].type; }
    DType dtype(ValueId value) const { return *module_.types[type(value)].element.dtype; }

    Span span;                               // of the bindings written next
    ValueId value(std::string_view name, TypeId type);               // the name is made unique
    ValueId param(std::string_view name, TypeId type);               // of the function itself

    // The binding's result. Constants have one use each: a second one is a copy.
    ValueId bind(Binding binding, TypeId type, std::string_view name = "");
    ValueId op(std::string_view name, const std::vector<Gradient::Operand>& operands, AttributeList attributes = {},
               std::string_view value_name = "");
    // What op() would give, for operands that need not be written yet.
    using TypeOf = std::function<TypeId(ValueId)>;
    TypeId type_of_op(std::string_view name, const std::vector<Gradient::Operand>& operands, const AttributeList& attributes,
                      const TypeOf& type);
    ValueId builtin(std::string_view name, std::vector<ValueId> args, TypeId type, std::string_view value_name = "");
    ValueId number(double value, DType dtype);
    ValueId truth(bool value);
    ValueId unit();
    ValueId tuple(std::vector<ValueId> parts);           // one part: itself
    ValueId project(ValueId tuple, size_t i, std::string_view name = "");
    ValueId part(ValueId structure, size_t i, std::string_view name = "");   // of a tuple or record
    ValueId construct(DeclId decl, uint32_t constructor, std::vector<ValueId> fields, TypeId type);
    ValueId call(FunctionId function, std::vector<ValueId> args, TypeId result, std::string_view name = "");
    ValueId lambda(std::vector<ValueId> params, BlockId body, TypeId result, std::string_view name = "");

    ValueId ref(ValueId content, std::string_view name = "") { return builtin("ref", {content}, module_.types.ref(type(content)), name); }
    ValueId read(ValueId cell, std::string_view name = "") { return builtin("read", {cell}, module_.types[type(cell)].parts[0], name); }
    void write(ValueId cell, ValueId content) { builtin("write", {cell, content}, module_.types.unit()); }
    void assert_(ValueId condition, std::string message);
    ValueId shape_of(ValueId x) { return op("shape_of", {x}); }
    ValueId zeros_like(ValueId x) { return op("full", {shape_of(x), number(0, dtype(x))}); }
    // Cells of shadows: what they have collected, zeros at first; whether that is more than zeros.
    ValueId adjoint_in(ValueId cell, std::string_view name = "") { return project(read(cell), 0, name); }
    ValueId is_touched(ValueId cell) { return project(read(cell), 1); }
    // cell := cell + contribution, summed to the shape that the cell has: the shapes stage sees that it never changes. The
    // first contribution is not added to zeros: of -0.0 that would make 0.0.
    void accumulate(ValueId cell, ValueId contribution);
    void set_adjoint(ValueId cell, ValueId adjoint) { write(cell, tuple({adjoint, truth(true)})); }

    // Blocks. What `body` writes goes into the new block, and what it returns is the block's results.
    using Body = std::function<Result<std::vector<ValueId>>()>;
    Result<BlockId> block(std::vector<ValueId> params, const Body& body);
    struct Case { Pattern pattern; std::vector<ValueId> variables; Body body; };      // variables: of the pattern, in order
    Result<ValueId> match(ValueId subject, TypeId type, std::vector<Case> cases);
    BlockId start(std::vector<ValueId> params = {});     // the same in two steps, for results that are found later
    void finish(BlockId block, std::vector<ValueId> results);
    BlockId at() const { return at_; }
    void go_to(BlockId block) { at_ = block; }

 private:
    ValueId use(ValueId value);
    Binding op_binding(std::string_view name, const std::vector<Gradient::Operand>& operands, AttributeList attributes);
    TypeId result_type(const Binding& binding, const TypeOf& type);

    Module& module_;
    ShadowTypes& shadows_;
    Function& function_;
    BlockId at_;
    std::set<std::string, std::less<>> names_;
    std::unordered_map<std::string, size_t> next_numbers_;           // by what stands before the number
    std::unordered_map<ValueId, std::pair<BindingId, bool>> immediates_;     // and whether it has its use
};
} // namespace nereus
