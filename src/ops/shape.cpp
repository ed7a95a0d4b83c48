// ops/shape.cpp - the same elements in another shape, and tensors made from sizes.
#include "ops/families.h"

namespace nereus {
namespace {
constexpr OpParam one[] = {{"x"}};
constexpr OpParam to_shape[] = {{"x"}, {"shape", ParamKind::sizes}};
constexpr OpParam transpose_params[] = {{"x"}, {"perm", ParamKind::integers}};
constexpr OpParam concat_params[] = {{"xs", ParamKind::values}, {"axis", ParamKind::integer, true, 0}};
constexpr OpParam split_params[] = {{"x"}, {"sizes", ParamKind::sizes}, {"axis", ParamKind::integer, true, 0}};
constexpr OpParam iota_params[] = {{"n", ParamKind::size}};
constexpr OpParam full_params[] = {{"shape", ParamKind::sizes}, {"v"}};

constexpr OpDef rows[] = {
    {.name = "reshape", .doc = "the same elements, row-major, in another shape; one -1 is inferred", .params = to_shape,
     .scheme = "any a: a -> a"},
    {.name = "broadcast_to", .doc = "x repeated along axes of size 1 and new leading axes", .params = to_shape,
     .scheme = "any a: a -> a"},
    {.name = "transpose", .doc = "axis i of the result is axis perm[i] of x", .params = transpose_params,
     .scheme = "any a: a -> a"},
    {.name = "concat", .doc = "tensors one after the other along axis; an empty list is an error",
     .params = concat_params, .scheme = "any a: a.. -> a"},
    {.name = "split", .doc = "consecutive parts of the given sizes along axis, as a tuple; the sizes must sum",
     .params = split_params, .scheme = "any a: a -> (a..)"},
    {.name = "shape_of", .doc = "the sizes of x as a vector", .params = one, .scheme = "any a: a -> i64"},
    {.name = "iota", .doc = "0, 1, ... n-1", .params = iota_params, .scheme = "-> i64"},
    {.name = "full", .doc = "v, a scalar, everywhere", .params = full_params, .scheme = "any a: a -> a"},
};
} // namespace

std::span<const OpDef> shape_ops() { return rows; }
} // namespace nereus
