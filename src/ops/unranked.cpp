#include "ops/unranked.h"
#include "ops/lowers.h"
#include "ops/shape_rules.h"
#include "ops/speaker.h"
#include "ops/windows.h"
#include <algorithm>

namespace nereus {
namespace {
using Kind = ShapePart::Kind;
constexpr const char* misfit = "sizes {0} and {1} must be equal or 1";
constexpr size_t aligned_axes = 16;          // where shapes are aligned at the right, all ranks are taken for this one

Status as_ranked(OpLowering& l) { return l.binding().op->lower(l); }
Error unsupported(OpLowering& l, std::string what) {
    return Error{Code::unsupported, std::string(l.binding().op->name) + ": " + what, l.binding().span,
                 "pass the value through a function whose signature gives its rank"};
}
std::vector<ShapePart> numbers(std::span<const Dim> extents) {
    std::vector<ShapePart> parts;
    for (Dim extent : extents) parts.push_back({.number = extent});
    return parts;
}
void append_tail(OpLowering& l, std::vector<ShapePart>& parts, ValueId v, size_t from) {
    if (!l.ranked(v)) return parts.push_back({.kind = Kind::tail, .value = v, .from = int64_t(from)});
    const std::vector<Dim>& extents = l.type(v).shape.dims;
    for (size_t i = from; i < extents.size(); ++i) parts.push_back({.number = extents[i]});
}
void append_head(OpLowering& l, std::vector<ShapePart>& parts, ValueId v, size_t without) {
    if (!l.ranked(v)) return parts.push_back({.kind = Kind::head, .value = v, .from = int64_t(without)});
    const std::vector<Dim>& extents = l.type(v).shape.dims;
    for (size_t i = 0; i + without < extents.size(); ++i) parts.push_back({.number = extents[i]});
}

// Aligned at the right with others.
void open_aligned(OpLowering& l, ValueId v) {
    if (!l.ranked(v)) l.check(l.rank(v), Relation::less_equal, l.dims().constant(aligned_axes), "a rank that can be broadcast");
    l.open(v, Opened::padded, aligned_axes);
}
std::vector<Dim> aligned_result(OpLowering& l, std::span<const ValueId> operands, size_t axes) {
    std::vector<Dim> extents;
    for (size_t i = 0; i < axes; ++i) {
        std::vector<Dim> all;
        for (ValueId v : operands) {
            Dim extent = l.shape(v)[i];
            if (!all.empty()) l.check(l.dims().bcast(all), Relation::compatible, extent, misfit);
            all.push_back(extent);
        }
        extents.push_back(l.dims().bcast(all));
    }
    return extents;
}

Status elementwise(OpLowering& l) {
    ValueId y = l.result();
    const std::vector<ValueId> operands = l.binding().args;
    auto scalar = [&](ValueId v) { return l.ranked(v) && l.type(v).shape.dims.empty(); };
    auto like_result = [&](ValueId v) { return scalar(v) || (l.type(v).shape == l.type(y).shape && l.type(y).shape.tail.valid()); };
    if (std::all_of(operands.begin(), operands.end(), like_result)) {        // one shape: elements in a row
        ValueId x = *std::find_if(operands.begin(), operands.end(), [&](ValueId v) { return !l.ranked(v); });
        l.make(y, {{.kind = Kind::tail, .value = x}});
        l.open(x, Opened::flat);
        const std::vector<Dim> all = l.shape(x);
        for (ValueId v : operands)
            if (!scalar(v)) l.open_as(v, all);
        l.open_as(y, all);
        return as_ranked(l);
    }
    std::vector<Dim> ranks;
    for (ValueId v : operands) {
        open_aligned(l, v);
        ranks.push_back(l.rank(v));
    }
    std::vector<Dim> extents = aligned_result(l, operands, aligned_axes);
    std::vector<ShapePart> parts = numbers(extents);
    parts.push_back({.kind = Kind::last, .number = l.dims().max(ranks)});
    l.make(y, std::move(parts));
    l.open_as(y, std::move(extents));
    return as_ranked(l);
}

// Sizes given as a vector whose length is not known make the result; else its rank is known.
void make_from_sizes(OpLowering& l, size_t param, Dim total = {}) {
    if (!l.ranked(l.result())) l.make(l.result(), {{.kind = Kind::elements, .number = total, .value = l.arg(param)}});
}

Status filled(OpLowering& l, size_t param) {
    make_from_sizes(l, param);
    l.open(l.result(), Opened::flat);
    return as_ranked(l);
}
Status full(OpLowering& l) { return filled(l, 0); }
Status random(OpLowering& l) { return filled(l, 2); }

// `large` must be what `small` broadcasts to.
void check_broadcast(OpLowering& l, ValueId small, ValueId large, const std::string& ranks, const std::string& sizes) {
    l.check(l.rank(small), Relation::less_equal, l.rank(large), ranks);
    for (size_t i = 0; i < aligned_axes; ++i) {
        Dim pair[] = {l.shape(small)[i], l.shape(large)[i]};
        l.check(pair[0], Relation::compatible, pair[1], sizes);
        l.check(l.dims().bcast(pair), Relation::equal, pair[1], sizes);
    }
}
Status sum_to(OpLowering& l) {
    make_from_sizes(l, 1);
    open_aligned(l, l.arg(0));
    open_aligned(l, l.result());
    check_broadcast(l, l.result(), l.arg(0), "rank {1} does not sum to rank {0}", misfit_to_sum);
    return as_ranked(l);
}
Status broadcast_to(OpLowering& l) {
    make_from_sizes(l, 1);
    open_aligned(l, l.arg(0));
    open_aligned(l, l.result());
    check_broadcast(l, l.arg(0), l.result(), "rank {0} does not broadcast to rank {1}", misfit_to_broadcast);
    return as_ranked(l);
}

Status reshape(OpLowering& l) {
    ValueId x = l.arg(0), y = l.result();
    Dims& dims = l.dims();
    l.open(x, Opened::flat);
    Dim total = l.shape(x)[0];
    if (l.ranked(y)) {
        Dim others = dims.constant(1);
        std::optional<Sym> inferred;                     // the size written -1
        for (Dim extent : l.type(y).shape.dims) {
            std::optional<Sym> symbol = dims.as_symbol(extent);
            const std::vector<Sym>& defines = l.binding().defines;
            if (symbol && std::find(defines.begin(), defines.end(), *symbol) != defines.end()) inferred = symbol;
            else others = dims.mul(others, extent);
        }
        if (inferred) {
            l.check(others, Relation::not_equal, dims.constant(0), "the sizes beside -1 make {0}");
            Dim size = dims.floor_div(total, others);
            l.check(total, Relation::equal, dims.mul(size, others), "elements to share among the sizes beside -1: found {0} and {1}");
            l.define(*inferred, size);
        } else {
            l.check(total, Relation::equal, others, "elements before and after: found {0} and {1}");
        }
        return as_ranked(l);
    }
    make_from_sizes(l, 1, total);
    l.open(y, Opened::flat);
    l.check(total, Relation::equal, l.shape(y)[0], "elements before and after: found {0} and {1}");
    KernelWriter k(l, "copy");
    loop::GroupId g = k.group("g", loop::Role::parallel, {total});
    const std::vector<Stride> dense = dense_strides(dims, l.shape(x));
    loop::ExprId value = k.read(x, {{g, dense}});
    k.store(y, {{g, dense}}, value);
    return k.finish();
}

Status shape_of(OpLowering& l) {
    l.shape_vector(l.result(), l.arg(0));
    return {};
}

Status transpose_last(OpLowering& l, const std::vector<int64_t>& perm) {
    ValueId x = l.arg(0), y = l.result();
    for (int64_t axis : perm)
        if (axis < -int64_t(perm.size())) return unsupported(l, "axis " + std::to_string(axis) + " in a perm of " + std::to_string(perm.size()) + " axes");
    l.check(l.dims().constant(int64_t(perm.size())), Relation::less_equal, l.rank(x), "perm has {0} axes, the tensor {1}");
    l.open(x, Opened::back, perm.size());
    std::vector<Dim> to = {l.shape(x)[0]};
    for (int64_t axis : perm) to.push_back(l.shape(x)[size_t(axis + int64_t(perm.size()) + 1)]);
    std::vector<ShapePart> parts;
    append_head(l, parts, x, perm.size());
    for (size_t i = 1; i < to.size(); ++i) parts.push_back({.number = to[i]});
    l.make(y, std::move(parts));
    l.open_as(y, std::move(to));
    return as_ranked(l);
}
Status transpose(OpLowering& l) {
    ValueId x = l.arg(0), y = l.result();
    const std::vector<int64_t> perm = l.integers("perm");
    if (!perm.empty() && std::ranges::all_of(perm, [](int64_t axis) { return axis < 0; })) return transpose_last(l, perm);
    l.check(l.dims().constant(int64_t(perm.size())), Relation::equal, l.rank(x), "perm has {0} axes, the tensor {1}");
    l.open(x, Opened::front, perm.size());
    std::vector<Dim> from = l.shape(x), to;
    from.pop_back();                                     // nothing is left after all axes
    for (int64_t axis : perm) {
        if (axis < 0 || size_t(axis) >= perm.size()) return unsupported(l, "axis " + std::to_string(axis) + " of an unknown rank");
        to.push_back(from[size_t(axis)]);
    }
    l.open_as(x, std::move(from));
    l.make(y, numbers(to));
    l.open_as(y, std::move(to));
    return as_ranked(l);
}

// x with one axis alone, whichever way it is counted: where that axis is in shape(x).
size_t open_axis(OpLowering& l, ValueId x, int64_t axis) {
    size_t count = size_t(axis < 0 ? -axis : axis + 1);
    l.check(l.dims().constant(int64_t(count)), Relation::less_equal, l.rank(x), "axis " + std::to_string(axis) + " is out of range for rank {1}");
    l.open(x, axis < 0 ? Opened::back : Opened::front, count);
    return axis < 0 ? 1 : count - 1;
}
// The shape of x with other extents at its one axis: opened as `opened`, made of its own parts otherwise.
void make_like(OpLowering& l, ValueId result, ValueId x, int64_t axis, std::vector<ShapePart> at_axis, std::vector<Dim> opened) {
    std::vector<ShapePart> parts;
    const std::vector<Dim>& extents = l.shape(x);
    if (axis < 0) append_head(l, parts, x, size_t(-axis));
    else for (size_t i = 0; i < size_t(axis); ++i) parts.push_back({.number = extents[i]});
    parts.insert(parts.end(), at_axis.begin(), at_axis.end());
    if (axis < 0) for (size_t i = 2; i < extents.size(); ++i) parts.push_back({.number = extents[i]});
    else append_tail(l, parts, x, size_t(axis) + 1);
    if (!l.ranked(result)) l.make(result, std::move(parts));
    l.open_as(result, std::move(opened));
}

Status concat(OpLowering& l) {
    if (!l.binding().groups[0].list) return as_ranked(l);
    int64_t axis = l.integer("axis");
    std::span<const ValueId> xs = l.args(0);
    Dim total = l.dims().constant(0);
    size_t at = 0;
    for (ValueId x : xs) {
        at = open_axis(l, x, axis);
        if (x != xs[0]) l.check_same_but(xs[0], x, axis, "concat: shapes differ off axis " + std::to_string(axis) + "{}");
        total = l.dims().add(total, l.shape(x)[at]);
    }
    std::vector<Dim> whole = l.shape(xs[0]);
    whole[at] = total;
    make_like(l, l.result(), xs[0], axis, {{.number = total}}, std::move(whole));
    return as_ranked(l);
}

Status split(OpLowering& l) {
    ValueId x = l.arg(0);
    int64_t axis = l.integer("axis");
    size_t at = open_axis(l, x, axis);
    Dim total = l.dims().constant(0);
    const std::vector<ValueId> results = l.binding().results;
    for (size_t i = 0; i < results.size(); ++i) {
        Dim size = l.size(l.args(1)[i]);
        std::vector<Dim> part = l.shape(x);
        part[at] = size;
        total = l.dims().add(total, size);
        make_like(l, results[i], x, axis, {{.number = size}}, std::move(part));
    }
    l.check(total, Relation::equal, l.shape(x)[at], "the sum of the sizes: found {0} and {1}");
    return as_ranked(l);
}

Status gather(OpLowering& l) {
    ValueId x = l.arg(0), ids = l.arg(1);
    int64_t axis = l.integer("axis");
    size_t at = open_axis(l, x, axis);
    l.open(ids, Opened::flat);
    std::vector<Dim> rows = l.shape(x);
    rows[at] = l.shape(ids)[0];
    std::vector<ShapePart> in_place;
    append_tail(l, in_place, ids, 0);
    make_like(l, l.result(), x, axis, std::move(in_place), std::move(rows));
    return as_ranked(l);
}

Status scatter(OpLowering& l) {
    ValueId x = l.arg(0), ids = l.arg(1), v = l.arg(2);
    int64_t axis = l.integer("axis");
    if (axis < 0 || !l.ranked(ids)) return unsupported(l, "an axis from the end, or ids of unknown rank, with values of unknown rank");
    size_t at = open_axis(l, x, axis), index = l.type(ids).shape.dims.size();
    l.check(l.rank(v), Relation::equal, l.dims().add(l.rank(x), l.dims().constant(int64_t(index) - 1)), "the rows to add have rank {0}, expected {1}");
    l.open(v, Opened::front, at + index);
    for (size_t i = 0; i < at + index; ++i)
        l.check(l.shape(v)[i], Relation::equal, i < at ? l.shape(x)[i] : l.type(ids).shape.dims[i - at],
                "axis " + std::to_string(i) + " of the rows to add: found {0} and {1}");
    l.check_tails(x, int64_t(at) + 1, v, int64_t(at + index), "the rows to add have other sizes than those of the tensor{}");
    std::vector<Dim> rows = l.shape(x);
    l.open(ids, Opened::flat);
    rows[at] = l.shape(ids)[0];
    l.open_as(v, std::move(rows));
    if (!l.ranked(l.result())) l.make(l.result(), {{.kind = Kind::tail, .value = x}});
    l.open_as(l.result(), l.shape(x));
    return as_ranked(l);
}

// The axes of slice and slice_update, all counted from one end; left out, the leading ones.
struct SlicedAxes { std::vector<int64_t> axes; size_t count = 0; bool back = false; };           // count: how many from there they need
Result<SlicedAxes> sliced_axes(OpLowering& l, size_t starts) {
    SlicedAxes out{.axes = l.integers("axes")};
    if (!find_attribute(l.binding(), "axes"))
        for (size_t i = 0; i < l.args(starts).size(); ++i) out.axes.push_back(int64_t(i));
    bool front = false;
    for (int64_t axis : out.axes) {
        (axis < 0 ? out.back : front) = true;
        out.count = std::max(out.count, size_t(axis < 0 ? -axis : axis + 1));
    }
    if (front && out.back) return unsupported(l, "axes from both ends of an unknown rank");
    const int64_t furthest = out.back ? -int64_t(out.count) : int64_t(out.count) - 1;
    l.check(l.dims().constant(int64_t(out.count)), Relation::less_equal, l.rank(l.arg(0)), "axis " + std::to_string(furthest) + " is out of range for rank {1}");
    return out;
}
Status slice_in_vectors(OpLowering& l) {
    ValueId x = l.arg(0);
    if (l.ranked(x)) l.open_as(x, l.type(x).shape.dims);
    else open_aligned(l, x);
    const Ranges ranges = ranges_in_vectors(l, 1, 2);
    std::vector<Dim> over;
    for (size_t i = 0; i < ranges.axes.size(); ++i) over.push_back(l.dims().sub(ranges.ends[i], ranges.starts[i]));
    std::vector<ShapePart> parts = numbers(over);
    parts.push_back({.kind = Kind::last, .number = l.rank(x)});
    l.make(l.result(), std::move(parts));
    l.open_as(l.result(), std::move(over));
    return lower_slice_of(l, ranges);
}
Status slice(OpLowering& l) {
    ValueId x = l.arg(0);
    if (!l.binding().groups[1].list || !l.binding().groups[2].list) return slice_in_vectors(l);
    const SlicedAxes sliced = TRY(sliced_axes(l, 1));
    l.open(x, sliced.back ? Opened::back : Opened::front, sliced.count);
    std::vector<Dim> over = l.shape(x);
    const size_t first = sliced.back ? 1 : 0;            // of the axes that were looked at
    for (size_t i = 0; i < sliced.axes.size(); ++i) {
        const size_t at = size_t(sliced.axes[i] + (sliced.back ? int64_t(over.size()) : 0));
        over[at] = l.dims().sub(l.size(l.args(2)[i]), l.size(l.args(1)[i]));
    }
    std::vector<ShapePart> parts;
    if (sliced.back) append_head(l, parts, x, sliced.count);
    const std::vector<ShapePart> looked_at = numbers(std::span(over).subspan(first, sliced.count));
    parts.insert(parts.end(), looked_at.begin(), looked_at.end());
    if (!sliced.back) append_tail(l, parts, x, sliced.count);
    l.make(l.result(), std::move(parts));
    l.open_as(l.result(), std::move(over));
    return as_ranked(l);
}
Status slice_update(OpLowering& l) {
    ValueId x = l.arg(0), v = l.arg(1), y = l.result();
    const bool overall = spoken_for(l.binding().attributes);         // it stands for a look at the shape of v
    l.check(l.rank(v), Relation::equal, l.rank(x), overall ? "expected rank {1}, found {0}" : "ranks differ: the tensor has {1}, the update {0}");
    if (!l.ranked(y)) l.make(y, {{.kind = Kind::tail, .value = x}});
    const bool in_vectors = !l.binding().groups[2].list;
    const SlicedAxes sliced = in_vectors ? SlicedAxes() : TRY(sliced_axes(l, 2));
    if (in_vectors || sliced.back) {
        open_aligned(l, x);
        open_aligned(l, v);
        l.open_as(y, l.shape(x));
        if (in_vectors) return as_ranked(l);
        for (size_t i = 0; i < aligned_axes; ++i)
            if (std::find(sliced.axes.begin(), sliced.axes.end(), int64_t(i) - int64_t(aligned_axes)) == sliced.axes.end())
                l.check(l.shape(v)[i], Relation::equal, l.shape(x)[i], "an axis without a start: the tensor has size {1}, the update {0}");
        return as_ranked(l);
    }
    l.open(x, Opened::front, sliced.count);
    l.open(v, Opened::front, sliced.count);
    for (size_t i = 0; i < sliced.count; ++i)
        if (std::find(sliced.axes.begin(), sliced.axes.end(), int64_t(i)) == sliced.axes.end())
            l.check(l.shape(v)[i], Relation::equal, l.shape(x)[i], "axis " + std::to_string(i) + " has no start: the tensor has size {1}, the update {0}");
    l.check_tails(x, int64_t(sliced.count), v, int64_t(sliced.count), overall ? "another shape than that of its value{}" : "axes without a start differ in size{}");
    l.open_as(y, l.shape(x));
    return as_ranked(l);
}

// Elements of a tensor that has been made, in a tensor of another shape.
Status copy_elements(OpLowering& l, ValueId from, ValueId to) {
    l.open(from, Opened::flat);
    const std::vector<Dim> all = l.shape(from);
    KernelWriter k(l, "copy");
    loop::GroupId g = k.group("g", loop::Role::parallel, all);
    const std::vector<Stride> dense = dense_strides(l.dims(), all);
    loop::ExprId value = k.read(from, {{g, dense}});
    k.store(to, {{g, dense}}, value);
    return k.finish();
}

// The same bytes read as another dtype, then written where the result is.
Status bit_cast(OpLowering& l) {
    ValueId x = l.arg(0), y = l.result();
    if (!is_float(l.dtype(x)) && !is_float(l.dtype(y))) return elementwise(l);
    l.make(y, {{.kind = Kind::tail, .value = x}});
    l.open(x, Opened::flat);
    const ValueId bits = l.temporary(l.dtype(y), l.shape(x));
    l.view(bits, x);
    return copy_elements(l, bits, y);
}

// Axes that are elements of a vector: the result with its axes kept as 1 says which ones go.
Status fold_along(OpLowering& l, ValueId axes) {
    ValueId x = l.arg(0), y = l.result();
    Dims& dims = l.dims();
    const Dim zero = dims.constant(0), one = dims.constant(1);
    std::vector<ShapePart> parts;
    append_tail(l, parts, x, 0);
    std::vector<ShapePart> closed = parts;
    parts.push_back({.kind = Kind::ones, .value = axes});
    closed.push_back({.kind = Kind::without, .value = axes});
    const bool keep = l.boolean("keepdims");
    const ValueId kept = keep ? y : l.unranked_temporary(l.dtype(y));
    l.make(kept, std::move(parts));
    open_aligned(l, x);
    open_aligned(l, kept);
    const std::vector<Dim> stay = l.shape(kept);
    std::vector<Dim> go;
    for (size_t i = 0; i < aligned_axes; ++i) {
        const Dim positive[] = {stay[i], one}, empty[] = {dims.sub(one, stay[i]), zero};     // an axis of size 0 that stays goes once
        go.push_back(dims.add(dims.floor_div(l.shape(x)[i], dims.max(positive)), dims.max(empty)));
    }
    TRY(lower_fold_into(l, kept, stay, go));
    if (keep) return {};
    l.make(y, std::move(closed));
    return copy_elements(l, kept, y);
}
Status fold(OpLowering& l) {
    ValueId x = l.arg(0), y = l.result();
    bool keep = l.boolean("keepdims");
    Dim one = l.dims().constant(1);
    if (!l.has(1) && !l.binding().groups[1].list) {
        if (!l.ranked(y)) {                              // every axis stays, with extent 1
            std::vector<ShapePart> parts = numbers(std::vector<Dim>(64, one));
            parts.push_back({.kind = Kind::last, .number = l.rank(x)});
            l.make(y, std::move(parts));
        }
        l.open(x, Opened::flat);
        return as_ranked(l);
    }
    if (!l.binding().groups[1].list) return fold_along(l, l.arg(1));
    if (l.ranked(x)) return as_ranked(l);                // axes at run time
    std::vector<int64_t> axes;
    bool front = false, back = false;
    for (ValueId v : l.args(1)) {
        std::optional<int64_t> axis = l.known(v).valid() ? l.dims().constant_value(l.known(v)) : std::nullopt;
        if (!axis) return fold_along(l, vector_of(l, 1));
        axes.push_back(*axis);
        (*axis < 0 ? back : front) = true;
    }
    if (front && back) return fold_along(l, vector_of(l, 1));
    size_t count = 0;
    for (int64_t axis : axes) count = std::max(count, size_t(axis < 0 ? -axis : axis + 1));
    const int64_t furthest = back ? -int64_t(count) : int64_t(count) - 1;
    l.check(l.dims().constant(int64_t(count)), Relation::less_equal, l.rank(x), "axis " + std::to_string(furthest) + " is out of range for rank {1}");
    l.open(x, back ? Opened::back : Opened::front, count);
    const std::vector<Dim> extents = l.shape(x);
    std::vector<ShapePart> parts;
    if (back) append_head(l, parts, x, count);
    for (size_t i = 0; i < count; ++i) {
        bool gone = std::find(axes.begin(), axes.end(), back ? int64_t(i) - int64_t(count) : int64_t(i)) != axes.end();
        if (!gone) parts.push_back({.number = extents[back ? i + 1 : i]});
        else if (keep) parts.push_back({.number = one});
    }
    if (!back) append_tail(l, parts, x, count);
    l.make(y, std::move(parts));
    return as_ranked(l);
}

Status place(OpLowering& l) {
    ValueId x = l.arg(0);
    const int64_t axis = l.integer("axis");
    const size_t at = open_axis(l, x, axis);
    const Dim one = l.dims().constant(1);
    l.check(one, Relation::less_equal, l.shape(x)[at], std::string(no_element) + "{}");
    std::vector<Dim> rest = l.shape(x);
    rest[at] = one;
    make_like(l, l.result(), x, axis, l.boolean("keepdims") ? numbers(std::span(&one, 1)) : std::vector<ShapePart>(), std::move(rest));
    return as_ranked(l);
}

Status topk(OpLowering& l) {
    ValueId x = l.arg(0);
    int64_t axis = l.integer("axis");
    size_t at = open_axis(l, x, axis);
    Dim k = l.size(l.arg(1)), extent = l.shape(x)[at];
    l.check(k, Relation::greater_equal, l.dims().constant(0), "k={0} is negative");
    l.check(k, Relation::less_equal, extent, "k={0} is out of range for axis " + std::to_string(axis) + " of size {1}");
    for (ValueId result : l.binding().results) {
        std::vector<Dim> chosen = l.shape(x);
        chosen[at] = k;
        make_like(l, result, x, axis, {{.number = k}}, std::move(chosen));
    }
    return as_ranked(l);
}

Status fft(OpLowering& l) {
    ValueId x = l.arg(0), y = l.result();
    const Dim two = l.dims().constant(2);
    l.check(two, Relation::less_equal, l.rank(x), few_complex_axes("{1}"));
    l.open(x, Opened::back, 2);
    l.check(l.shape(x)[2], Relation::equal, two, no_complex_parts("{0}"));
    if (!l.ranked(y)) l.make(y, {{.kind = Kind::tail, .value = x}});
    l.open_as(y, l.shape(x));
    return as_ranked(l);
}

// Of all elements, wherever they are.
Status str_order(OpLowering& l) {
    ValueId x = l.arg(0), y = l.result();
    l.open(x, Opened::flat);
    if (!l.ranked(y)) l.make(y, {{.kind = Kind::tail, .value = x}});
    l.open_as(y, l.shape(x));
    return as_ranked(l);
}

// Coordinates along axes that are not there are 0 and come first: the rest is the result.
Status nonzero(OpLowering& l) {
    ValueId c = l.arg(0), y = l.result();
    Dims& dims = l.dims();
    const std::vector<Dim> shape = l.shape(y);
    Dim rank = l.rank(c), found = shape[1];
    open_aligned(l, c);
    ValueId all = l.temporary(DType::i64, {dims.constant(aligned_axes), found});
    TRY(lower_nonzero_into(l, all));
    if (std::optional<Sym> symbol = dims.as_symbol(shape[0])) l.define(*symbol, rank);
    KernelWriter k(l, "copy");
    loop::GroupId g = k.group("g", loop::Role::parallel, shape);
    const std::vector<Stride> dense = dense_strides(dims, shape);
    Dim before = dims.sub(dims.constant(aligned_axes), rank);
    loop::ExprId value = k.read(all, {{g, dense}}, {k.offset(before, found, dims.constant(aligned_axes + 1))});
    k.store(y, {{g, dense}}, value);
    return k.finish();
}

// A vector on the left is a row and one on the right a column, and the result loses that axis again.
Status matmul(OpLowering& l) {
    ValueId a = l.arg(0), b = l.arg(1), y = l.result();
    Dims& dims = l.dims();
    Dim one = dims.constant(1), two = dims.constant(2), rank_a = l.rank(a), rank_b = l.rank(b);
    open_aligned(l, a);
    open_aligned(l, b);
    l.check(one, Relation::less_equal, rank_a, "a tensor of rank {1} has no axis to contract");
    l.check(one, Relation::less_equal, rank_b, "a tensor of rank {1} has no axis to contract");
    auto is_vector = [&](Dim rank) {
        Dim either[] = {dims.sub(two, rank), dims.constant(0)};
        return dims.max(either);
    };
    Dim row = is_vector(rank_a), column = is_vector(rank_b);
    std::vector<Dim> left = l.shape(a), right = l.shape(b);
    size_t k = aligned_axes - 2, n = aligned_axes - 1;
    Dim last = right[n];
    right[k] = dims.add(right[k], dims.mul(column, dims.sub(last, right[k])));
    right[n] = dims.add(last, dims.mul(column, dims.sub(one, last)));
    l.open_as(b, right);
    l.check(left[n], Relation::equal, right[k], "inner dims: found {0} and {1}");
    std::vector<Dim> out;
    for (size_t i = 0; i < k; ++i) {
        Dim pair[] = {left[i], right[i]};
        l.check(left[i], Relation::compatible, right[i], misfit);
        out.push_back(dims.bcast(pair));
    }
    std::vector<ShapePart> parts = numbers(out);
    Dim batches[] = {dims.sub(rank_a, two), dims.sub(rank_b, two), dims.constant(0)};
    parts.push_back({.kind = Kind::unless, .number = left[k], .flag = row});
    parts.push_back({.kind = Kind::unless, .number = right[n], .flag = column});
    parts.push_back({.kind = Kind::last,
                     .number = dims.sub(dims.add(dims.max(batches), two), dims.add(row, column))});
    l.make(y, std::move(parts));
    out.push_back(left[k]);
    out.push_back(right[n]);
    l.open_as(y, std::move(out));
    return as_ranked(l);
}

struct Row { std::string_view op; Status (*lower)(OpLowering&); };
constexpr Row rows[] = {
    {"sum", fold}, {"prod", fold}, {"max", fold}, {"min", fold}, {"argmax", place}, {"argmin", place},
    {"sum_to", sum_to}, {"matmul", matmul}, {"matmul_i32", matmul}, {"reshape", reshape}, {"broadcast_to", broadcast_to},
    {"transpose", transpose}, {"concat", concat}, {"split", split}, {"shape_of", shape_of}, {"full", full}, {"random", random},
    {"topk", topk}, {"fft", fft}, {"str_order", str_order}, {"nonzero", nonzero}, {"gather", gather}, {"scatter_add", scatter}, {"scatter", scatter}, {"scatter_mul", scatter},
    {"scatter_max", scatter}, {"scatter_min", scatter}, {"slice", slice}, {"slice_update", slice_update},
    {"bit_cast", bit_cast}, {"windows", lower_windows_unranked}, {"fold_windows", lower_fold_windows_unranked}, {"conv", lower_conv_unranked},
    {"conv_input", lower_conv_input_unranked}, {"conv_weight", lower_conv_weight_unranked},
};
} // namespace

Status lower_unranked(OpLowering& l) {
    std::string_view name = l.binding().op->name;
    for (const Row& row : rows)
        if (row.op == name) return row.lower(l);
    if (is_elementwise(*l.binding().op)) return elementwise(l);
    return unsupported(l, "a value of unknown rank");
}
} // namespace nereus
