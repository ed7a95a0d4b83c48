// ops/windows.cpp - sliding windows along the last axes, and their sum back to where they came from. The taps of a window are
// one axis, the last, so that a fold over it is one over windows: compiled, it reads x and nothing is copied.
#include "ops/windows.h"
#include "ops/axes.h"
#include "ops/elements.h"
#include "ops/families.h"
#include "ops/gradients.h"
#include "ops/lowers.h"
#include <cstring>

namespace nereus {
namespace {
constexpr const char* no_taps = "a window has {1} taps along an axis";
constexpr const char* too_few = "sizes leave room for {1} windows";
} // namespace

Result<Steps> steps_of(std::optional<std::vector<int64_t>> strides, std::optional<std::vector<int64_t>> dilations, size_t axes) {
    Steps steps{strides.value_or(std::vector<int64_t>(axes, 1)), dilations.value_or(std::vector<int64_t>(axes, 1))};
    for (const auto& [name, list] : {std::pair{"strides", &steps.strides}, {"dilations", &steps.dilations}}) {
        if (list->size() != axes)
            return Error{Code::shape, std::to_string(list->size()) + " " + name + " for " + std::to_string(axes) + " axes"};
        for (int64_t step : *list)
            if (step < 1) return Error{Code::shape, std::string(name) + ": " + std::to_string(step) + " is not positive"};
    }
    return steps;
}
Steps steps_of(const OpLowering& l, size_t axes) {
    const std::vector<int64_t> ones(axes, 1), strides = l.integers("strides"), dilations = l.integers("dilations");
    return {strides.empty() ? ones : strides, dilations.empty() ? ones : dilations};
}

Result<int64_t> count_windows(int64_t size, int64_t taps, int64_t stride, int64_t dilation) {
    if (taps < 1) return Error{Code::shape, "a window has " + std::to_string(taps) + " taps along an axis"};
    const int64_t beyond = size - dilation * (taps - 1) - 1;
    const int64_t count = (beyond >= 0 ? beyond / stride : -((stride - 1 - beyond) / stride)) + 1;
    if (count < 0) return Error{Code::shape, "sizes leave room for " + std::to_string(count) + " windows"};
    return count;
}
Need needed_by(ShapeScope& scope) {
    return [&scope](Dim a, Relation relation, Dim b, std::string_view what) { return scope.require(a, relation, b, what); };
}
Need checked_by(OpLowering& l) {
    return [&l](Dim a, Relation relation, Dim b, std::string_view what) {
        l.check(a, relation, b, std::string(what) + (what.find('{') == what.npos ? ": found {0} and {1}" : ""));
        return Status();
    };
}
Result<Dim> count_windows(Dims& dims, Dim size, Dim taps, int64_t stride, int64_t dilation, const Need& need) {
    const Dim one = dims.constant(1);
    TRY(need(one, Relation::less_equal, taps, no_taps));
    const Dim beyond = dims.sub(dims.sub(size, dims.mul(dims.constant(dilation), dims.sub(taps, one))), one);
    const Dim count = dims.add(dims.floor_div(beyond, dims.constant(stride)), one);
    TRY(need(dims.constant(0), Relation::less_equal, count, too_few));
    return count;
}
Stride times(Dims& dims, const Stride& stride, int64_t factor) { return {dims.mul(stride.step, dims.constant(factor)), stride.one}; }

namespace {
// Shape of the windows with an axis per tap axis, and where in x each element is.
struct Windows { Extents shape; std::vector<int64_t> strides; };
Result<Windows> windows_in(const EvalArgs& args, const Extents& x, std::span<const int64_t> window) {
    if (window.size() > x.size()) return Error{Code::shape, "a window has " + std::to_string(window.size()) + " axes, the tensor " + std::to_string(x.size())};
    const size_t lead = x.size() - window.size();
    const Steps steps = TRY(steps_of(args, window.size()));
    const std::vector<int64_t> dense = row_major_strides(x);
    Windows all{{x.begin(), x.begin() + ptrdiff_t(lead)}, {dense.begin(), dense.begin() + ptrdiff_t(lead)}};
    for (size_t i = 0; i < window.size(); ++i) {
        all.shape.push_back(TRY(count_windows(x[lead + i], window[i], steps.strides[i], steps.dilations[i])));
        all.strides.push_back(dense[lead + i] * steps.strides[i]);
    }
    for (size_t i = 0; i < window.size(); ++i) {
        all.shape.push_back(window[i]);
        all.strides.push_back(dense[lead + i] * steps.dilations[i]);
    }
    return all;
}
Extents with_one_axis_of_taps(const Windows& all, size_t axes) {
    Extents shape(all.shape.begin(), all.shape.end() - ptrdiff_t(axes));
    int64_t taps = 1;
    for (size_t i = all.shape.size() - axes; i < all.shape.size(); ++i) taps *= all.shape[i];
    shape.push_back(taps);
    return shape;
}

Result<Tensors> windows_eval(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    const Windows all = TRY(windows_in(args, x.shape(), args.sizes[1]));
    HostTensor y = TRY(HostTensor::make(x.dtype(), with_one_axis_of_taps(all, args.sizes[1].size())));
    const IndexMap from(all.shape, all.strides);
    const size_t size = size_t(size_of(x.dtype()));
    std::byte* out = TRY(y.mutable_bytes());
    for (int64_t i = 0; i < y.count(); ++i) std::memcpy(out + size_t(i) * size, x.bytes() + size_t(from(i)) * size, size);
    return Tensors{std::move(y)};
}

Result<Tensors> fold_windows_eval(const EvalArgs& args) {
    const HostTensor& v = args.tensor(0);
    const std::vector<int64_t>&sizes = args.sizes[1], &window = args.sizes[2];
    const size_t axes = window.size();
    if (sizes.size() != axes) return Error{Code::shape, std::to_string(sizes.size()) + " sizes for a window of " + std::to_string(axes) + " axes"};
    if (v.shape().size() < axes + 1) return Error{Code::shape, "windows of " + std::to_string(axes) + " axes in a tensor of rank " + std::to_string(v.rank())};
    Extents shape(v.shape().begin(), v.shape().end() - ptrdiff_t(axes + 1));
    shape.insert(shape.end(), sizes.begin(), sizes.end());
    const Windows all = TRY(windows_in(args, shape, window));
    const Extents expected = with_one_axis_of_taps(all, axes);
    for (size_t i = shape.size() - axes; i < expected.size(); ++i)
        if (v.shape()[i] != expected[i])
            return Error{Code::shape, "axis " + std::to_string(i) + " of the windows: found " + std::to_string(v.shape()[i]) + " and " + std::to_string(expected[i])};
    HostTensor y = TRY(HostTensor::make(v.dtype(), std::move(shape)));
    const IndexMap to(all.shape, all.strides);
    return with_number(v.dtype(), [&](auto zero) -> Result<Tensors> {
        using T = decltype(zero);
        std::vector<WideOf<T>> sums(size_t(y.count()), 0);
        for (int64_t i = 0; i < v.count(); ++i) {
            WideOf<T>& sum = sums[size_t(to(i))];
            sum = add_up(sum, WideOf<T>(v.data<T>()[size_t(i)]));
        }
        std::span<T> out = TRY(y.mutable_data<T>());
        for (size_t i = 0; i < sums.size(); ++i) out[i] = T(sums[i]);
        return Tensors{std::move(y)};
    });
}

Shaped one(ShapedTensor t) {
    Shaped out;
    out.push_back(std::move(t));
    return out;
}
Result<Steps> steps_in(const ShapeArgs& args, ShapeScope& scope, size_t axes) {
    Result<Steps> steps = steps_of(args, axes);
    if (!steps) return scope.error(steps.error().message);
    return steps;
}
// Counts of windows along the last axes of x.
Result<std::vector<Dim>> window_counts(ShapeScope& scope, const Steps& steps, std::span<const Dim> x, std::span<const Dim> window) {
    std::vector<Dim> counts;
    for (size_t i = 0; i < window.size(); ++i)
        counts.push_back(TRY(count_windows(scope.dims(), x[x.size() - window.size() + i], window[i], steps.strides[i], steps.dilations[i], needed_by(scope))));
    return counts;
}

Result<Shaped> windows_shapes(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor& x = args.tensor(0);
    const std::vector<Dim>& window = args.sizes[1];
    if (!args.sizes_known[1]) return unknown_length(scope, "window");
    const Steps steps = TRY(steps_in(args, scope, window.size()));
    ShapedTensor y{.dtype = x.dtype};
    if (!x.ranked()) {
        y.shape = scope.unknown_shape();
        return one(std::move(y));
    }
    if (window.size() > x.rank()) return scope.error("a window has " + std::to_string(window.size()) + " axes, the tensor " + std::to_string(x.rank()));
    const std::vector<Dim> counts = TRY(window_counts(scope, steps, x.shape.dims, window));
    y.shape.dims.assign(x.shape.dims.begin(), x.shape.dims.end() - ptrdiff_t(window.size()));
    y.shape.dims.insert(y.shape.dims.end(), counts.begin(), counts.end());
    y.shape.dims.push_back(scope.dims().product(window));
    y.low = x.low, y.high = x.high;
    return one(std::move(y));
}

Result<Shaped> fold_windows_shapes(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor& v = args.tensor(0);
    const std::vector<Dim>&sizes = args.sizes[1], &window = args.sizes[2];
    for (size_t i : {1, 2})
        if (!args.sizes_known[i]) return unknown_length(scope, args.op.params[i].name);
    const size_t axes = window.size();
    if (sizes.size() != axes) return scope.error(std::to_string(sizes.size()) + " sizes for a window of " + std::to_string(axes) + " axes");
    TRY(require_natural(scope, sizes));
    const Steps steps = TRY(steps_in(args, scope, axes));
    ShapedTensor y{.dtype = v.dtype};
    if (!v.ranked()) {
        y.shape = scope.unknown_shape();
        return one(std::move(y));
    }
    if (v.rank() < axes + 1) return scope.error("windows of " + std::to_string(axes) + " axes in a tensor of rank " + std::to_string(v.rank()));
    const size_t lead = v.rank() - axes - 1;
    std::vector<Dim> expected = TRY(window_counts(scope, steps, sizes, window));
    expected.push_back(scope.dims().product(window));
    for (size_t i = 0; i < expected.size(); ++i)
        TRY(scope.require(v.shape.dims[lead + i], Relation::equal, expected[i], "axis " + std::to_string(lead + i) + " of the windows"));
    y.shape.dims.assign(v.shape.dims.begin(), v.shape.dims.begin() + ptrdiff_t(lead));
    y.shape.dims.insert(y.shape.dims.end(), sizes.begin(), sizes.end());
    return one(std::move(y));
}

AttributeList steps_attributes(const Gradient& d) {
    AttributeList steps;
    for (std::string_view name : {"strides", "dilations"})
        if (const Attribute* given = find_attribute(d.binding(), name)) steps.push_back(*given);
    return steps;
}
void windows_grad(Gradient& d) {
    ValueId x = d.arg(0), rank = d.rank(x);
    ValueId axes = d.is_list(1) ? d.size(int64_t(d.args(1).size())) : d.extent(d.arg(1), 0);
    ValueId sizes = d.op("slice", {d.shape(x), {{d.sub(rank, axes)}, true}, {{rank}, true}});
    d.contribute(0, d.op("fold_windows", {d.adjoint(), sizes, d.same(1)}, steps_attributes(d)));
}
void fold_windows_grad(Gradient& d) { d.contribute(0, d.op("windows", {d.adjoint(), d.same(2)}, steps_attributes(d))); }

constexpr OpParam windows_params[] = {
    {"x"}, {"window", ParamKind::sizes}, {"strides", ParamKind::integers, true}, {"dilations", ParamKind::integers, true}};
constexpr OpParam fold_windows_params[] = {{"v"}, {"sizes", ParamKind::sizes}, {"window", ParamKind::sizes},
                                           {"strides", ParamKind::integers, true}, {"dilations", ParamKind::integers, true}};

constexpr OpDef rows[] = {
    {.name = "windows", .doc = "windows that slide along the last axes of x, as many as fit: (..., windows per axis, taps of a window)",
     .params = windows_params, .scheme = "any a: a -> a", .eval = windows_eval,
     .lower = lower_windows, .shapes = windows_shapes, .grad = windows_grad},
    {.name = "fold_windows", .doc = "each element of windows added to where windows took it from in a tensor of these last sizes: its adjoint",
     .params = fold_windows_params, .scheme = "num a: a -> a", .eval = fold_windows_eval, .ulps = sum_bound,
     .lower = lower_fold_windows, .shapes = fold_windows_shapes, .grad = fold_windows_grad},
};
} // namespace

std::span<const OpDef> windows_ops() { return rows; }
} // namespace nereus
