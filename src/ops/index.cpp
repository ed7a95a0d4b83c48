// ops/index.cpp - parts of a tensor: by range, by index, by condition. Out of range is an error; nothing wraps.
#include "ops/axes.h"
#include "ops/elements.h"
#include "ops/families.h"
#include "ops/lowers.h"
#include "ops/speaker.h"
#include <cstring>

namespace nereus {
namespace {
// A box inside x: its corner and shape, from starts and ends along some axes; the other axes are whole.
struct Box { Extents start, shape; };
Result<std::vector<int64_t>> box_axes(const EvalArgs& args, size_t count) {
    std::vector<int64_t> axes = args.integers("axes").value_or(Extents());
    if (!args.integers("axes"))
        for (size_t i = 0; i < count; ++i) axes.push_back(int64_t(i));
    if (axes.size() != count)
        return Error{Code::shape, std::to_string(axes.size()) + " axes for " + std::to_string(count) + " starts"};
    return checked_axes(axes, args.tensor(0).rank());
}
Status check_range(int64_t start, int64_t end, int64_t size) {
    if (start < 0) return Error{Code::shape, "a range begins at " + std::to_string(start) + ", below 0"};
    if (start > end) return Error{Code::shape, "a range begins at " + std::to_string(start) + ", beyond its end " + std::to_string(end)};
    if (end > size) return Error{Code::shape, "a range ends at " + std::to_string(end) + ", beyond size " + std::to_string(size)};
    return {};
}

// Row-major strides of x, with the box's corner as origin.
struct BoxMap { int64_t origin = 0; IndexMap map; };
BoxMap map_into(const HostTensor& x, const Box& box) {
    std::vector<int64_t> strides = row_major_strides(x.shape());
    int64_t origin = 0;
    for (size_t i = 0; i < strides.size(); ++i) origin += box.start[i] * strides[i];
    return {origin, IndexMap(box.shape, std::move(strides))};
}

Result<Tensors> slice_eval(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    const std::vector<int64_t>&starts = args.sizes[1], &ends = args.sizes[2];
    if (starts.size() != ends.size())
        return Error{Code::shape, std::to_string(starts.size()) + " starts for " + std::to_string(ends.size()) + " ends"};
    std::vector<int64_t> axes = TRY(box_axes(args, starts.size()));
    Box box{Extents(x.shape().size(), 0), x.shape()};
    for (size_t i = 0; i < axes.size(); ++i) {
        int64_t size = x.shape()[size_t(axes[i])];
        TRY(check_range(starts[i], ends[i], size));
        box.start[size_t(axes[i])] = starts[i], box.shape[size_t(axes[i])] = ends[i] - starts[i];
    }
    HostTensor y = TRY(HostTensor::make(x.dtype(), box.shape));
    BoxMap from = map_into(x, box);
    size_t size = size_t(size_of(x.dtype()));
    std::byte* out = TRY(y.mutable_bytes());
    for (int64_t i = 0; i < y.count(); ++i)
        std::memcpy(out + size_t(i) * size, x.bytes() + size_t(from.origin + from.map(i)) * size, size);
    return Tensors{std::move(y)};
}

Result<Tensors> slice_update_eval(const EvalArgs& args) {
    const HostTensor &x = args.tensor(0), &v = args.tensor(1);
    const std::vector<int64_t>& starts = args.sizes[2];
    std::vector<int64_t> axes = TRY(box_axes(args, starts.size()));
    const bool overall = spoken_for(args.attributes);    // it stands for a look at the shape of v
    if (v.rank() != x.rank())
        return Error{Code::shape, overall ? "expected rank " + std::to_string(x.rank()) + ", found " + std::to_string(v.rank())
                                          : "ranks differ: the tensor has " + std::to_string(x.rank()) + ", the update " + std::to_string(v.rank())};
    Box box{Extents(x.shape().size(), 0), v.shape()};
    std::vector<bool> given(x.shape().size(), false);
    for (size_t i = 0; i < axes.size(); ++i) {
        int64_t size = x.shape()[size_t(axes[i])], length = v.shape()[size_t(axes[i])];
        const int64_t end = starts[i] > INT64_MAX - length ? INT64_MAX : starts[i] + length;
        TRY(check_range(starts[i], end, size));
        box.start[size_t(axes[i])] = starts[i], given[size_t(axes[i])] = true;
    }
    for (size_t i = 0; i < given.size(); ++i)
        if (!given[i] && v.shape()[i] != x.shape()[i])
            return Error{Code::shape, "axis " + std::to_string(i) +
                                          (overall ? " is " + std::to_string(v.shape()[i]) + ", expected " + std::to_string(x.shape()[i])
                                                   : " has no start: the tensor has size " + std::to_string(x.shape()[i]) + ", the update " +
                                                         std::to_string(v.shape()[i]))};
    HostTensor y = x;
    BoxMap into = map_into(x, box);
    size_t size = size_t(size_of(x.dtype()));
    std::byte* out = TRY(y.mutable_bytes());
    for (int64_t i = 0; i < v.count(); ++i)
        std::memcpy(out + size_t(into.origin + into.map(i)) * size, v.bytes() + size_t(i) * size, size);
    return Tensors{std::move(y)};
}

Status check_ids(const HostTensor& ids, int64_t size) {
    for (int64_t i = 0; i < ids.count(); ++i) {
        const int64_t id = ids.as_i64(i);
        if (id < 0) return Error{Code::value, "index " + std::to_string(id) + " is negative"};
        if (id >= size) return Error{Code::value, "index " + std::to_string(id) + " is out of range for size " + std::to_string(size)};
    }
    return {};
}
// The shape of x with `axis` replaced by the axes of ids.
Extents gathered_shape(const HostTensor& x, const HostTensor& ids, int64_t axis) {
    Extents shape(x.shape().begin(), x.shape().begin() + axis);
    shape.insert(shape.end(), ids.shape().begin(), ids.shape().end());
    shape.insert(shape.end(), x.shape().begin() + axis + 1, x.shape().end());
    return shape;
}

Result<Tensors> gather_eval(const EvalArgs& args) {
    const HostTensor &x = args.tensor(0), &ids = args.tensor(1);
    int64_t axis = TRY(checked_axis(args.integer("axis"), x.rank()));
    Sides sides = sides_of(x.shape(), axis);
    TRY(check_ids(ids, sides.size));
    HostTensor y = TRY(HostTensor::make(x.dtype(), gathered_shape(x, ids, axis)));
    int64_t row = sides.after * size_of(x.dtype());
    std::byte* out = TRY(y.mutable_bytes());
    if (y.count() == 0) return Tensors{std::move(y)};
    for (int64_t i = 0; i < sides.before; ++i)
        for (int64_t j = 0; j < ids.count(); ++j)
            std::memcpy(out + (i * ids.count() + j) * row, x.bytes() + (i * sides.size + ids.as_i64(j)) * row, size_t(row));
    return Tensors{std::move(y)};
}

// The first axes are blamed one by one; the rest is what a row of the tensor is.
Status check_rows(const Extents& rows, const Extents& expected, int64_t first) {
    if (rows.size() != expected.size())
        return Error{Code::shape, "the rows to add have rank " + std::to_string(rows.size()) + ", expected " + std::to_string(expected.size())};
    for (size_t i = 0; i < size_t(first); ++i)
        if (rows[i] != expected[i])
            return Error{Code::shape, "axis " + std::to_string(i) + " of the rows to add: found " + std::to_string(rows[i]) + " and " + std::to_string(expected[i])};
    if (rows != expected) return Error{Code::shape, "the rows to add have other sizes than those of the tensor"};
    return {};
}

// Where the elements of v go, in order: x has been looked at.
struct ScatterMap {
    Sides sides;
    const HostTensor& ids;
    size_t operator()(int64_t i) const {
        int64_t after = i % sides.after, id = i / sides.after % ids.count(), before = i / sides.after / ids.count();
        return size_t((before * sides.size + ids.as_i64(id)) * sides.after + after);
    }
};
Result<ScatterMap> scatter_map(const EvalArgs& args) {
    const HostTensor &x = args.tensor(0), &ids = args.tensor(1), &v = args.tensor(2);
    int64_t axis = TRY(checked_axis(args.integer("axis"), x.rank()));
    ScatterMap to{sides_of(x.shape(), axis), ids};
    TRY(check_rows(v.shape(), gathered_shape(x, ids, axis), axis + ids.rank()));
    TRY(check_ids(ids, to.sides.size));
    return to;
}

Result<Tensors> scatter_add_eval(const EvalArgs& args) {
    const HostTensor &x = args.tensor(0), &v = args.tensor(2);
    ScatterMap to = TRY(scatter_map(args));
    HostTensor y = TRY(HostTensor::make(x.dtype(), x.shape()));
    return with_number(x.dtype(), [&](auto zero) -> Result<Tensors> {
        using T = decltype(zero);
        std::vector<WideOf<T>> sums(x.data<T>().begin(), x.data<T>().end());
        for (int64_t i = 0; i < v.count(); ++i) {
            WideOf<T>& sum = sums[to(i)];
            sum = add_up(sum, WideOf<T>(v.data<T>()[size_t(i)]));
        }
        std::span<T> out = TRY(y.mutable_data<T>());
        for (size_t i = 0; i < sums.size(); ++i) out[i] = T(sums[i]);
        return Tensors{std::move(y)};
    });
}

Result<Tensors> scatter_set_eval(const EvalArgs& args) {
    const HostTensor& v = args.tensor(2);
    ScatterMap to = TRY(scatter_map(args));
    HostTensor y = args.tensor(0);
    const size_t size = size_t(size_of(y.dtype()));
    std::byte* out = TRY(y.mutable_bytes());
    for (int64_t i = 0; i < v.count(); ++i) std::memcpy(out + to(i) * size, v.bytes() + size_t(i) * size, size);
    return Tensors{std::move(y)};
}

// One update after the other, each rounded: so does compiled code.
template <class Update> Result<Tensors> scatter_eval(const EvalArgs& args) {
    const HostTensor& v = args.tensor(2);
    ScatterMap to = TRY(scatter_map(args));
    HostTensor y = args.tensor(0);
    return with_number(y.dtype(), [&](auto zero) -> Result<Tensors> {
        using T = decltype(zero);
        std::span<T> out = TRY(y.mutable_data<T>());
        for (int64_t i = 0; i < v.count(); ++i) {
            T& element = out[to(i)];
            element = T(Update()(WideOf<T>(element), WideOf<T>(v.data<T>()[size_t(i)])));
        }
        return Tensors{std::move(y)};
    });
}
struct Multiply { template <class W> W operator()(W old, W value) const { return multiply(old, value); } };
struct Larger { template <class W> W operator()(W old, W value) const { return larger(old, value); } };
struct Smaller { template <class W> W operator()(W old, W value) const { return smaller(old, value); } };

Result<Tensors> nonzero_eval(const EvalArgs& args) {
    const HostTensor& c = args.tensor(0);
    std::vector<int64_t> found;
    for (int64_t i = 0; i < c.count(); ++i)
        if (c.as_f64(i) != 0) found.push_back(i);        // no integer becomes 0 in f64 but 0
    HostTensor y = TRY(HostTensor::make(DType::i64, {c.rank(), int64_t(found.size())}));
    std::span<int64_t> out = TRY(y.mutable_data<int64_t>());
    std::vector<int64_t> strides = row_major_strides(c.shape());
    for (size_t axis = 0; axis < strides.size(); ++axis)
        for (size_t j = 0; j < found.size(); ++j)
            out[axis * found.size() + j] = found[j] / strides[axis] % c.shape()[axis];
    return Tensors{std::move(y)};
}

constexpr OpParam slice_params[] = {
    {"x"}, {"starts", ParamKind::sizes}, {"ends", ParamKind::sizes}, {"axes", ParamKind::integers, true}};
constexpr OpParam slice_update_params[] = {
    {"x"}, {"v"}, {"starts", ParamKind::sizes}, {"axes", ParamKind::integers, true}};
constexpr OpParam gather_params[] = {{"x"}, {"ids"}, {"axis", ParamKind::integer, true, 0}};
constexpr OpParam scatter_params[] = {{"x"}, {"ids"}, {"v"}, {"axis", ParamKind::integer, true, 0}};
constexpr OpParam nonzero_params[] = {{"c"}};

constexpr OpDef rows[] = {
    {.name = "slice", .doc = "x[start:end] along axes, half-open; axes left out are the leading ones",
     .params = slice_params, .scheme = "any a: a -> a", .eval = slice_eval,
     .lower = lower_slice},
    {.name = "slice_update", .doc = "x with v written over its part that begins at starts", .params = slice_update_params,
     .scheme = "any a: a, a -> a", .eval = slice_update_eval,
     .lower = lower_slice_update},
    {.name = "gather", .doc = "rows of x along axis, one per element of ids; that axis becomes the axes of ids",
     .params = gather_params, .scheme = "any a, int b: a, b -> a", .effect = Effect::may_fail, .eval = gather_eval,
     .lower = lower_gather},
    {.name = "scatter_add", .doc = "x with each row of v added to the row of x that ids names; repeated ids add up",
     .params = scatter_params, .scheme = "num a, int b: a, b, a -> a", .effect = Effect::may_fail,
     .eval = scatter_add_eval, .ulps = sum_bound,
     .lower = lower_scatter<loop::Update::add>},
    {.name = "scatter", .doc = "x with each row of v written over the row of x that ids names; of repeated ids the last counts",
     .params = scatter_params, .scheme = "any a, int b: a, b, a -> a", .effect = Effect::may_fail,
     .eval = scatter_set_eval, .lower = lower_scatter<loop::Update::set>},
    {.name = "scatter_mul", .doc = "as scatter_add, with products", .params = scatter_params,
     .scheme = "num a, int b: a, b, a -> a", .effect = Effect::may_fail, .eval = scatter_eval<Multiply>,
     .lower = lower_scatter<loop::Update::mul>},
    {.name = "scatter_max", .doc = "as scatter_add, keeping the larger; NaN if either is", .params = scatter_params,
     .scheme = "num a, int b: a, b, a -> a", .effect = Effect::may_fail, .eval = scatter_eval<Larger>,
     .lower = lower_scatter<loop::Update::max>},
    {.name = "scatter_min", .doc = "as scatter_add, keeping the smaller; NaN if either is", .params = scatter_params,
     .scheme = "num a, int b: a, b, a -> a", .effect = Effect::may_fail, .eval = scatter_eval<Smaller>,
     .lower = lower_scatter<loop::Update::min>},
    {.name = "nonzero", .doc = "indices of the elements that are not 0, row-major, as a tensor (rank, k)",
     .params = nonzero_params, .scheme = "basic a: a -> i64", .eval = nonzero_eval,
     .lower = lower_nonzero},
};
} // namespace

std::span<const OpDef> index_ops() { return rows; }
} // namespace nereus
