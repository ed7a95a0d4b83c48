// ops/reduce.cpp - one number for many along some axes. No axes given: all of them.
#include "ops/families.h"

namespace nereus {
namespace {
constexpr OpParam reduce_params[] = {
    {"x"}, {"axes", ParamKind::sizes, true}, {"keepdims", ParamKind::boolean, true, false}};
constexpr OpParam sum_to_params[] = {{"x"}, {"shape", ParamKind::sizes}};

constexpr OpDef rows[] = {
    {.name = "sum", .doc = "sum along axes; 0 when empty", .params = reduce_params, .scheme = "num a: a -> a",
     .ulps = sum_bound},
    {.name = "max", .doc = "largest along axes; -inf or the lowest integer when empty, NaN if any is",
     .params = reduce_params, .scheme = "num a: a -> a"},
    {.name = "sum_to", .doc = "x summed down to a shape that broadcasts to x's: the adjoint of broadcast_to",
     .params = sum_to_params, .scheme = "num a: a -> a", .ulps = sum_bound},
};
} // namespace

std::span<const OpDef> reduce_ops() { return rows; }
} // namespace nereus
