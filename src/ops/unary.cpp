// ops/unary.cpp - elementwise functions of one tensor; the shape passes through unchanged.
#include "ops/families.h"

namespace nereus {
namespace {
constexpr OpParam one[] = {{"x"}};
constexpr OpParam cast_params[] = {{"x"}, {"to", ParamKind::dtype}};

constexpr OpDef rows[] = {
    {.name = "neg", .doc = "-x; integers wrap", .params = one, .scheme = "num a: a -> a"},
    {.name = "exp", .doc = "e to the power x", .params = one, .scheme = "float a: a -> a", .ulps = 4},
    {.name = "log", .doc = "natural logarithm; -inf at 0, NaN below", .params = one, .scheme = "float a: a -> a",
     .domain = {0.01, 8}, .ulps = 4},
    {.name = "sqrt", .doc = "square root; NaN below 0", .params = one, .scheme = "float a: a -> a",
     .domain = {0.01, 8}, .ulps = 1},
    {.name = "tanh", .doc = "hyperbolic tangent", .params = one, .scheme = "float a: a -> a", .domain = {-4, 4},
     .ulps = 4},
    {.name = "not", .doc = "elementwise negation", .params = one, .scheme = "bool -> bool"},
    {.name = "cast", .doc = "x as another dtype; float to int goes toward zero and saturates, NaN gives 0; to bool is != 0",
     .params = cast_params, .scheme = "any a: a -> $to"},
};
} // namespace

std::span<const OpDef> unary_ops() { return rows; }
} // namespace nereus
