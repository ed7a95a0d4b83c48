// library/params.h - reads the parameter block of a launch; exe/launch_params.h says how it is written.
#pragma once
#include "tensor/kernel.h"
#include <algorithm>
#include <cstddef>
#include <cstring>

namespace nereus {
struct Tasks { int64_t begin, end; };        // items
inline Tasks items_of(const Launch* launch, int64_t task_begin, int64_t task_end, int64_t items) {
    int64_t per_task = launch->p[1];
    return {std::min(task_begin * per_task, items), std::min(task_end * per_task, items)};
}

// Group `index` of the launch: extents and, per buffer of the group, strides in bytes.
struct GroupParams {
    int64_t rank, points;
    const int64_t *extents, *strides;

    GroupParams(const Launch* launch, int index) {
        const int64_t* header = launch->p + 2 + 3 * index;
        rank = std::max<int64_t>(header[0], 1);
        points = header[2];
        extents = launch->p + header[1];
        strides = extents + rank;
    }
    int64_t stride(int buffer) const { return strides[buffer * rank]; }          // of a group with one axis
    int64_t offset(int buffer, int64_t point) const {                // in row-major order
        int64_t bytes = 0;
        for (int64_t axis = rank; axis-- > 0; point /= extents[axis]) bytes += point % extents[axis] * strides[buffer * rank + axis];
        return bytes;
    }
};

// Elements lie at any alignment.
template <class T> T load_element(const std::byte* at) {
    T value;
    std::memcpy(static_cast<void*>(&value), at, sizeof value);
    return value;
}
template <class T> void store_element(std::byte* at, T value) { std::memcpy(at, &value, sizeof value); }
} // namespace nereus
