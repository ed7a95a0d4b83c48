// ops/elementwise_grad.cpp - gradients of elementwise operators. Contributions have the broadcast shape; adding them to
// an operand sums what was repeated.
#include "ops/gradients.h"

namespace nereus {
namespace {
void neg(Gradient& d) { d.contribute(0, d.neg(d.adjoint())); }
void exp(Gradient& d) { d.contribute(0, d.mul(d.adjoint(), d.result())); }
void log(Gradient& d) { d.contribute(0, d.div(d.adjoint(), d.arg(0))); }
void sqrt(Gradient& d) {
    ValueId twice = d.add(d.result(), d.result());
    d.contribute(0, d.div(d.adjoint(), twice));
}
void tanh(Gradient& d) {
    ValueId square = d.mul(d.result(), d.result());
    ValueId slope = d.sub(d.number(1, d.dtype(d.result())), square);
    d.contribute(0, d.mul(d.adjoint(), slope));
}
// Between floats alone: an integer on either side is constant.
void cast(Gradient& d) { d.contribute(0, d.op("cast", {d.adjoint()}, {{"to", d.dtype(d.arg(0))}})); }

void add(Gradient& d) {
    d.contribute(0, d.adjoint());
    d.contribute(1, d.adjoint());
}
void sub(Gradient& d) {
    d.contribute(0, d.adjoint());
    if (d.wanted(1)) d.contribute(1, d.neg(d.adjoint()));
}
void mul(Gradient& d) {
    if (d.wanted(0)) d.contribute(0, d.mul(d.adjoint(), d.arg(1)));
    if (d.wanted(1)) d.contribute(1, d.mul(d.adjoint(), d.arg(0)));
}
void div(Gradient& d) {
    ValueId part = d.div(d.adjoint(), d.arg(1));
    d.contribute(0, part);
    if (d.wanted(1)) d.contribute(1, d.neg(d.mul(part, d.result())));
}
// a - b * floor(a / b); the floor is piecewise constant.
void mod(Gradient& d) {
    d.contribute(0, d.adjoint());
    if (d.wanted(1)) d.contribute(1, d.neg(d.mul(d.adjoint(), d.op("floor_div", {d.arg(0), d.arg(1)}))));
}

// The chosen operand gets the adjoint; equal ones share it.
void extremum(Gradient& d, std::string_view wins) {
    DType dtype = d.dtype(d.arg(0));
    ValueId half = d.mul(d.adjoint(), d.number(0.5, dtype));
    ValueId tie = d.op("select", {d.op("eq", {d.arg(0), d.arg(1)}), half, d.number(0, dtype)});
    for (size_t i : {0, 1})
        if (d.wanted(i)) d.contribute(i, d.op("select", {d.op(wins, {d.arg(i), d.arg(1 - i)}), d.adjoint(), tie}));
}
void maximum(Gradient& d) { extremum(d, "gt"); }
void minimum(Gradient& d) { extremum(d, "lt"); }

// Selects, never multiplies: infinities and NaN of the other side stay there.
void select(Gradient& d) {
    ValueId zero = d.number(0, d.dtype(d.arg(1)));
    if (d.wanted(1)) d.contribute(1, d.op("select", {d.arg(0), d.adjoint(), zero}));
    if (d.wanted(2)) d.contribute(2, d.op("select", {d.arg(0), zero, d.adjoint()}));
}

constexpr std::string_view steps = "piecewise constant", truth = "gives bools";
constexpr NamedGradient rows[] = {
    {"neg", neg}, {"exp", exp}, {"log", log}, {"sqrt", sqrt}, {"tanh", tanh}, {.op = "cast", .rule = cast, .linear = true},
    {"add", add}, {"sub", sub}, {"mul", mul}, {"div", div}, {"mod", mod}, {"maximum", maximum}, {"minimum", minimum},
    {"select", select},
    {.op = "floor_div", .none = steps},
    {.op = "eq", .none = truth}, {.op = "ne", .none = truth}, {.op = "lt", .none = truth}, {.op = "le", .none = truth},
    {.op = "gt", .none = truth}, {.op = "ge", .none = truth}, {.op = "and", .none = truth}, {.op = "or", .none = truth},
    {.op = "not", .none = truth},
};
} // namespace

std::span<const NamedGradient> elementwise_gradients() { return rows; }
} // namespace nereus
