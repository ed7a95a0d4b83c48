// ops/sort.cpp - order along an axis.
#include "ops/families.h"

namespace nereus {
namespace {
constexpr OpParam topk_params[] = {{"x"}, {"k", ParamKind::size}, {"axis", ParamKind::integer, true, -1}};

constexpr OpDef rows[] = {
    {.name = "topk", .doc = "the k largest along axis, descending, and their indices; ties to the lower index",
     .params = topk_params, .scheme = "num a: a -> (a, i64)"},
};
} // namespace

std::span<const OpDef> sort_ops() { return rows; }
} // namespace nereus
