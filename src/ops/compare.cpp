// ops/compare.cpp - elementwise comparison, bool logic and selection; operands broadcast to one shape.
#include "ops/families.h"

namespace nereus {
namespace {
constexpr OpParam two[] = {{"a"}, {"b"}};
constexpr OpParam select_params[] = {{"c"}, {"a"}, {"b"}};

constexpr OpDef rows[] = {
    {.name = "eq", .doc = "a == b", .params = two, .scheme = "any a: a, a -> bool"},
    {.name = "ne", .doc = "a != b", .params = two, .scheme = "any a: a, a -> bool"},
    {.name = "lt", .doc = "a < b", .params = two, .scheme = "num a: a, a -> bool"},
    {.name = "le", .doc = "a <= b", .params = two, .scheme = "num a: a, a -> bool"},
    {.name = "gt", .doc = "a > b", .params = two, .scheme = "num a: a, a -> bool"},
    {.name = "ge", .doc = "a >= b", .params = two, .scheme = "num a: a, a -> bool"},
    {.name = "and", .doc = "both; evaluates both", .params = two, .scheme = "bool, bool -> bool"},
    {.name = "or", .doc = "at least one; evaluates both", .params = two, .scheme = "bool, bool -> bool"},
    {.name = "select", .doc = "a where c, else b; evaluates both", .params = select_params,
     .scheme = "any a: bool, a, a -> a"},
};
} // namespace

std::span<const OpDef> compare_ops() { return rows; }
} // namespace nereus
