// ops/binary.cpp - elementwise arithmetic of two tensors, which broadcast to one shape. Integers wrap.
#include "ops/families.h"

namespace nereus {
namespace {
constexpr OpParam two[] = {{"a"}, {"b"}};
constexpr std::string_view same = "num a: a, a -> a";

constexpr OpDef rows[] = {
    {.name = "add", .doc = "a + b", .params = two, .scheme = same},
    {.name = "sub", .doc = "a - b", .params = two, .scheme = same},
    {.name = "mul", .doc = "a * b", .params = two, .scheme = same},
    {.name = "div", .doc = "a / b; integers truncate toward zero", .params = two, .scheme = same,
     .effect = Effect::may_fail, .total_on_floats = true, .domain = {0.5, 8}},
    {.name = "floor_div", .doc = "a // b, rounded down", .params = two, .scheme = same, .effect = Effect::may_fail,
     .total_on_floats = true, .domain = {0.5, 8}},
    {.name = "mod", .doc = "a - b * floor(a / b); has the sign of b", .params = two, .scheme = same,
     .effect = Effect::may_fail, .total_on_floats = true, .domain = {0.5, 8}},
    {.name = "maximum", .doc = "the larger of a and b; NaN if either is", .params = two, .scheme = same},
    {.name = "minimum", .doc = "the smaller of a and b; NaN if either is", .params = two, .scheme = same},
};
} // namespace

std::span<const OpDef> binary_ops() { return rows; }
} // namespace nereus
