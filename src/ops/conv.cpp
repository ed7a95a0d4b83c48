// ops/conv.cpp - convolution of x (batch, channels, sizes...) with w (features, channels of a group, taps...), windows as in
// windows.h; and its two adjoints. y = conv(x, w) is linear in x and in w, so of these three operators each is the gradient of
// the others. Nothing is padded here.
#include "ops/axes.h"
#include "ops/elements.h"
#include "ops/families.h"
#include "ops/gradients.h"
#include "ops/lowers.h"
#include "ops/windows.h"

namespace nereus {
namespace {
// The shapes of the three, each with at least two axes.
struct Shapes { Extents x, w, y; };
Status check_ranks(size_t a, size_t b, const char* of) {
    if (a >= 2 && a == b) return {};
    return Error{Code::shape, std::string("ranks ") + of + ": found " + std::to_string(a) + " and " + std::to_string(b) + ", expected the same, 2 or more"};
}
Status check_sizes(size_t sizes, size_t rank) {
    if (sizes + 2 == rank) return {};
    return Error{Code::shape, std::to_string(sizes) + " sizes for rank " + std::to_string(rank)};
}
Status check_groups(int64_t groups) {
    if (groups >= 1) return {};
    return Error{Code::shape, "groups: " + std::to_string(groups) + " is not positive"};
}
Status check_equal(int64_t a, int64_t b, const std::string& what) {
    if (a == b) return {};
    return Error{Code::shape, what + ": found " + std::to_string(a) + " and " + std::to_string(b)};
}
constexpr const char *channels_differ = "channels of the tensor and of all groups", *features_differ = "features and those of all groups";

Result<Extents> result_shape(const EvalArgs& args, const Extents& x, const Extents& w) {
    const int64_t groups = args.integer("groups");
    const Steps steps = TRY(steps_of(args, x.size() - 2));
    TRY(check_equal(x[1], groups * w[1], channels_differ));
    TRY(check_equal(w[0], w[0] / groups * groups, features_differ));
    Extents y = {x[0], w[0]};
    for (size_t i = 2; i < x.size(); ++i) y.push_back(TRY(count_windows(x[i], w[i], steps.strides[i - 2], steps.dilations[i - 2])));
    return y;
}
Status check_result(const Extents& found, const Extents& expected) {
    for (size_t i = 0; i < found.size(); ++i) TRY(check_equal(found[i], expected[i], "axis " + std::to_string(i) + " of the result of conv"));
    return {};
}

// Calls step(place in x, place in w, place in y) for each product of the convolution.
template <class Step> Status each_product(const EvalArgs& args, const Shapes& s, Step step) {
    const int64_t groups = args.integer("groups");
    const Steps steps = TRY(steps_of(args, s.x.size() - 2));
    const std::vector<int64_t> sx = row_major_strides(s.x), sw = row_major_strides(s.w);
    Extents outer = {s.y[0], groups, s.y[1] / groups}, inner = {s.w[1]};
    std::vector<int64_t> x_outer = {sx[0], sx[1] * s.w[1], 0}, w_outer = {0, sw[0] * outer[2], sw[0]}, x_inner = {sx[1]}, w_inner = {sw[1]};
    for (size_t i = 2; i < s.x.size(); ++i) {
        outer.push_back(s.y[i]), inner.push_back(s.w[i]);
        x_outer.push_back(sx[i] * steps.strides[i - 2]), w_outer.push_back(0);
        x_inner.push_back(sx[i] * steps.dilations[i - 2]), w_inner.push_back(sw[i]);
    }
    int64_t points = 1, taps = 1;
    for (int64_t extent : outer) points *= extent;
    for (int64_t extent : inner) taps *= extent;
    const IndexMap in_x(outer, x_outer), in_w(outer, w_outer), tap_x(inner, x_inner), tap_w(inner, w_inner);
    for (int64_t i = 0; i < points; ++i)
        for (int64_t j = 0; j < taps; ++j) step(size_t(in_x(i) + tap_x(j)), size_t(in_w(i) + tap_w(j)), size_t(i));
    return {};
}

enum class Gives : uint8_t { y, x, w };
Result<Tensors> products_eval(const EvalArgs& args, const Shapes& s, Gives gives) {
    const HostTensor &a = args.tensor(0), &b = args.tensor(1);
    HostTensor out = TRY(HostTensor::make(a.dtype(), gives == Gives::y ? s.y : gives == Gives::x ? s.x : s.w));
    return with_number(a.dtype(), [&](auto zero) -> Result<Tensors> {
        using T = decltype(zero);
        std::vector<WideOf<T>> sums(size_t(out.count()), 0);
        TRY(each_product(args, s, [&](size_t x, size_t w, size_t y) {
            const size_t left = gives == Gives::x ? y : x, right = gives == Gives::w ? y : w;
            WideOf<T>& sum = sums[gives == Gives::y ? y : gives == Gives::x ? x : w];
            sum = add_up(sum, multiply(WideOf<T>(a.data<T>()[left]), WideOf<T>(b.data<T>()[right])));
        }));
        std::span<T> to = TRY(out.mutable_data<T>());
        for (size_t i = 0; i < sums.size(); ++i) to[i] = T(sums[i]);
        return Tensors{std::move(out)};
    });
}

Result<Tensors> conv_eval(const EvalArgs& args) {
    Shapes s{args.tensor(0).shape(), args.tensor(1).shape(), {}};
    TRY(check_groups(args.integer("groups")));
    TRY(check_ranks(s.x.size(), s.w.size(), "of x and w"));
    s.y = TRY(result_shape(args, s.x, s.w));
    return products_eval(args, s, Gives::y);
}
Result<Tensors> conv_input_eval(const EvalArgs& args) {
    Shapes s{{}, args.tensor(1).shape(), args.tensor(0).shape()};
    TRY(check_groups(args.integer("groups")));
    TRY(check_ranks(s.y.size(), s.w.size(), "of y and w"));
    TRY(check_sizes(args.sizes[2].size(), s.w.size()));
    s.x = {s.y[0], args.integer("groups") * s.w[1]};
    s.x.insert(s.x.end(), args.sizes[2].begin(), args.sizes[2].end());
    TRY(check_result(s.y, TRY(result_shape(args, s.x, s.w))));
    return products_eval(args, s, Gives::x);
}
Result<Tensors> conv_weight_eval(const EvalArgs& args) {
    Shapes s{args.tensor(0).shape(), {}, args.tensor(1).shape()};
    TRY(check_groups(args.integer("groups")));
    TRY(check_ranks(s.x.size(), s.y.size(), "of x and y"));
    TRY(check_sizes(args.sizes[2].size(), s.x.size()));
    s.w = {s.y[1], s.x[1] / args.integer("groups")};
    s.w.insert(s.w.end(), args.sizes[2].begin(), args.sizes[2].end());
    TRY(check_result(s.y, TRY(result_shape(args, s.x, s.w))));
    return products_eval(args, s, Gives::w);
}

// The same of sizes that are not known yet.
using Extent = std::vector<Dim>;
Status in_scope(ShapeScope& scope, const Status& status) {
    if (status) return {};
    return scope.error(status.error().message);
}
Result<Extent> result_shape(const ShapeArgs& args, ShapeScope& scope, const Extent& x, const Extent& w) {
    Result<Steps> steps = steps_of(args, x.size() - 2);
    if (!steps) return scope.error(steps.error().message);
    return conv_shape(scope.dims(), x, w, *steps, args.integer("groups", 1), needed_by(scope));
}
Status require_result(ShapeScope& scope, const Extent& found, const Extent& expected) {
    for (size_t i = 0; i < found.size(); ++i)
        TRY(scope.require(found[i], Relation::equal, expected[i], "axis " + std::to_string(i) + " of the result of conv"));
    return {};
}
Result<Shaped> shaped(ShapeScope& scope, DType dtype, std::optional<Extent> dims) {
    ShapedTensor out{.dtype = dtype};
    if (dims) out.shape.dims = std::move(*dims);
    else out.shape = scope.unknown_shape();
    Shaped all;
    all.push_back(std::move(out));
    return all;
}
// What the operators check before any size. False: a rank is not known.
Result<bool> begin(const ShapeArgs& args, ShapeScope& scope, const char* names, bool has_sizes) {
    const ShapedTensor &a = args.tensor(0), &b = args.tensor(1);
    TRY(in_scope(scope, check_groups(args.integer("groups", 1))));
    if (!a.ranked() || !b.ranked() || (has_sizes && !args.sizes_known[2])) return false;
    TRY(in_scope(scope, check_ranks(a.rank(), b.rank(), names)));
    if (!has_sizes) return true;
    TRY(in_scope(scope, check_sizes(args.sizes[2].size(), a.rank())));
    TRY(require_natural(scope, args.sizes[2]));
    return true;
}
Extent with_sizes(Dim first, Dim second, const Extent& sizes) {
    Extent all = {first, second};
    all.insert(all.end(), sizes.begin(), sizes.end());
    return all;
}

Result<Shaped> conv_shapes(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor &x = args.tensor(0), &w = args.tensor(1);
    if (!TRY(begin(args, scope, "of x and w", false))) return shaped(scope, x.dtype, {});
    return shaped(scope, x.dtype, TRY(result_shape(args, scope, x.shape.dims, w.shape.dims)));
}
Result<Shaped> conv_input_shapes(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor &y = args.tensor(0), &w = args.tensor(1);
    if (!TRY(begin(args, scope, "of y and w", true))) return shaped(scope, y.dtype, {});
    const Dim channels = scope.dims().mul(scope.dims().constant(args.integer("groups", 1)), w.shape.dims[1]);
    Extent x = with_sizes(y.shape.dims[0], channels, args.sizes[2]);
    TRY(require_result(scope, y.shape.dims, TRY(result_shape(args, scope, x, w.shape.dims))));
    return shaped(scope, y.dtype, std::move(x));
}
Result<Shaped> conv_weight_shapes(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor &x = args.tensor(0), &y = args.tensor(1);
    if (!TRY(begin(args, scope, "of x and y", true))) return shaped(scope, x.dtype, {});
    const Dim channels = scope.dims().floor_div(x.shape.dims[1], scope.dims().constant(args.integer("groups", 1)));
    Extent w = with_sizes(y.shape.dims[1], channels, args.sizes[2]);
    TRY(require_result(scope, y.shape.dims, TRY(result_shape(args, scope, x.shape.dims, w))));
    return shaped(scope, x.dtype, std::move(w));
}

AttributeList how(const Gradient& d) {
    AttributeList all;
    for (std::string_view name : {"strides", "dilations", "groups"})
        if (const Attribute* given = find_attribute(d.binding(), name)) all.push_back(*given);
    return all;
}
ValueId sizes_of(Gradient& d, ValueId x) { return d.op("slice", {d.shape(x), {{d.size(2)}, true}, {{d.rank(x)}, true}}); }
void conv_grad(Gradient& d) {
    ValueId x = d.arg(0), w = d.arg(1), y = d.adjoint();
    if (d.wanted(0)) d.contribute(0, d.op("conv_input", {y, w, sizes_of(d, x)}, how(d)));
    if (d.wanted(1)) d.contribute(1, d.op("conv_weight", {x, y, sizes_of(d, w)}, how(d)));
}
void conv_input_grad(Gradient& d) {
    ValueId y = d.arg(0), w = d.arg(1), x = d.adjoint();
    if (d.wanted(0)) d.contribute(0, d.op("conv", {x, w}, how(d)));
    if (d.wanted(1)) d.contribute(1, d.op("conv_weight", {x, y, sizes_of(d, w)}, how(d)));
}
void conv_weight_grad(Gradient& d) {
    ValueId x = d.arg(0), y = d.arg(1), w = d.adjoint();
    if (d.wanted(0)) d.contribute(0, d.op("conv_input", {y, w, sizes_of(d, x)}, how(d)));
    if (d.wanted(1)) d.contribute(1, d.op("conv", {x, w}, how(d)));
}

constexpr OpParam conv_params[] = {
    {"x"}, {"w"}, {"strides", ParamKind::integers, true}, {"dilations", ParamKind::integers, true}, {"groups", ParamKind::integer, true, 1}};
constexpr OpParam conv_input_params[] = {{"y"}, {"w"}, {"sizes", ParamKind::sizes},
    {"strides", ParamKind::integers, true}, {"dilations", ParamKind::integers, true}, {"groups", ParamKind::integer, true, 1}};
constexpr OpParam conv_weight_params[] = {{"x"}, {"y"}, {"sizes", ParamKind::sizes},
    {"strides", ParamKind::integers, true}, {"dilations", ParamKind::integers, true}, {"groups", ParamKind::integer, true, 1}};

constexpr OpDef rows[] = {
    {.name = "conv", .doc = "sums over channels and taps of windows of x times w; x (n, c, sizes...), w (features, c / groups, taps...)",
     .params = conv_params, .scheme = "num a: a, a -> a", .eval = conv_eval, .ulps = sum_bound,
     .lower = lower_conv, .shapes = conv_shapes, .grad = conv_grad},
    {.name = "conv_input", .doc = "the adjoint of conv in x, of these sizes: each y times w added to the window it came from",
     .params = conv_input_params, .scheme = "num a: a, a -> a", .eval = conv_input_eval, .ulps = sum_bound,
     .lower = lower_conv_input, .shapes = conv_input_shapes, .grad = conv_input_grad},
    {.name = "conv_weight", .doc = "the adjoint of conv in w, of so many taps: windows of x times y, summed over the batch and the windows",
     .params = conv_weight_params, .scheme = "num a: a, a -> a", .eval = conv_weight_eval, .ulps = sum_bound,
     .lower = lower_conv_weight, .shapes = conv_weight_shapes, .grad = conv_weight_grad},
};
} // namespace

Result<std::vector<Dim>> conv_shape(Dims& dims, const std::vector<Dim>& x, const std::vector<Dim>& w, const Steps& steps, int64_t groups, const Need& need) {
    const Dim count = dims.constant(groups);
    TRY(need(x[1], Relation::equal, dims.mul(count, w[1]), channels_differ));
    TRY(need(w[0], Relation::equal, dims.mul(dims.floor_div(w[0], count), count), features_differ));
    std::vector<Dim> y = {x[0], w[0]};
    for (size_t i = 2; i < x.size(); ++i) y.push_back(TRY(count_windows(dims, x[i], w[i], steps.strides[i - 2], steps.dilations[i - 2], need)));
    return y;
}

std::span<const OpDef> conv_ops() { return rows; }
} // namespace nereus
