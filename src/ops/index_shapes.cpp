// ops/index_shapes.cpp - shape rules of parts of a tensor: by range, by index, by condition, by order.
#include "ops/shape_rules.h"
#include "ops/speaker.h"

namespace nereus {
namespace {
Shaped one(ShapedTensor t) {
    Shaped out;
    out.push_back(std::move(t));
    return out;
}

// The axes that starts belong to; left out, the leading ones.
Result<std::vector<size_t>> axes_of(const ShapeArgs& args, ShapeScope& scope, size_t count, size_t rank) {
    std::vector<int64_t> axes = args.integers("axes").value_or(std::vector<int64_t>());
    if (!args.integers("axes"))
        for (size_t i = 0; i < count; ++i) axes.push_back(int64_t(i));
    if (axes.size() != count) return scope.error(std::to_string(axes.size()) + " axes for " + std::to_string(count) + " starts");
    std::vector<size_t> out;
    for (int64_t axis : axes) out.push_back(size_t(TRY(shape_axis(scope, axis, rank))));
    TRY(each_axis_once(scope, axes, rank));
    return out;
}
Status require_range(ShapeScope& scope, Dim start, Dim end, Dim size) {
    TRY(scope.require(scope.dims().constant(0), Relation::less_equal, start, "the start of a range"));
    TRY(scope.require(start, Relation::less_equal, end, "the ends of a range"));
    return scope.require(end, Relation::less_equal, size, "the end of a range");
}

Result<Shaped> slice(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor& x = args.tensor(0);
    ShapedTensor y{.dtype = x.dtype, .shape = x.shape};
    const std::vector<Dim>&starts = args.sizes[1], &ends = args.sizes[2];
    const bool in_vectors = !args.sizes_known[1] || !args.sizes_known[2];
    if (in_vectors && args.integers("axes")) return unknown_length(scope, args.op.params[args.sizes_known[1] ? 2 : 1].name);
    if (!x.ranked() || in_vectors) {
        TRY(each_axis_once(scope, args.integers("axes").value_or(std::vector<int64_t>()), {}));
        y.shape = scope.unknown_shape();
        return one(std::move(y));
    }
    if (starts.size() != ends.size())
        return scope.error(std::to_string(starts.size()) + " starts for " + std::to_string(ends.size()) + " ends");
    std::vector<size_t> axes = TRY(axes_of(args, scope, starts.size(), x.rank()));
    for (size_t i = 0; i < axes.size(); ++i) {
        TRY(require_range(scope, starts[i], ends[i], x.shape.dims[axes[i]]));
        y.shape.dims[axes[i]] = scope.dims().sub(ends[i], starts[i]);
    }
    y.low = x.low, y.high = x.high;                      // of a range that has been checked
    if (x.known.kind == Known::Kind::list && axes.size() == 1) {
        std::optional<int64_t> from = scope.dims().constant_value(starts[0]), to = scope.dims().constant_value(ends[0]);
        if (from && to && *from >= 0 && *from <= *to && *to <= int64_t(x.known.numbers.size()))
            y.known = known_elements({x.known.numbers.begin() + *from, x.known.numbers.begin() + *to}, 1);
    }
    return one(std::move(y));
}

Result<Shaped> slice_update(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor &x = args.tensor(0), &v = args.tensor(1);
    ShapedTensor y{.dtype = x.dtype, .shape = x.shape};
    if (!args.sizes_known[2] && args.integers("axes")) return unknown_length(scope, args.op.params[2].name);
    if (!x.ranked() || !v.ranked()) {
        TRY(each_axis_once(scope, args.integers("axes").value_or(std::vector<int64_t>()), {}));
        return one(std::move(y));
    }
    const bool overall = spoken_for(args.attributes);    // it stands for a look at the shape of v
    if (x.rank() != v.rank())
        return scope.error(overall ? "expected rank " + std::to_string(x.rank()) + ", found " + std::to_string(v.rank())
                                   : "ranks differ: the tensor has " + std::to_string(x.rank()) + ", the update " + std::to_string(v.rank()));
    if (!args.sizes_known[2]) return one(std::move(y));
    std::vector<size_t> axes = TRY(axes_of(args, scope, args.sizes[2].size(), x.rank()));
    std::vector<bool> given(x.rank(), false);
    for (size_t i = 0; i < axes.size(); ++i) {
        Dim start = args.sizes[2][i];
        given[axes[i]] = true;
        TRY(require_range(scope, start, scope.dims().add(start, v.shape.dims[axes[i]]), x.shape.dims[axes[i]]));
    }
    for (size_t i = 0; i < x.rank(); ++i)
        if (!given[i]) TRY(scope.require(v.shape.dims[i], Relation::equal, x.shape.dims[i],
                                         "axis " + std::to_string(i) + (overall ? " is {0}, expected {1}" : "")));
    return one(std::move(y));
}

Shape gathered(const ShapedTensor& x, const ShapedTensor& ids, size_t axis) {
    Shape out;
    out.dims.assign(x.shape.dims.begin(), x.shape.dims.begin() + ptrdiff_t(axis));
    out.dims.insert(out.dims.end(), ids.shape.dims.begin(), ids.shape.dims.end());
    out.dims.insert(out.dims.end(), x.shape.dims.begin() + ptrdiff_t(axis) + 1, x.shape.dims.end());
    return out;
}
// A number is checked here; of elements it is proved, or nothing may rest on it: what fails unused may vanish.
Result<bool> index_in_range(ShapeScope& scope, const ShapedTensor& x, const ShapedTensor& ids, size_t axis) {
    const Dim zero = scope.dims().constant(0), size = x.shape.dims[axis];
    if (Dim id = number_of(ids); id.valid() && scope.exact(id, ids.dtype)) {
        TRY(scope.require(zero, Relation::less_equal, id, "index {1} is negative"));
        TRY(scope.require(id, Relation::less, size, "index {0} is out of range for size {1}"));
        return true;
    }
    Facts& facts = scope.facts();
    if (ids.low.valid() && ids.high.valid())
        return facts.less_equal(zero, ids.low) == Answer::yes && facts.less_equal(ids.high, size) == Answer::yes;
    for (Dim id : ids.known.numbers) {
        const bool inside = facts.less_equal(zero, id) == Answer::yes && facts.less(id, size) == Answer::yes;
        if (!inside || !scope.exact(id, ids.dtype)) return false;
    }
    return ids.known.kind == Known::Kind::list;
}

Result<Shaped> gather(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor &x = args.tensor(0), &ids = args.tensor(1);
    ShapedTensor y{.dtype = x.dtype};
    if (!x.ranked() || !ids.ranked()) {
        y.shape = scope.unknown_shape();
        return one(std::move(y));
    }
    size_t axis = size_t(TRY(shape_axis(scope, args.integer("axis", 0), x.rank())));
    y.shape = gathered(x, ids, axis);
    if (TRY(index_in_range(scope, x, ids, axis))) y.low = x.low, y.high = x.high;
    if (x.known.kind == Known::Kind::list && !ids.known.numbers.empty() && ids.rank() <= 1) {
        std::vector<Dim> numbers;
        for (Dim id : ids.known.numbers) {
            std::optional<int64_t> at = scope.dims().constant_value(id);
            bool inside = at && *at >= 0 && *at < int64_t(x.known.numbers.size());
            numbers.push_back(inside ? x.known.numbers[size_t(*at)] : Dim());
        }
        y.known = known_parts(scope.dims(), x.dtype, std::move(numbers), ids.rank());
    }
    return one(std::move(y));
}

Result<Shaped> scatter(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor &x = args.tensor(0), &ids = args.tensor(1), &v = args.tensor(2);
    ShapedTensor y{.dtype = x.dtype, .shape = x.shape};
    if (!x.ranked() || !ids.ranked() || !v.ranked()) return one(std::move(y));
    size_t axis = size_t(TRY(shape_axis(scope, args.integer("axis", 0), x.rank())));
    Shape rows = gathered(x, ids, axis);
    if (rows.dims.size() != v.rank())
        return scope.error("the rows to add have rank " + std::to_string(v.rank()) + ", expected " + std::to_string(rows.dims.size()));
    for (size_t i = 0; i < v.rank(); ++i)
        TRY(scope.require(v.shape.dims[i], Relation::equal, rows.dims[i], "axis " + std::to_string(i) + " of the rows to add"));
    TRY(index_in_range(scope, x, ids, axis));
    return one(std::move(y));
}

Result<Shaped> nonzero(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor& c = args.tensor(0);
    Dims& dims = scope.dims();
    ShapedTensor y{.dtype = DType::i64, .low = dims.constant(0)};
    Dim rank = c.ranked() ? dims.constant(int64_t(c.rank())) : scope.late("rank", {});
    Dim k = scope.late("k", c.ranked() ? element_count(dims, c.shape) : Dim());
    y.shape.dims = {rank, k};
    if (c.ranked() && c.rank() > 0) y.high = dims.max(c.shape.dims);
    return one(std::move(y));
}

Result<Shaped> topk(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor& x = args.tensor(0);
    ShapedTensor values{.dtype = x.dtype, .shape = x.shape}, places{.dtype = DType::i64};
    if (x.ranked()) {
        size_t axis = size_t(TRY(shape_axis(scope, args.integer("axis", -1), x.rank())));
        Dim k = args.sizes[1][0], size = x.shape.dims[axis];
        TRY(scope.require(scope.dims().constant(0), Relation::less_equal, k, "k={1} is negative"));
        TRY(scope.require(k, Relation::less_equal, size, "k={0} is out of range for axis " + std::to_string(axis) + " of size {1}"));
        values.shape.dims[axis] = k;
        places.low = scope.dims().constant(0), places.high = size;
    } else {
        values.shape = scope.unknown_shape();
    }
    places.shape = values.shape;
    Shaped out;
    out.push_back(std::move(values));
    out.push_back(std::move(places));
    return out;
}

constexpr NamedRule rows[] = {
    {"slice", slice}, {"slice_update", slice_update}, {"gather", gather}, {"scatter_add", scatter}, {"scatter", scatter},
    {"scatter_mul", scatter}, {"scatter_max", scatter}, {"scatter_min", scatter},
    {"nonzero", nonzero}, {"topk", topk},
};
} // namespace

std::span<const NamedRule> index_shapes() { return rows; }
} // namespace nereus
