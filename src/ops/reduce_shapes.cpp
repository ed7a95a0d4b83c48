// ops/reduce_shapes.cpp - shape rules of reductions and of matmul.
#include "ops/runtime_axes.h"
#include "ops/shape_rules.h"

namespace nereus {
namespace {
// Axes that are numbers known when the program runs: checked there, in the words of checked_axes.
Result<std::vector<Dim>> reduced_at_run_time(ShapeScope& scope, const std::vector<Dim>& shape, const std::vector<Dim>& axes, bool keep) {
    Dims& dims = scope.dims();
    Dim rank = dims.constant(int64_t(shape.size()));
    std::string out = " is out of range for rank " + std::to_string(shape.size());
    for (size_t i = 0; i < axes.size(); ++i) {
        TRY(scope.require(dims.sub(dims.constant(0), rank), Relation::less_equal, axes[i], "axis {1}" + out));
        TRY(scope.require(axes[i], Relation::less, rank, "axis {0}" + out));
        for (size_t j = 0; j < i; ++j)
            for (Dim same : {axes[j], dims.add(axes[j], rank), dims.sub(axes[j], rank)})
                TRY(scope.require(axes[i], Relation::not_equal, same, "axis {0} is given twice"));
    }
    if (axes.size() > shape.size()) return scope.error(std::to_string(axes.size()) + " axes for rank " + std::to_string(shape.size()));
    std::vector<Dim> goes = axes_that_go(dims, axes, shape.size());
    return keep ? split_extents(dims, shape, goes).stay : closed_up(dims, shape, goes, axes.size());
}

// Axes are sizes: they may be computed, but a rank is known only if their number is.
Result<Shaped> reduce(const ShapeArgs& args, ShapeScope& scope, Known (*known)(ShapeScope&, const ShapedTensor&)) {
    const ShapedTensor& x = args.tensor(0);
    bool keep = args.boolean("keepdims", false);
    ShapedTensor y{.dtype = x.dtype};
    std::vector<int64_t> known_axes;
    for (Dim axis : args.sizes[1])
        if (std::optional<int64_t> at = scope.dims().constant_value(axis)) known_axes.push_back(*at);
    TRY(each_axis_once(scope, known_axes, x.ranked() ? std::optional(x.rank()) : std::nullopt));
    if (!args.sizes_known[1]) y.shape = scope.unknown_shape();
    else if (!x.ranked() && args.present[1]) y.shape = scope.unknown_shape();
    else if (!x.ranked() && keep) y.shape = scope.unknown_shape();
    else {
        std::vector<bool> reduced(x.rank(), !args.present[1]);
        const bool constant = known_axes.size() == args.sizes[1].size();
        for (int64_t axis : known_axes) reduced[size_t(TRY(shape_axis(scope, axis, x.rank())))] = true;
        if (!constant) y.shape.dims = TRY(reduced_at_run_time(scope, x.shape.dims, args.sizes[1], keep));
        for (size_t i = 0; constant && i < x.rank(); ++i) {
            if (!reduced[i]) y.shape.dims.push_back(x.shape.dims[i]);
            else if (keep) y.shape.dims.push_back(scope.dims().constant(1));
        }
    }
    if (y.ranked() && x.known.kind == Known::Kind::list && (y.rank() == 0 || (keep && scope.dims().constant_value(y.shape.dims[0]) == 1))) {
        y.known = known(scope, x);
        if (keep && y.known.kind == Known::Kind::number) y.known.kind = Known::Kind::list;
    }
    Shaped out;
    out.push_back(std::move(y));
    return out;
}
Known total(ShapeScope& scope, const ShapedTensor& x) {
    Dim sum = scope.dims().constant(0);
    for (Dim d : x.known.numbers) sum = scope.dims().add(sum, d);
    return known_number(sum);
}
Known product(ShapeScope& scope, const ShapedTensor& x) { return known_number(scope.dims().product(x.known.numbers)); }
bool in_order(ShapeScope& scope, const ShapedTensor& x) {
    for (Dim d : x.known.numbers)
        if (!scope.exact(d, x.dtype)) return false;
    return !x.known.numbers.empty() && x.dtype != DType::boolean;
}
Known largest(ShapeScope& scope, const ShapedTensor& x) { return in_order(scope, x) ? known_number(scope.dims().max(x.known.numbers)) : Known{}; }
Known smallest(ShapeScope& scope, const ShapedTensor& x) { return in_order(scope, x) ? known_number(scope.dims().min(x.known.numbers)) : Known{}; }
Result<Shaped> sum(const ShapeArgs& args, ShapeScope& scope) { return reduce(args, scope, total); }
Result<Shaped> prod(const ShapeArgs& args, ShapeScope& scope) { return reduce(args, scope, product); }
Result<Shaped> max(const ShapeArgs& args, ShapeScope& scope) { return reduce(args, scope, largest); }
Result<Shaped> min(const ShapeArgs& args, ShapeScope& scope) { return reduce(args, scope, smallest); }

Result<Shaped> place(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor& x = args.tensor(0);
    ShapedTensor y{.dtype = DType::i64, .shape = x.shape};
    if (x.ranked()) {
        const int64_t axis = TRY(shape_axis(scope, args.integer("axis", -1), x.rank()));
        const Dim size = x.shape.dims[size_t(axis)], one = scope.dims().constant(1);
        TRY(scope.require(one, Relation::less_equal, size, std::string(no_element) + "{}"));
        if (args.boolean("keepdims", false)) y.shape.dims[size_t(axis)] = one;
        else y.shape.dims.erase(y.shape.dims.begin() + axis);
        y.low = scope.dims().constant(0), y.high = size;
    } else {
        y.shape = scope.unknown_shape();
    }
    Shaped out;
    out.push_back(std::move(y));
    return out;
}

Result<Shaped> sum_to(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor& x = args.tensor(0);
    ShapedTensor y{.dtype = x.dtype};
    y.shape.dims = args.sizes[1];
    if (!args.sizes_known[1]) y.shape = scope.unknown_shape();
    TRY(require_natural(scope, args.sizes[1]));
    if (x.ranked() && y.ranked()) {
        if (y.rank() > x.rank()) return scope.error("rank " + std::to_string(x.rank()) + " does not sum to rank " + std::to_string(y.rank()));
        for (size_t i = 0; i < y.rank(); ++i) {
            Dim small = y.shape.dims[i], large = x.shape.dims[x.rank() - y.rank() + i];
            if (small == scope.dims().constant(1)) continue;
            Dim pair[] = {small, large};
            if (scope.facts().equal(small, large) != Answer::yes) {
                TRY(scope.require(small, Relation::compatible, large, misfit_to_sum));
                TRY(scope.require(scope.dims().bcast(pair), Relation::equal, large, misfit_to_sum));
            }
        }
    }
    Shaped out;
    out.push_back(std::move(y));
    return out;
}

Result<Shaped> product(const ShapeArgs& args, ShapeScope& scope, DType dtype) {
    const ShapedTensor &a = args.tensor(0), &b = args.tensor(1);
    ShapedTensor y{.dtype = dtype};
    if (!a.ranked() || !b.ranked()) {
        y.shape = scope.unknown_shape();
    } else {
        if (a.rank() == 0 || b.rank() == 0) return scope.error("a tensor of rank 0 has no axis to contract");
        std::vector<Dim> left = a.shape.dims, right = b.shape.dims;
        Dim inner_left = left.back(), inner_right = right[right.size() > 1 ? right.size() - 2 : 0];
        TRY(scope.require(inner_left, Relation::equal, inner_right, "inner dims"));
        Shape batch_left, batch_right;
        if (left.size() > 2) batch_left.dims.assign(left.begin(), left.end() - 2);
        if (right.size() > 2) batch_right.dims.assign(right.begin(), right.end() - 2);
        y.shape = TRY(broadcast(scope, batch_left, batch_right));
        if (left.size() > 1) y.shape.dims.push_back(left[left.size() - 2]);
        if (right.size() > 1) y.shape.dims.push_back(right.back());
    }
    Shaped out;
    out.push_back(std::move(y));
    return out;
}

Result<Shaped> matmul(const ShapeArgs& args, ShapeScope& scope) { return product(args, scope, args.tensor(0).dtype); }
Result<Shaped> matmul_i32(const ShapeArgs& args, ShapeScope& scope) { return product(args, scope, DType::i32); }

constexpr NamedRule rows[] = {
    {"sum", sum}, {"prod", prod}, {"max", max}, {"min", min}, {"argmax", place}, {"argmin", place}, {"sum_to", sum_to}, {"matmul", matmul},
    {"matmul_i32", matmul_i32},
};
} // namespace

std::span<const NamedRule> reduce_shapes() { return rows; }
} // namespace nereus
