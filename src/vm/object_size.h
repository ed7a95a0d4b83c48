// vm/object_size.h - how many bytes an object takes: what the heap allocates and what a peak counts are one calculation.
//
// Small blocks (up to 1 KiB) come by class of 16 bytes; larger ones in classes that grow by an eighth, so that varying
// shapes find each other's blocks again and waste at most that.
#pragma once
#include "vm/object.h"
#include <algorithm>
#include <bit>
#include <span>

namespace nereus {
inline constexpr int small_blocks = 64;                  // 16, 32, … 1024 bytes
inline constexpr int block_classes = 512;

constexpr int block_class(int64_t bytes) {
    if (bytes <= small_blocks * 16) return int((std::max<int64_t>(bytes, 1) + 15) / 16) - 1;
    int top = 63 - std::countl_zero(uint64_t(bytes - 1));            // 2^top <= bytes - 1
    int step = int((bytes - 1) >> (top - 3)) & 7;                    // the next three bits: eighths
    return small_blocks + (top - 10) * 8 + step;
}
constexpr int64_t block_bytes(int block) {
    if (block < small_blocks) return (block + 1) * 16;
    int top = 10 + (block - small_blocks) / 8, step = (block - small_blocks) % 8;
    return (int64_t(8 + step + 1)) << (top - 3);
}

// Where the elements of a tensor object begin.
constexpr int64_t payload_at(int64_t rank, int64_t bytes) {
    int64_t align = bytes >= 1024 ? 64 : 16;             // large blocks begin on a cache line, and so do their elements
    int64_t header = int64_t(sizeof(TensorObject)) + 8 * rank;
    return (header + align - 1) / align * align;
}
// The bytes of its elements; false: there can be no such tensor.
inline bool payload_bytes(DType dtype, std::span<const int64_t> dims, int64_t* out) {
    int64_t bytes = size_of(dtype);
    bool empty = false;
    for (int64_t d : dims) {
        if (d < 0) return false;
        if (d == 0) empty = true;
        else if (__builtin_mul_overflow(bytes, d, &bytes)) return false;
    }
    *out = empty ? 0 : bytes;
    return bytes < (int64_t(1) << 56);
}
constexpr int64_t data_bytes(int64_t fields, int64_t bound_dims) { return int64_t(sizeof(DataObject)) + 8 * (fields + bound_dims); }

// Items of a sequence lie in a block of their own, which is used to its end.
constexpr int64_t items_bytes(int64_t capacity) { return int64_t(sizeof(SeqItems)) + 8 * capacity; }
inline uint32_t items_capacity(int block) { return uint32_t((block_bytes(block) - int64_t(sizeof(SeqItems))) / 8); }
// The room that one more item asks for.
constexpr uint32_t pushed_capacity(uint32_t count, uint32_t capacity) {
    uint32_t needed = count + 1;
    return capacity < needed ? std::max(needed, count * 2) : needed;
}
} // namespace nereus
