// ops/unary.cpp - elementwise functions of one tensor; the shape passes through unchanged.
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/gradients.h"
#include "ops/lowers.h"
#include "ops/shape_rules.h"
#include "ops/strings.h"

namespace nereus {
namespace {
// Two steps, through what From is computed in, make 23 + 3 * 23 loops of what would be 529.
template <class Wide> Result<Tensors> cast_from(std::span<const Wide> in, HostTensor y, StoreRule rule) {
    return with_type(y.dtype(), [&](auto zero) -> Result<Tensors> {
        using T = decltype(zero);
        std::span<T> out = TRY(y.mutable_data<T>());
        for (size_t i = 0; i < in.size(); ++i) {
            if constexpr (is_storage(dtype_of<T>)) out[i] = T(in[i], rule);
            else out[i] = element_cast<T>(in[i]);
        }
        return Tensors{std::move(y)};
    });
}
Result<Tensors> cast_eval(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    if (*args.dtype("to") == x.dtype()) return Tensors{x};
    const std::optional<Rounding> round = rounding_from_name(args.text("round", rounding_names[0]));
    if (!round) return Error{Code::type, unknown_rounding(args.text("round", ""))};
    const StoreRule rule{args.boolean("saturate"), *round};
    if (is_text(x.dtype()) || is_text(*args.dtype("to"))) return cast_texts(x, *args.dtype("to"), rule);
    HostTensor y = TRY(HostTensor::make(*args.dtype("to"), x.shape()));
    return with_type(x.dtype(), [&](auto zero) -> Result<Tensors> {
        using T = decltype(zero);
        std::vector<WideOf<T>> wide(x.data<T>().begin(), x.data<T>().end());
        return cast_from<WideOf<T>>(wide, std::move(y), rule);
    });
}

struct Negate {
    double operator()(double x) const { return -x; }
    int64_t operator()(int64_t x) const { return wrap_sub(0, x); }
    uint64_t operator()(uint64_t x) const { return 0 - x; }
};
struct Absolute {
    double operator()(double x) const { return std::fabs(x); }
    int64_t operator()(int64_t x) const { return x < 0 ? wrap_sub(0, x) : x; }
    uint64_t operator()(uint64_t x) const { return x; }
};
struct Sign {
    double operator()(double x) const { return x > 0 ? 1 : x < 0 ? -1 : x == 0  ? 0 : x; }
    int64_t operator()(int64_t x) const { return (x > 0) - (x < 0); }
    uint64_t operator()(uint64_t x) const { return x > 0; }
};

// A zero of either sign gives 0, NaN itself.
Status lower_sign(OpLowering& l) {
    return lower_map(l, "sign", [](loop::Builder& b, std::span<const loop::ExprId> x, DType t) {
        using loop::Op;
        const loop::ExprId zero = b.number(t, 0);
        loop::ExprId y = is_float(t) ? b.apply(Op::select, b.apply(Op::eq, x[0], zero), zero, x[0]) : zero;
        if (!is_unsigned(t)) y = b.apply(Op::select, b.apply(Op::lt, x[0], zero), b.number(t, -1), y);
        return b.apply(Op::select, b.apply(Op::gt, x[0], zero), b.number(t, 1), y);
    });
}

void abs_grad(Gradient& d) { d.contribute(0, d.mul(d.adjoint(), d.op("sign", {d.arg(0)}))); }
void sin_grad(Gradient& d) { d.contribute(0, d.mul(d.adjoint(), d.op("cos", {d.arg(0)}))); }
void cos_grad(Gradient& d) { d.contribute(0, d.neg(d.mul(d.adjoint(), d.op("sin", {d.arg(0)})))); }
ValueId square(Gradient& d) { return d.mul(d.arg(0), d.arg(0)); }
ValueId one_like(Gradient& d) { return d.number(1, d.dtype(d.arg(0))); }
void atan_grad(Gradient& d) { d.contribute(0, d.div(d.adjoint(), d.add(one_like(d), square(d)))); }
ValueId arc_slope(Gradient& d) { return d.div(d.adjoint(), d.op("sqrt", {d.sub(one_like(d), square(d))})); }
void asin_grad(Gradient& d) { d.contribute(0, arc_slope(d)); }
void acos_grad(Gradient& d) { d.contribute(0, d.neg(arc_slope(d))); }
void erf_grad(Gradient& d) {
    ValueId slope = d.mul(d.number(1.12837916709551257390, d.dtype(d.arg(0))), d.op("exp", {d.neg(square(d))}));     // 2 / sqrt(pi) in front
    d.contribute(0, d.mul(d.adjoint(), slope));
}
constexpr std::string_view steps = "piecewise constant";

constexpr OpParam one[] = {{"x"}};
constexpr OpParam cast_params[] = {
    {"x"}, {"to", ParamKind::dtype}, {"saturate", ParamKind::boolean, true, true}, {"round", ParamKind::text, true}};

constexpr OpDef rows[] = {
    {.name = "neg", .doc = "-x; integers wrap", .params = one, .scheme = "num a: a -> a", .eval = each<Negate{}>,
     .lower = lower_each<loop::Op::neg>, .host = HostOp::neg},
    {.name = "exp", .doc = "e to the power x", .params = one, .scheme = "float a: a -> a",
     .eval = each<[](double x) { return std::exp(x); }>, .ulps = 4,
     .lower = lower_each<loop::Op::exp>},
    {.name = "log", .doc = "natural logarithm; -inf at 0, NaN below", .params = one, .scheme = "float a: a -> a",
     .eval = each<[](double x) { return std::log(x); }>, .domain = {0.01, 8}, .ulps = 4,
     .lower = lower_each<loop::Op::log>},
    {.name = "sqrt", .doc = "square root; NaN below 0", .params = one, .scheme = "float a: a -> a",
     .eval = each<[](double x) { return std::sqrt(x); }>, .domain = {0.01, 8}, .ulps = 1,
     .lower = lower_each<loop::Op::sqrt>},
    {.name = "tanh", .doc = "hyperbolic tangent", .params = one, .scheme = "float a: a -> a",
     .eval = each<[](double x) { return std::tanh(x); }>, .domain = {-4, 4}, .ulps = 4,
     .lower = lower_each<loop::Op::tanh>},
    {.name = "erf", .doc = "error function: 2 / sqrt(pi) times the integral of exp(-t * t) from 0 to x", .params = one, .scheme = "float a: a -> a",
     .eval = each<[](double x) { return std::erf(x); }>, .domain = {-4, 4}, .ulps = 4,
     .lower = lower_each<loop::Op::erf>, .shapes = broadcast_shape, .grad = erf_grad},
    {.name = "sin", .doc = "sine of x radians; NaN at infinities", .params = one, .scheme = "float a: a -> a",
     .eval = each<[](double x) { return std::sin(x); }>, .ulps = 2,
     .lower = lower_each<loop::Op::sin>, .shapes = broadcast_shape, .grad = sin_grad},
    {.name = "cos", .doc = "cosine of x radians; NaN at infinities", .params = one, .scheme = "float a: a -> a",
     .eval = each<[](double x) { return std::cos(x); }>, .ulps = 2,
     .lower = lower_each<loop::Op::cos>, .shapes = broadcast_shape, .grad = cos_grad},
    {.name = "asin", .doc = "the angle in [-pi/2, pi/2] whose sine is x; NaN beyond 1", .params = one, .scheme = "float a: a -> a",
     .eval = each<[](double x) { return std::asin(x); }>, .domain = {-1, 1}, .ulps = 4,
     .lower = lower_each<loop::Op::asin>, .shapes = broadcast_shape, .grad = asin_grad},
    {.name = "acos", .doc = "the angle in [0, pi] whose cosine is x; NaN beyond 1", .params = one, .scheme = "float a: a -> a",
     .eval = each<[](double x) { return std::acos(x); }>, .domain = {-1, 1}, .ulps = 4,
     .lower = lower_each<loop::Op::acos>, .shapes = broadcast_shape, .grad = acos_grad},
    {.name = "atan", .doc = "the angle in [-pi/2, pi/2] whose tangent is x", .params = one, .scheme = "float a: a -> a",
     .eval = each<[](double x) { return std::atan(x); }>, .ulps = 4,
     .lower = lower_each<loop::Op::atan>, .shapes = broadcast_shape, .grad = atan_grad},
    {.name = "abs", .doc = "the size of x; the least integer wraps", .params = one, .scheme = "num a: a -> a", .eval = each<Absolute{}>,
     .lower = lower_each<loop::Op::abs>, .grad = abs_grad},
    {.name = "sign", .doc = "1 above 0, -1 below, 0 at 0; NaN at NaN", .params = one, .scheme = "num a: a -> a", .eval = each<Sign{}>,
     .lower = lower_sign, .shapes = broadcast_shape, .no_grad = steps},
    {.name = "floor", .doc = "rounded down", .params = one, .scheme = "float a: a -> a", .eval = each<[](double x) { return std::floor(x); }>,
     .lower = lower_each<loop::Op::floor>, .no_grad = steps},
    {.name = "ceil", .doc = "rounded up", .params = one, .scheme = "float a: a -> a", .eval = each<[](double x) { return std::ceil(x); }>,
     .lower = lower_each<loop::Op::ceil>, .no_grad = steps},
    {.name = "round", .doc = "rounded to the nearest integer, halves to the even one", .params = one, .scheme = "float a: a -> a",
     .eval = each<[](double x) { return std::nearbyint(x); }>,
     .lower = lower_each<loop::Op::round>, .shapes = broadcast_shape, .no_grad = steps},
    {.name = "not", .doc = "elementwise negation", .params = one, .scheme = "bool -> bool",
     .eval = each<[](int64_t x) { return int64_t(x == 0); }>,
     .lower = lower_each<loop::Op::logical_not>, .host = HostOp::logical_not},
    {.name = "cast", .doc = "x as another dtype; float to int goes toward zero and saturates, NaN gives 0; to bool is != 0; saturate and round (\"up\", "
                             "\"down\", \"nearest\") matter to floats of 8 bits alone: beyond the largest, and to a power of two, f8e8m0; a text is read as a number, and a number written as NumPy does",
     .params = cast_params, .scheme = "any a: a -> $to", .fails_on_texts = true, .eval = cast_eval,
     .lower = lower_cast, .host = HostOp::cast},
};
} // namespace

std::span<const OpDef> unary_ops() { return rows; }
} // namespace nereus
