// Parts of a tensor: offsets and indices are added to the address, and checked where a kernel could be led astray.
#include "ops/lowers.h"

namespace nereus {
namespace {
std::vector<size_t> sliced_axes(OpLowering& l, size_t count) {
    std::vector<size_t> axes;
    if (find_attribute(l.binding(), "axes"))
        for (int64_t axis : l.integers("axes")) axes.push_back(size_t(axis < 0 ? axis + int64_t(l.shape(l.arg(0)).size()) : axis));
    else
        for (size_t i = 0; i < count; ++i) axes.push_back(i);
    return axes;
}
size_t axis_of(OpLowering& l) {
    int64_t axis = l.integer("axis"), rank = int64_t(l.shape(l.arg(0)).size());
    return size_t(axis < 0 ? axis + rank : axis);
}
// Indices of rows without elements: no loop comes by that would look at them. Numbers known as sizes have been checked.
Status check_unread(OpLowering& l, KernelWriter& reader, ValueId ids, Dim size, const std::vector<Dim>& others) {
    Dims& dims = l.dims();
    Dim elements = dims.product(others);
    if (std::optional<int64_t> count = dims.constant_value(elements); count && *count > 0) return {};
    if (l.is_number(ids) && l.known(ids).valid() && l.ranked(l.arg(0))) return {};
    const Dim one = dims.constant(1), ends[] = {elements, one};
    std::vector<Dim> over = l.shape(ids);
    std::vector<Stride> strides = dense_strides(dims, over);
    over.push_back(dims.sub(one, dims.min(ends)));       // 1 without elements, else 0: nothing is done, nothing needed
    strides.push_back({dims.constant(0), {}});
    ValueId looked_at = l.temporary(l.dtype(ids), over);
    KernelWriter k(l, "check_index");
    loop::GroupId g = k.group("g", loop::Role::parallel, over);
    loop::ExprId id = k.read(ids, {{g, strides}});
    k.store(looked_at, {{g, dense_strides(dims, over)}}, id, {k.at(id, dims.constant(0), size)});
    reader.after(looked_at);
    return k.finish();
}
std::vector<Dim> without(std::vector<Dim> extents, size_t axis) {
    extents.erase(extents.begin() + ptrdiff_t(axis));
    return extents;
}
} // namespace

ValueId vector_of(OpLowering& l, size_t param) {
    if (!l.binding().groups[param].list) return l.arg(param);
    std::vector<Dim> numbers;
    for (ValueId v : l.args(param)) numbers.push_back(l.size(v));
    const ValueId vector = l.temporary(DType::i64, {l.dims().constant(int64_t(numbers.size()))});
    l.numbers(vector, std::move(numbers));
    return vector;
}
Ranges ranges_in_vectors(OpLowering& l, size_t starts, std::optional<size_t> ends) {
    Dims& dims = l.dims();
    const std::vector<Dim> shape = l.shape(l.arg(0));
    const Dim rank = l.rank(l.arg(0)), absent = dims.sub(dims.constant(int64_t(shape.size())), rank);
    const ValueId from = vector_of(l, starts), to = ends ? vector_of(l, *ends) : ValueId();
    const Dim count = l.shape(from)[0];
    if (ends) l.check(count, Relation::equal, l.shape(to)[0], "{0} starts for {1} ends");
    l.check(count, Relation::less_equal, rank, "{0} starts for rank {1}");
    Ranges ranges;
    for (size_t i = 0; i < shape.size(); ++i) {
        const Dim index = dims.sub(dims.constant(int64_t(i)), absent);
        ranges.axes.push_back(i);
        ranges.starts.push_back(l.element(from, index, dims.constant(0)));
        if (ends) ranges.ends.push_back(l.element(to, index, shape[i]));
    }
    return ranges;
}

Status lower_slice_of(OpLowering& l, const Ranges& ranges) {
    ValueId x = l.arg(0), y = l.result();
    Dims& dims = l.dims();
    const std::vector<Dim> from = l.shape(x), over = l.shape(y);
    std::vector<Stride> strides = dense_strides(dims, from);
    KernelWriter k(l, "slice");
    loop::GroupId g = k.group("g", loop::Role::parallel, over);
    std::vector<loop::Indirect> at;
    for (size_t i = 0; i < ranges.axes.size(); ++i) {
        const Dim start = ranges.starts[i], end = ranges.ends[i], extent = from[ranges.axes[i]];
        if (!ranges.checked) {
            l.check(dims.constant(0), Relation::less_equal, start, "a range begins at {1}, below 0");
            l.check(start, Relation::less_equal, end, "a range begins at {0}, beyond its end {1}");
            l.check(end, Relation::less_equal, extent, "a range ends at {0}, beyond size {1}");
        }
        at.push_back(k.offset(start, strides[ranges.axes[i]].step, extent));
    }
    loop::ExprId value = k.read(x, {{g, strides}}, std::move(at));
    k.store(y, {{g, dense_strides(dims, over)}}, value);
    return k.finish();
}
Status lower_slice(OpLowering& l) {
    Ranges ranges{.axes = sliced_axes(l, l.args(1).size()), .starts = {}, .ends = {}, .checked = l.ranked(l.arg(0))};
    for (ValueId start : l.args(1)) ranges.starts.push_back(l.size(start));
    for (ValueId end : l.args(2)) ranges.ends.push_back(l.size(end));
    return lower_slice_of(l, ranges);
}

Status lower_slice_update_of(OpLowering& l, const Ranges& ranges) {
    ValueId x = l.arg(0), v = l.arg(1), y = l.result();
    Dims& dims = l.dims();
    const std::vector<Dim> whole = l.shape(x), over = l.shape(v);
    std::vector<Stride> strides = dense_strides(dims, whole);
    KernelWriter k(l, "slice_update");
    loop::GroupId g = k.group("g", loop::Role::parallel, over);
    std::vector<loop::Indirect> at;
    for (size_t i = 0; i < ranges.axes.size(); ++i) {
        const Dim start = ranges.starts[i], extent = whole[ranges.axes[i]];
        if (!ranges.checked) {
            l.check(dims.constant(0), Relation::less_equal, start, "a range begins at {1}, below 0");
            const Dim end = dims.add(start, over[ranges.axes[i]]);
            l.check(end, Relation::less_equal, extent, "a range ends at {0}, beyond size {1}");
        }
        at.push_back(k.offset(start, strides[ranges.axes[i]].step, extent));
    }
    loop::ExprId value = k.read(v, {{g, dense_strides(dims, over)}});
    k.store(y, {{g, strides}}, value, std::move(at));
    l.copy(y, x);                                        // behind the checks: what makes a result is then free to write it in place
    return k.finish();
}
Status lower_slice_update_in_vectors(OpLowering& l) {
    Dims& dims = l.dims();
    const std::vector<Dim> x = l.shape(l.arg(0)), v = l.shape(l.arg(1));
    const Ranges ranges = ranges_in_vectors(l, 2, {});
    const Dim one = dims.constant(1), axes = dims.constant(int64_t(x.size()));
    const Dim first_whole = dims.add(dims.sub(axes, l.rank(l.arg(0))), l.shape(l.arg(2))[0]);
    for (size_t i = 0; i < x.size(); ++i) {
        const Dim behind[] = {dims.sub(dims.constant(int64_t(i) + 1), first_whole), dims.constant(0)}, whole[] = {dims.max(behind), one};
        const Dim is_whole = dims.min(whole);
        l.check(dims.mul(is_whole, v[i]), Relation::equal, dims.mul(is_whole, x[i]), "an axis without a start: the tensor has size {1}, the update {0}");
    }
    return lower_slice_update_of(l, ranges);
}
Status lower_slice_update(OpLowering& l) {
    if (!l.binding().groups[2].list) return lower_slice_update_in_vectors(l);
    const bool checked = l.ranked(l.arg(0)) && l.ranked(l.arg(1));
    Ranges ranges{.axes = sliced_axes(l, l.args(2).size()), .starts = {}, .ends = {}, .checked = checked};
    for (ValueId start : l.args(2)) ranges.starts.push_back(l.size(start));
    return lower_slice_update_of(l, ranges);
}

Status lower_gather(OpLowering& l) {
    ValueId x = l.arg(0), ids = l.arg(1), y = l.result();
    Dims& dims = l.dims();
    const std::vector<Dim> from = l.shape(x), index = l.shape(ids), over = l.shape(y);
    size_t axis = axis_of(l);
    std::vector<Stride> dense_x = dense_strides(dims, from), dense_ids = dense_strides(dims, index);
    Stride none{dims.constant(0), {}};
    std::vector<Stride> in_x(over.size(), none), in_ids(over.size(), none);
    for (size_t i = 0; i < over.size(); ++i) {
        if (i < axis) in_x[i] = dense_x[i];
        else if (i < axis + index.size()) in_ids[i] = dense_ids[i - axis];
        else in_x[i] = dense_x[i - index.size() + 1];
    }
    KernelWriter k(l, "gather");
    TRY(check_unread(l, k, ids, from[axis], without(from, axis)));
    loop::GroupId g = k.group("g", loop::Role::parallel, over);
    loop::ExprId id = k.read(ids, {{g, in_ids}});
    loop::ExprId value = k.read(x, {{g, in_x}}, {k.at(id, dense_x[axis].step, from[axis])});
    k.store(y, {{g, dense_strides(dims, over)}}, value);
    return k.finish();
}

Status lower_scatter_by(OpLowering& l, loop::Update update) {
    ValueId x = l.arg(0), ids = l.arg(1), v = l.arg(2), y = l.result();
    Dims& dims = l.dims();
    const std::vector<Dim> whole = l.shape(x), index = l.shape(ids), part = l.shape(v);
    size_t axis = axis_of(l);
    std::vector<Stride> dense_y = dense_strides(dims, whole), dense_v = dense_strides(dims, part);
    std::vector<Dim> others;
    std::vector<Stride> y_others, v_others, v_ids;
    for (size_t i = 0; i < part.size(); ++i) {
        if (i >= axis && i < axis + index.size()) { v_ids.push_back(dense_v[i]); continue; }
        others.push_back(part[i]);
        v_others.push_back(dense_v[i]);
        y_others.push_back(dense_y[i < axis ? i : i - index.size() + 1]);
    }
    KernelWriter k(l, std::string(l.binding().op->name));
    TRY(check_unread(l, k, ids, whole[axis], others));
    loop::GroupId g = k.group("g", loop::Role::parallel, others), j = k.group("j", loop::Role::sequential, index);
    loop::ExprId id = k.read(ids, {{j, dense_strides(dims, index)}});
    loop::ExprId value = k.read(v, {{g, v_others}, {j, v_ids}});
    loop::BufferId out = k.output(y, {{g, y_others}});
    k.builder().accumulate(update, out, {g}, {k.at(id, dense_y[axis].step, whole[axis])}, value);
    l.copy(y, x);
    return k.finish();
}

Status lower_nonzero(OpLowering& l) { return lower_nonzero_into(l, l.result()); }

Status lower_nonzero_into(OpLowering& l, ValueId y) {
    ValueId c = l.arg(0);
    Dims& dims = l.dims();
    const std::vector<Dim> over = l.shape(c);
    Dim found = l.shape(y)[1];
    std::optional<Sym> late = dims.as_symbol(found);
    invariant(late.has_value(), "nonzero defines a late dim");
    std::vector<Stride> dense = dense_strides(dims, over);
    auto is_set = [&](KernelWriter& k, loop::GroupId g) {
        loop::ExprId value = k.read(c, {{g, dense}});
        DType t = l.dtype(c);
        return t == DType::boolean ? value : k.builder().apply(loop::Op::ne, value, k.builder().number(t, 0));
    };
    KernelWriter count(l, "count");
    loop::GroupId g = count.group("g", loop::Role::sequential, over);
    count.builder().count(is_set(count, g));
    count.gives_late(*late);
    TRY(count.finish());

    KernelWriter fill(l, "nonzero");
    loop::GroupId h = fill.group("g", loop::Role::sequential, over);
    loop::ExprId where = is_set(fill, h);
    loop::BufferId out = fill.output(y, {});
    fill.builder().compact_coordinates(where, out, fill.size(found));
    return fill.finish();
}
} // namespace nereus
