#include "exe/filled_params.h"
#include <algorithm>

namespace nereus {
namespace {
// The strides of a buffer in a group, in bytes, as many as the group has axes; null: it has none there.
const int64_t* strides_of(const ParamLayout& layout, const int64_t* p, size_t group, size_t buffer, int64_t& out_rank) {
    const std::vector<uint16_t>& buffers = layout.groups[group].buffers;
    const auto it = std::ranges::find(buffers, buffer);
    if (it == buffers.end()) return nullptr;
    out_rank = std::max<int64_t>(p[layout.group_slot(group)], 1);
    return p + p[layout.group_slot(group) + 1] + out_rank * (1 + (it - buffers.begin()));
}
} // namespace

int64_t elements_along(const ParamLayout& layout, const int64_t* p, size_t group, size_t buffer) {
    int64_t rank = 0, count = 1;
    const int64_t *strides = strides_of(layout, p, group, buffer, rank), *extents = p + p[layout.group_slot(group) + 1];
    for (int64_t axis = 0; strides && axis < rank; ++axis)
        if (strides[axis] != 0) count *= extents[axis];
    return count;
}

std::optional<int64_t> stride_along(const ParamLayout& layout, const int64_t* p, size_t group, size_t buffer) {
    int64_t rank = 0;
    const int64_t* strides = strides_of(layout, p, group, buffer, rank);
    return strides ? std::optional(strides[rank - 1]) : std::nullopt;
}
} // namespace nereus
