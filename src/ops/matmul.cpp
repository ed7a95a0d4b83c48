// ops/matmul.cpp - products of matrices, by NumPy's rule: the last two axes are the matrix, the others a batch that
// broadcasts; a rank-1 operand is a row on the left, a column on the right, and its axis is gone from the result.
// Contracted sizes must be equal: 1 does not broadcast there.
#include "ops/families.h"

namespace nereus {
namespace {
constexpr OpParam two[] = {{"a"}, {"b"}};

constexpr OpDef rows[] = {
    {.name = "matmul", .doc = "matrix product over the last axis of a and the last but one of b; batches broadcast",
     .params = two, .scheme = "num a: a, a -> a", .ulps = sum_bound},
};
} // namespace

std::span<const OpDef> matmul_ops() { return rows; }
} // namespace nereus
