// vm/extents.h - extents of tensors whose rank is known only when they arrive.
#pragma once
#include "base/result.h"
#include "vm/object.h"
#include <span>

namespace nereus {
// Of axes [begin, end); the object exists, so a product without a zero fits.
int64_t extent_product(const TensorObject* tensor, uint32_t begin, uint32_t end);

// Equal ranks and extents, whatever they are at `axis`, which counts from the end where negative.
bool same_extents_but(const TensorObject* a, const TensorObject* b, int axis);

// What exe/extents.h says; `out` has room for max_rank extents.
Status gather_extents(std::span<const uint32_t> registers, std::span<const uint32_t> parts, const uint64_t* R, int64_t* out,
                      size_t& rank);
} // namespace nereus
