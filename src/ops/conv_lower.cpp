// Convolutions: one nest of loops each, that reads its operands where they lie. Points of the result are parallel, the products
// of a point are summed; every address is a sum of loop variables times strides.
#include "ops/lowers.h"
#include "ops/windows.h"

namespace nereus {
namespace {
constexpr size_t spatial = 2;                            // x (batch, channels, ...), w (features, channels, ...)

// An operand's strides along the points of the result, and along the products of a point.
struct Operand { ValueId value; std::vector<Stride> points, products; std::vector<loop::Indirect> at = {}; };

// Products of f16 and bf16 are made and summed in f32, as those of a contraction are.
Status sum_of_products(OpLowering& l, KernelWriter& k, loop::GroupId g, loop::GroupId r, Operand a, Operand b, const std::vector<Dim>& points) {
    loop::Builder& builder = k.builder();
    const DType t = l.dtype(l.result()), wide = is_small_float(t) ? DType::f32 : t;
    loop::ExprId left = k.read(a.value, {{g, std::move(a.points)}, {r, std::move(a.products)}}, std::move(a.at));
    loop::ExprId right = k.read(b.value, {{g, std::move(b.points)}, {r, std::move(b.products)}}, std::move(b.at));
    loop::ExprId product = builder.apply(loop::Op::mul, builder.cast(left, wide), builder.cast(right, wide));
    loop::ExprId sum = builder.reduce(loop::Fold::sum, r, product);
    k.store(l.result(), {{g, dense_strides(l.dims(), points)}}, builder.cast(sum, t));
    return k.finish();
}

struct Groups { Dim count, features; };                  // features per group
Groups groups_of(OpLowering& l, Dim features) {
    const Dim count = l.dims().constant(l.integer("groups"));
    return {count, l.dims().floor_div(features, count)};
}
} // namespace

Status lower_conv(OpLowering& l) {
    Dims& dims = l.dims();
    const std::vector<Dim> x = l.shape(l.arg(0)), w = l.shape(l.arg(1)), y = l.shape(l.result());
    const Steps steps = steps_of(l, x.size() - spatial);
    const std::vector<Stride> in_x = dense_strides(dims, x), in_w = dense_strides(dims, w);
    const Groups groups = groups_of(l, w[0]);
    const Stride none{dims.constant(0), {}};
    std::vector<Dim> points = {x[0], groups.count, groups.features}, products = {w[1]};
    Operand a{l.arg(0), {in_x[0], {dims.mul(in_x[1].step, w[1]), {}}, none}, {in_x[1]}};
    Operand b{l.arg(1), {none, {dims.mul(in_w[0].step, groups.features), {}}, in_w[0]}, {in_w[1]}};
    for (size_t i = spatial; i < x.size(); ++i) {
        points.push_back(y[i]), products.push_back(w[i]);
        a.points.push_back(times(dims, in_x[i], steps.strides[i - spatial])), b.points.push_back(none);
        a.products.push_back(times(dims, in_x[i], steps.dilations[i - spatial])), b.products.push_back(in_w[i]);
    }
    KernelWriter k(l, "conv");
    loop::GroupId g = k.group("g", loop::Role::parallel, points), r = k.group("r", loop::Role::reduce, products);
    return sum_of_products(l, k, g, r, std::move(a), std::move(b), points);
}

// As a convolution with the taps in the other order: of y with zeros put between its elements, as many as windows step over, and
// around it, one tap less than a window has.
Status lower_conv_input(OpLowering& l) {
    Dims& dims = l.dims();
    const std::vector<Dim> y = l.shape(l.arg(0)), w = l.shape(l.arg(1)), x = l.shape(l.result());
    const Steps steps = steps_of(l, x.size() - spatial);
    const Groups groups = groups_of(l, w[0]);
    const Dim one = dims.constant(1);
    const Stride none{dims.constant(0), {}};
    std::vector<Dim> wide = {y[0], y[1]}, before;
    for (size_t i = spatial; i < x.size(); ++i) {
        before.push_back(dims.mul(dims.constant(steps.dilations[i - spatial]), dims.sub(w[i], one)));
        wide.push_back(dims.add(x[i], before.back()));
    }
    const std::vector<Stride> in_z = dense_strides(dims, wide), in_w = dense_strides(dims, w);
    ValueId z = l.temporary(l.dtype(l.arg(0)), wide);
    KernelWriter fill(l, "fill");
    loop::GroupId all = fill.group("g", loop::Role::parallel, wide);
    fill.store(z, {{all, in_z}}, fill.builder().number(l.dtype(z), 0));
    TRY(fill.finish());
    KernelWriter spread(l, "spread");
    loop::GroupId each = spread.group("g", loop::Role::parallel, y);
    std::vector<Stride> to = {in_z[0], in_z[1]};
    std::vector<loop::Indirect> at;
    for (size_t i = spatial; i < x.size(); ++i) {
        to.push_back(times(dims, in_z[i], steps.strides[i - spatial]));
        at.push_back(spread.offset(before[i - spatial], in_z[i].step, wide[i]));
    }
    loop::ExprId element = spread.read(l.arg(0), {{each, dense_strides(dims, y)}});
    spread.store(z, {{each, to}}, element, std::move(at));
    TRY(spread.finish());

    std::vector<Dim> points = {x[0], groups.count, w[1]}, products = {groups.features};
    KernelWriter k(l, "conv_input");
    Operand a{z, {in_z[0], {dims.mul(in_z[1].step, groups.features), {}}, none}, {in_z[1]}};
    Operand b{l.arg(1), {none, {dims.mul(in_w[0].step, groups.features), {}}, in_w[1]}, {in_w[0]}};
    for (size_t i = spatial; i < x.size(); ++i) {
        points.push_back(x[i]), products.push_back(w[i]);
        a.points.push_back(in_z[i]), b.points.push_back(none);
        a.products.push_back(times(dims, in_z[i], steps.dilations[i - spatial])), b.products.push_back(times(dims, in_w[i], -1));
        b.at.push_back(k.offset(dims.sub(w[i], one), in_w[i].step, w[i]));
    }
    loop::GroupId g = k.group("g", loop::Role::parallel, points), r = k.group("r", loop::Role::reduce, products);
    return sum_of_products(l, k, g, r, std::move(a), std::move(b), points);
}

Status lower_conv_weight(OpLowering& l) {
    Dims& dims = l.dims();
    const std::vector<Dim> x = l.shape(l.arg(0)), y = l.shape(l.arg(1)), w = l.shape(l.result());
    const Steps steps = steps_of(l, x.size() - spatial);
    const std::vector<Stride> in_x = dense_strides(dims, x), in_y = dense_strides(dims, y);
    const Groups groups = groups_of(l, w[0]);
    const Stride none{dims.constant(0), {}};
    std::vector<Dim> points = {groups.count, groups.features, w[1]}, products = {x[0]};
    Operand a{l.arg(0), {{dims.mul(in_x[1].step, w[1]), {}}, none, in_x[1]}, {in_x[0]}};
    Operand b{l.arg(1), {{dims.mul(in_y[1].step, groups.features), {}}, in_y[1], none}, {in_y[0]}};
    for (size_t i = spatial; i < x.size(); ++i) {
        points.push_back(w[i]), products.push_back(y[i]);
        a.points.push_back(times(dims, in_x[i], steps.dilations[i - spatial])), b.points.push_back(none);
        a.products.push_back(times(dims, in_x[i], steps.strides[i - spatial])), b.products.push_back(in_y[i]);
    }
    KernelWriter k(l, "conv_weight");
    loop::GroupId g = k.group("g", loop::Role::parallel, points), r = k.group("r", loop::Role::reduce, products);
    return sum_of_products(l, k, g, r, std::move(a), std::move(b), points);
}
} // namespace nereus
