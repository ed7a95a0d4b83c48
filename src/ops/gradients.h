// ops/gradients.h - the gradient of each operator, by name; the families' rules are in <family>_grad.cpp.
//
// A rule writes, in terms of other operators, what the adjoint of the result adds to the adjoint of each operand. It
// knows dtypes and attributes, no ranks: those come with the shapes stage, so sizes are asked for with shape_of. The
// operators a rule may use have rules themselves, so gradients of gradients exist.
#pragma once
#include "ir/op.h"
#include <functional>
#include <optional>

namespace nereus {
// Where a rule writes to. Operands are named by the parameter they are given for and their place in its list.
class Gradient {
 public:
    explicit Gradient(const Binding& binding) : binding_(binding) {}
    virtual ~Gradient() = default;

    const Binding& binding() const { return binding_; }
    std::span<const ValueId> args(size_t param) const;               // of the param-th parameter that takes arguments
    ValueId arg(size_t param, size_t i = 0) const { return args(param)[i]; }
    bool is_list(size_t param) const { return binding_.groups[param].list; }
    int64_t integer(std::string_view name) const;                    // an attribute, or its declared default
    bool boolean(std::string_view name) const { return integer(name) != 0; }

    virtual DType dtype(ValueId value) const = 0;
    virtual bool wanted(size_t param, size_t i = 0) const = 0;       // false: the operand is constant, nothing is kept
    virtual ValueId result(size_t i = 0) = 0;                        // what the operator gave
    virtual ValueId adjoint(size_t i = 0) = 0;                       // the adjoint of that; of floats only
    // Adds to the adjoint of an operand; what was broadcast is summed. Nothing happens unless it is wanted.
    virtual void contribute(size_t param, ValueId adjoint, size_t i = 0) = 0;
    // The same for an operator that read part of its operand: `add` writes a tensor of the operand's shape with something
    // added to it, given what is there so far; is_zero: that is all zeros.
    using AddTo = std::function<ValueId(ValueId so_far, bool is_zero)>;
    virtual void contribute_part(size_t param, const AddTo& add) { contribute(param, add(zeros(shape(arg(param)), dtype(arg(param))), true)); }
    // The operand is a Seq whose items are consecutive parts of `whole` along an axis.
    virtual void contribute_parts(size_t param, ValueId whole, int64_t axis) = 0;

    struct Operand {
        std::vector<ValueId> values;
        bool list = false;
        Operand(ValueId value) : values{value} {}
        Operand(std::vector<ValueId> values, bool list) : values(std::move(values)), list(list) {}
    };
    virtual ValueId op(std::string_view name, std::vector<Operand> operands, AttributeList attributes = {}) = 0;
    virtual ValueId number(double value, DType dtype) = 0;           // a scalar constant; integers included
    virtual ValueId project(ValueId tuple, size_t i) = 0;

    // The rule cannot be written: why. A plug-in's may be wrong (ops/outside.h); ours never say this.
    void refuse(std::string why) { refusal = std::move(why); }
    std::optional<std::string> refusal;

    // Shorthands of op().
    ValueId add(ValueId a, ValueId b) { return op("add", {a, b}); }
    ValueId sub(ValueId a, ValueId b) { return op("sub", {a, b}); }
    ValueId mul(ValueId a, ValueId b) { return op("mul", {a, b}); }
    ValueId div(ValueId a, ValueId b) { return op("div", {a, b}); }
    ValueId neg(ValueId a) { return op("neg", {a}); }
    ValueId size(int64_t n) { return number(double(n), DType::i64); }
    ValueId shape(ValueId x) { return op("shape_of", {x}); }
    ValueId rank(ValueId x) { return op("gather", {shape(shape(x)), size(0)}); }
    ValueId extent(ValueId x, int64_t axis);                         // negative axes count from the end
    ValueId zeros(ValueId shape, DType dtype) { return op("full", {shape, number(0, dtype)}); }
    Operand same(size_t param) const;                                // as the operator got it

 private:
    const Binding& binding_;
};

struct NamedGradient {
    std::string_view op;
    GradientRule rule = nullptr;
    std::string_view none = {};              // why there is no rule
    bool linear = false;                     // in all its floats together: it is its own change (grad/tangent_op.cpp)
};
std::optional<NamedGradient> gradient_rule(const OpDef& op);         // as its row says, else its family; none: a builtin

std::span<const NamedGradient> elementwise_gradients();
std::span<const NamedGradient> reduce_gradients();                   // matmul too
std::span<const NamedGradient> layout_gradients();
std::span<const NamedGradient> index_gradients();                    // topk too
} // namespace nereus
