#include "lower/lowered.h"

namespace nereus {
namespace {
constexpr OpParam several[] = {{"x", ParamKind::values}};
constexpr OpParam one[] = {{"x"}};
constexpr OpDef rows[] = {                                // in order of LowOp
    {.name = "kernel.launch", .doc = "runs a kernel", .params = several},
    {.name = "mem.view", .doc = "the same elements in another shape", .params = one},
    {.name = "mem.numbers", .doc = "a small tensor of host numbers", .params = several},
    {.name = "mem.read", .doc = "the number in a rank-0 tensor", .params = one},
    {.name = "mem.tag", .doc = "the constructor or lambda of an object", .params = one},
    {.name = "mem.bound_dim", .doc = "a dim that the constructor of an object bound", .params = one},
    {.name = "mem.open", .doc = "extents of a tensor of unknown rank", .params = one},
    {.name = "mem.rank", .doc = "the rank of a tensor of unknown rank", .params = one},
    {.name = "mem.make", .doc = "a tensor of unknown rank, its elements to be written", .params = several},
    {.name = "mem.same_tails", .doc = "whether two tensors have equal extents from an axis on", .params = several},
    {.name = "mem.same_but", .doc = "whether two tensors have equal extents but at one axis", .params = several},
    {.name = "mem.shape_vector", .doc = "the extents of a tensor of unknown rank", .params = one},
    {.name = "mem.element", .doc = "an element of a vector, or another number where it is shorter", .params = one},
    {.name = "mem.concat_seq", .doc = "the tensors of a sequence joined along an axis", .params = one},
    {.name = "mem.copy", .doc = "a tensor that is about to be changed in part", .params = several},
};
} // namespace

const OpDef& low_op(LowOp op) { return rows[size_t(op)]; }

std::optional<LowOp> low_op_of(const Binding& binding) {
    if (binding.form != Form::op) return std::nullopt;
    for (size_t i = 0; i < std::size(rows); ++i)
        if (binding.op == &rows[i]) return LowOp(i);
    return std::nullopt;
}

Held held(const Types& types, const Binding* definition, const ValueInfo& value) {
    const Type& type = types[value.type];
    switch (type.kind) {
    case TypeKind::tensor:
        if (!is_number_type(type)) return Held::tensor;
        return definition && (low_op_of(*definition) == LowOp::launch || low_op_of(*definition) == LowOp::copy) ? Held::tensor : Held::number;
    case TypeKind::tuple: case TypeKind::function: case TypeKind::ref: case TypeKind::seq: case TypeKind::data: return Held::object;
    case TypeKind::hole: case TypeKind::var: return Held::nothing;
    }
    return Held::nothing;
}
} // namespace nereus
