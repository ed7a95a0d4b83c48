// ops/index.cpp - parts of a tensor: by range, by index, by condition. Out of range is an error; nothing wraps.
#include "ops/families.h"

namespace nereus {
namespace {
constexpr OpParam slice_params[] = {
    {"x"}, {"starts", ParamKind::sizes}, {"ends", ParamKind::sizes}, {"axes", ParamKind::integers, true}};
constexpr OpParam slice_update_params[] = {
    {"x"}, {"v"}, {"starts", ParamKind::sizes}, {"axes", ParamKind::integers, true}};
constexpr OpParam gather_params[] = {{"x"}, {"ids"}, {"axis", ParamKind::integer, true, 0}};
constexpr OpParam scatter_params[] = {{"x"}, {"ids"}, {"v"}, {"axis", ParamKind::integer, true, 0}};
constexpr OpParam nonzero_params[] = {{"c"}};

constexpr OpDef rows[] = {
    {.name = "slice", .doc = "x[start:end] along axes, half-open; axes left out are the leading ones",
     .params = slice_params, .scheme = "any a: a -> a"},
    {.name = "slice_update", .doc = "x with v written over its part that begins at starts", .params = slice_update_params,
     .scheme = "any a: a, a -> a"},
    {.name = "gather", .doc = "rows of x along axis, one per element of ids; that axis becomes the axes of ids",
     .params = gather_params, .scheme = "any a, int b: a, b -> a", .effect = Effect::may_fail},
    {.name = "scatter_add", .doc = "x with each row of v added to the row of x that ids names; repeated ids add up",
     .params = scatter_params, .scheme = "num a, int b: a, b, a -> a", .effect = Effect::may_fail, .ulps = sum_bound},
    {.name = "nonzero", .doc = "indices of the elements that are not 0, row-major, as a tensor (rank, k)",
     .params = nonzero_params, .scheme = "any a: a -> i64"},
};
} // namespace

std::span<const OpDef> index_ops() { return rows; }
} // namespace nereus
