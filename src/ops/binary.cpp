// ops/binary.cpp - elementwise arithmetic of two tensors, which broadcast to one shape. Integers wrap; a zero divisor of
// any element is an error. Floats follow IEEE; floor_div and mod round the exact quotient down, as Python does, so
// that a == b * floor_div(a, b) + mod(a, b) up to one rounding.
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/gradients.h"
#include "ops/lowers.h"
#include "ops/shape_rules.h"

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
struct Rem {
    double operator()(double a, double b) const { return std::fmod(a, b); }
    int64_t operator()(int64_t a, int64_t b) const { return b == -1 ? 0 : a % b; }
    uint64_t operator()(uint64_t a, uint64_t b) const { return a % b; }
};
struct Pow {
    double operator()(double a, double b) const { return std::pow(a, b); }
    int64_t operator()(int64_t a, int64_t b) const {
        if (b < 0) return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
        return int64_t((*this)(uint64_t(a), uint64_t(b)));
    }
    uint64_t operator()(uint64_t a, uint64_t b) const {
        uint64_t y = 1;
        for (; b > 0; b >>= 1, a *= a) y *= b & 1 ? a : 1;
        return y;
    }
};
struct Maximum {
    template <class W> W operator()(W a, W b) const { return larger(a, b); }
};
struct Minimum {
    template <class W> W operator()(W a, W b) const { return smaller(a, b); }
};

// a - b * trunc(a / b); the quotient is an integer but for rounding.
void rem_grad(Gradient& d) {
    d.contribute(0, d.adjoint());
    if (!d.wanted(1)) return;
    ValueId quotient = d.op("round", {d.div(d.sub(d.arg(0), d.result()), d.arg(1))});
    d.contribute(1, d.neg(d.mul(d.adjoint(), quotient)));
}

// Of the base b * a^(b - 1), nothing where b is 0; of the exponent a^b * log(a), nothing at the powers of 0.
void pow_grad(Gradient& d) {
    ValueId a = d.arg(0), b = d.arg(1), zero = d.number(0, d.dtype(a));
    auto none_where = [&](ValueId where, ValueId slope) { return d.op("select", {where, zero, d.mul(d.adjoint(), slope)}); };
    if (d.wanted(0)) {
        ValueId lower = d.op("pow", {a, d.sub(b, d.number(1, d.dtype(b)))});
        d.contribute(0, none_where(d.op("eq", {b, zero}), d.mul(b, lower)));
    }
    if (d.wanted(1)) {
        ValueId at_zero = d.op("and", {d.op("eq", {a, zero}), d.op("ge", {b, zero})});
        d.contribute(1, none_where(at_zero, d.mul(d.result(), d.op("log", {a}))));
    }
}

constexpr OpParam two[] = {{"a"}, {"b"}};
constexpr std::string_view same = "num a: a, a -> a";

constexpr OpDef rows[] = {
    {.name = "add", .doc = "a + b", .params = two, .scheme = same, .eval = each_pair<Add{}>,
     .lower = lower_each<loop::Op::add>, .host = HostOp::add},
    {.name = "sub", .doc = "a - b", .params = two, .scheme = same, .eval = each_pair<Sub{}>,
     .lower = lower_each<loop::Op::sub>, .host = HostOp::sub},
    {.name = "mul", .doc = "a * b", .params = two, .scheme = same, .eval = each_pair<Mul{}>,
     .lower = lower_each<loop::Op::mul>, .host = HostOp::mul},
    {.name = "div", .doc = "a / b; integers truncate toward zero", .params = two, .scheme = same,
     .effect = Effect::may_fail, .total_on_floats = true, .eval = each_pair<Div{}, true>, .domain = {0.5, 8},
     .lower = lower_each<loop::Op::div>, .host = HostOp::div},
    {.name = "floor_div", .doc = "a // b, rounded down", .params = two, .scheme = same, .effect = Effect::may_fail,
     .total_on_floats = true, .eval = each_pair<FloorDiv{}, true>, .domain = {0.5, 8},
     .lower = lower_each<loop::Op::floor_div>, .host = HostOp::floor_div},
    {.name = "mod", .doc = "a - b * floor_div(a, b); has the sign of b", .params = two, .scheme = same,
     .effect = Effect::may_fail, .total_on_floats = true, .eval = each_pair<Mod{}, true>, .domain = {0.5, 8},
     .lower = lower_each<loop::Op::mod>, .host = HostOp::mod},
    {.name = "rem", .doc = "what is left of a after div(a, b), toward zero; has the sign of a", .params = two, .scheme = same,
     .effect = Effect::may_fail, .total_on_floats = true, .eval = each_pair<Rem{}, true>, .domain = {0.5, 8},
     .lower = lower_each<loop::Op::rem>, .grad = rem_grad},
    {.name = "pow", .doc = "a to the power b; NaN if a is negative and b not whole; of integers wraps, and a negative power is 0 but of 1 and -1",
     .params = two, .scheme = same, .eval = each_pair<Pow{}>, .domain = {0.1, 4}, .ulps = 4,
     .lower = lower_each<loop::Op::pow>, .shapes = broadcast_shape, .grad = pow_grad},
    {.name = "maximum", .doc = "the larger of a and b; NaN if either is; where they are equal, each has half of the gradient", .params = two, .scheme = same,
     .eval = each_pair<Maximum{}>,
     .lower = lower_each<loop::Op::max>, .host = HostOp::max},
    {.name = "minimum", .doc = "the smaller of a and b; NaN if either is; where they are equal, each has half of the gradient", .params = two, .scheme = same,
     .eval = each_pair<Minimum{}>,
     .lower = lower_each<loop::Op::min>, .host = HostOp::min},
};
} // namespace

std::span<const OpDef> binary_ops() { return rows; }
} // namespace nereus
