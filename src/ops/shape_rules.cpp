#include "ops/shape_rules.h"
#include <set>

namespace nereus {
namespace {
const NamedRule* row_of(const OpDef& op) {
    for (std::span<const NamedRule> family : {elementwise_shapes(), reduce_shapes(), layout_shapes(), index_shapes()})
        for (const NamedRule& row : family)
            if (row.op == op.name) return &row;
    return nullptr;
}
} // namespace

ShapeRule shape_rule(const OpDef& op) {
    if (op.shapes) return op.shapes;
    const NamedRule* row = row_of(op);
    return row ? row->rule : nullptr;
}
std::string_view scalar_param(const OpDef& op) {
    const NamedRule* row = row_of(op);
    return row ? row->scalar : std::string_view();
}

Result<int64_t> shape_axis(ShapeScope& scope, int64_t axis, size_t rank) {
    int64_t at = axis < 0 ? axis + int64_t(rank) : axis;
    if (at < 0 || at >= int64_t(rank))
        return scope.error("axis " + std::to_string(axis) + " is out of range for rank " + std::to_string(rank));
    return at;
}

Status each_axis_once(ShapeScope& scope, std::span<const int64_t> axes, std::optional<size_t> rank) {
    std::set<int64_t> seen;
    for (int64_t axis : axes)
        if (!seen.insert(rank && axis < 0 ? axis + int64_t(*rank) : axis).second) return scope.error("axis " + std::to_string(axis) + " is given twice");
    return {};
}

// Aligned at the right. Of unknown ranks only "the same shape variable" and "a scalar" say anything.
Result<Shape> broadcast(ShapeScope& scope, const Shape& a, const Shape& b) {
    if (a == b) return a;
    if (a.ranked && a.dims.empty()) return b;
    if (b.ranked && b.dims.empty()) return a;
    bool same_tail = !a.ranked && !b.ranked && a.tail == b.tail && a.tail.valid() && a.dims.size() == b.dims.size();
    if (!same_tail && (!a.ranked || !b.ranked)) return scope.unknown_shape();
    const Shape &longer = a.dims.size() >= b.dims.size() ? a : b, &shorter = a.dims.size() >= b.dims.size() ? b : a;
    Shape out = longer;
    size_t skip = longer.dims.size() - shorter.dims.size();
    for (size_t i = 0; i < shorter.dims.size(); ++i) {
        Dim left = a.dims[a.dims.size() - shorter.dims.size() + i], right = b.dims[b.dims.size() - shorter.dims.size() + i];
        TRY(scope.require(left, Relation::compatible, right, "sizes that must be equal or 1"));
        out.dims[skip + i] = scope.facts().broadcast(left, right);
    }
    return out;
}

Result<Shaped> broadcast_shape(const ShapeArgs& args, ShapeScope& scope) {
    ShapedTensor y{.dtype = args.tensor(0).dtype, .shape = args.tensor(0).shape};
    for (size_t i = 1; i < args.tensors.size(); ++i)
        if (!args.tensors[i].empty()) y.shape = TRY(broadcast(scope, y.shape, args.tensor(i).shape));
    Shaped out;
    out.push_back(std::move(y));
    return out;
}

Result<Shaped> truth_shape(const ShapeArgs& args, ShapeScope& scope) {
    Shaped out = TRY(broadcast_shape(args, scope));
    out[0].dtype = DType::boolean;
    return out;
}

Dim element_count(Dims& dims, const Shape& shape) { return dims.product(shape.dims); }

Known known_elements(std::vector<Dim> numbers, size_t rank) {
    for (Dim d : numbers)
        if (!d.valid()) return {};
    if (rank > 1 || numbers.size() > 16) return {};
    return {.kind = rank == 0 ? Known::Kind::number : Known::Kind::list, .numbers = std::move(numbers)};
}

Known known_parts(Dims& dims, DType dtype, std::vector<Dim> numbers, size_t rank) {
    Known all = known_elements(std::move(numbers), rank);
    if (dtype != DType::boolean || all.kind != Known::Kind::number) return all;
    const std::optional<int64_t> truth = dims.constant_value(all.numbers[0]);
    if (!truth) return {};
    return {.kind = Known::Kind::condition, .numbers = {}, .condition = {.kind = *truth ? Condition::Kind::always : Condition::Kind::never}};
}

Error unknown_length(ShapeScope& scope, std::string_view what) {
    Error refused = scope.error(std::string(what) + " is a vector whose length is not known before running");
    refused.code = Code::unsupported;
    refused.hint = "write " + std::string(what) + " as a list, as in [%v[0], %v[1]]";
    return refused;
}

Status require_natural(ShapeScope& scope, std::span<const Dim> sizes) {
    for (Dim size : sizes)
        TRY(scope.require(scope.dims().constant(0), Relation::less_equal, size, scope.dims().constant_value(size) ? "size {1} is negative" : "a size"));
    return {};
}
} // namespace nereus
