// ops/binary.cpp - elementwise arithmetic of two tensors, which broadcast to one shape. Integers wrap; a zero divisor of
// any element is an error. Floats follow IEEE; floor_div and mod round the exact quotient down, as Python does, so
// that a == b * floor_div(a, b) + mod(a, b) up to one rounding.
#include "ops/axes.h"
#include "ops/elements.h"
#include "ops/families.h"
#include "ops/lowers.h"

namespace nereus {
namespace {
double float_mod(double a, double b) {
    double rest = std::fmod(a, b);
    if (b == 0 || std::isnan(rest)) return rest;
    if (rest == 0) return std::copysign(0.0, b);
    return (rest < 0) != (b < 0) ? rest + b : rest;
}
double float_floor_div(double a, double b) {
    if (b == 0) return a / b;
    double rest = std::fmod(a, b), quotient = (a - rest) / b;
    if (rest != 0 && (rest < 0) != (b < 0)) quotient -= 1;
    if (quotient == 0) return std::copysign(0.0, a / b);
    return std::floor(quotient + 0.5);                   // (a - rest) / b is an integer up to rounding
}

struct Add {
    template <class W> W operator()(W a, W b) const { return add_up(a, b); }
};
struct Sub {
    double operator()(double a, double b) const { return a - b; }
    int64_t operator()(int64_t a, int64_t b) const { return wrap_sub(a, b); }
    uint64_t operator()(uint64_t a, uint64_t b) const { return a - b; }
};
struct Mul {
    template <class W> W operator()(W a, W b) const { return multiply(a, b); }
};
// The integer divisions never see b == 0; b == -1 is taken out because INT64_MIN / -1 traps.
struct Div {
    double operator()(double a, double b) const { return a / b; }
    int64_t operator()(int64_t a, int64_t b) const { return b == -1 ? wrap_sub(0, a) : a / b; }
    uint64_t operator()(uint64_t a, uint64_t b) const { return a / b; }
};
struct FloorDiv {
    double operator()(double a, double b) const { return float_floor_div(a, b); }
    int64_t operator()(int64_t a, int64_t b) const {
        if (b == -1) return wrap_sub(0, a);
        return a / b - (a % b != 0 && (a < 0) != (b < 0));
    }
    uint64_t operator()(uint64_t a, uint64_t b) const { return a / b; }
};
struct Mod {
    double operator()(double a, double b) const { return float_mod(a, b); }
    int64_t operator()(int64_t a, int64_t b) const {
        if (b == -1) return 0;
        return a % b + (a % b != 0 && (a < 0) != (b < 0) ? b : 0);
    }
    uint64_t operator()(uint64_t a, uint64_t b) const { return a % b; }
};
struct Maximum {
    template <class W> W operator()(W a, W b) const { return larger(a, b); }
};
struct Minimum {
    template <class W> W operator()(W a, W b) const { return smaller(a, b); }
};

template <auto f, bool divides = false> Result<Tensors> arithmetic(const EvalArgs& args) {
    const HostTensor &a = args.tensor(0), &b = args.tensor(1);
    HostTensor y = TRY(HostTensor::make(a.dtype(), TRY(broadcast_shapes(a.shape(), b.shape()))));
    IndexMap in_a = IndexMap::broadcast(a.shape(), y.shape()), in_b = IndexMap::broadcast(b.shape(), y.shape());
    return with_type(a.dtype(), [&](auto zero) -> Result<Tensors> {
        using T = decltype(zero);
        std::span<const T> left = a.data<T>(), right = b.data<T>();
        std::span<T> out = TRY(y.mutable_data<T>());
        for (int64_t i = 0; i < y.count(); ++i) {
            T divisor = right[size_t(in_b(i))];
            if (divides && std::is_integral_v<T> && divisor == 0)
                return Error{Code::value, "division by zero"};
            out[size_t(i)] = T(f(WideOf<T>(left[size_t(in_a(i))]), WideOf<T>(divisor)));
        }
        return Tensors{std::move(y)};
    });
}

constexpr OpParam two[] = {{"a"}, {"b"}};
constexpr std::string_view same = "num a: a, a -> a";

constexpr OpDef rows[] = {
    {.name = "add", .doc = "a + b", .params = two, .scheme = same, .eval = arithmetic<Add{}>,
     .lower = lower_each<loop::Op::add>, .host = HostOp::add},
    {.name = "sub", .doc = "a - b", .params = two, .scheme = same, .eval = arithmetic<Sub{}>,
     .lower = lower_each<loop::Op::sub>, .host = HostOp::sub},
    {.name = "mul", .doc = "a * b", .params = two, .scheme = same, .eval = arithmetic<Mul{}>,
     .lower = lower_each<loop::Op::mul>, .host = HostOp::mul},
    {.name = "div", .doc = "a / b; integers truncate toward zero", .params = two, .scheme = same,
     .effect = Effect::may_fail, .total_on_floats = true, .eval = arithmetic<Div{}, true>, .domain = {0.5, 8},
     .lower = lower_each<loop::Op::div>, .host = HostOp::div},
    {.name = "floor_div", .doc = "a // b, rounded down", .params = two, .scheme = same, .effect = Effect::may_fail,
     .total_on_floats = true, .eval = arithmetic<FloorDiv{}, true>, .domain = {0.5, 8},
     .lower = lower_each<loop::Op::floor_div>, .host = HostOp::floor_div},
    {.name = "mod", .doc = "a - b * floor_div(a, b); has the sign of b", .params = two, .scheme = same,
     .effect = Effect::may_fail, .total_on_floats = true, .eval = arithmetic<Mod{}, true>, .domain = {0.5, 8},
     .lower = lower_each<loop::Op::mod>, .host = HostOp::mod},
    {.name = "maximum", .doc = "the larger of a and b; NaN if either is; where they are equal, each has half of the gradient", .params = two, .scheme = same,
     .eval = arithmetic<Maximum{}>,
     .lower = lower_each<loop::Op::max>, .host = HostOp::max},
    {.name = "minimum", .doc = "the smaller of a and b; NaN if either is; where they are equal, each has half of the gradient", .params = two, .scheme = same,
     .eval = arithmetic<Minimum{}>,
     .lower = lower_each<loop::Op::min>, .host = HostOp::min},
};
} // namespace

std::span<const OpDef> binary_ops() { return rows; }
} // namespace nereus
