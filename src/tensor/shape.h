// tensor/shape.h - concrete sizes of a tensor, and how many elements and bytes they ask for.
#pragma once
#include "base/result.h"
#include "tensor/dtype.h"
#include <span>
#include <string>
#include <vector>

namespace nereus {
using Extents = std::vector<int64_t>;            // one extent per axis, outermost first; empty: a scalar
inline constexpr size_t max_rank = 64;         // whoever walks all axes of all elements stays bounded
inline constexpr int64_t max_extent = int64_t(1) << 40;      // what sizes are taken for when they are reasoned about

// The product of the extents. Refused: a negative extent (shape), a rank or extent over the limit, and a
// product of the non-zero extents over int64 (shape): with one such tensor in hand, no partial product can
// overflow either.
Result<int64_t> element_count(std::span<const int64_t> shape);
// As element_count, times the element size.
Result<int64_t> byte_count(DType dtype, std::span<const int64_t> shape);
// "(2, 3)", "(5,)" is written "(5)", a scalar "()".
std::string shape_text(std::span<const int64_t> shape);
} // namespace nereus
