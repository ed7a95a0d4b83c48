#include "ops/gradients.h"

namespace nereus {
std::span<const ValueId> Gradient::args(size_t param) const {
    size_t first = 0;
    for (size_t i = 0; i < param; ++i) first += binding_.groups[i].count;
    return std::span(binding_.args).subspan(first, binding_.groups[param].count);
}

int64_t Gradient::integer(std::string_view name) const {
    if (const Attribute* given = find_attribute(binding_, name)) {
        if (const int64_t* number = std::get_if<int64_t>(&given->value)) return *number;
        if (const bool* truth = std::get_if<bool>(&given->value)) return *truth;
    }
    for (const OpParam& param : binding_.op->params)
        if (param.name == name) return param.otherwise;
    return 0;
}

ValueId Gradient::extent(ValueId x, int64_t axis) {
    ValueId at = axis < 0 ? add(rank(x), size(axis)) : size(axis);
    return op("gather", {shape(x), at});
}

Gradient::Operand Gradient::same(size_t param) const {
    return Operand(std::vector<ValueId>(args(param).begin(), args(param).end()), is_list(param));
}

std::optional<NamedGradient> gradient_rule(const OpDef& op) {
    if (op.grad || !op.no_grad.empty()) return NamedGradient{op.name, op.grad, op.no_grad, op.linear};
    for (std::span<const NamedGradient> family :
         {elementwise_gradients(), reduce_gradients(), layout_gradients(), index_gradients()})
        for (const NamedGradient& row : family)
            if (row.op == op.name) return row;
    return std::nullopt;
}
} // namespace nereus
