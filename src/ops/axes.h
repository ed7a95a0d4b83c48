// ops/axes.h - axes, strides and broadcasting of concrete shapes.
#pragma once
#include "tensor/host_tensor.h"

namespace nereus {
// Axes of a tensor of this rank; negative ones count from the end. Refused: out of range, twice the same.
Result<int64_t> checked_axis(int64_t axis, int64_t rank);
Result<std::vector<int64_t>> checked_axes(std::span<const int64_t> axes, int64_t rank);
// The axes of transpose's perm. Negative axes alone permute the last ones, at any rank: [-1, -2] turns matrices over.
std::vector<int64_t> whole_permutation(std::span<const int64_t> perm, int64_t rank);

std::vector<int64_t> row_major_strides(std::span<const int64_t> shape);
// [before, size, after]: the shape seen from one axis.
struct Sides { int64_t before = 1, size = 1, after = 1; };
Sides sides_of(std::span<const int64_t> shape, int64_t axis);

// The shape both broadcast to, aligned at the right; sizes must be equal or 1.
Result<Extents> broadcast_shapes(std::span<const int64_t> a, std::span<const int64_t> b);
// Whether `from` broadcasts to exactly `to`.
Status check_broadcast(std::span<const int64_t> from, std::span<const int64_t> to);

// Where an element of a large shape comes from in a small one: row-major indices, each axis of the large shape having
// its own stride in the small one (0: repeated).
class IndexMap {
 public:
    IndexMap(Extents shape, std::vector<int64_t> strides);
    static IndexMap broadcast(std::span<const int64_t> from, std::span<const int64_t> to);
    int64_t operator()(int64_t index) const;

 private:
    Extents shape_;
    std::vector<int64_t> strides_;
    bool identity_ = false;
};
} // namespace nereus
