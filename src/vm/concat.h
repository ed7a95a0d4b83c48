// vm/concat.h - the tensors of a sequence as one.
#pragma once
#include "tensor/shape.h"
#include "vm/heap.h"

namespace nereus {
// Joined along an axis, which may count from the end. Null: no memory.
Result<TensorObject*> concat(Heap& heap, DType dtype, const SeqObject& seq, int64_t axis);
// One after the other along a new first axis; all have one shape. Null: no memory.
Result<TensorObject*> stack(Heap& heap, DType dtype, const SeqObject& seq);

// The shape of the stacked tensor, met item by item; of none, (0).
class StackShape {
 public:
    Status add(std::span<const int64_t> dims);
    std::span<const int64_t> dims() const { return {dims_, rank_}; }

 private:
    int64_t dims_[max_rank] = {};
    size_t rank_ = 1;
};

// The shape of the joined tensor, met item by item.
class ConcatShape {
 public:
    explicit ConcatShape(int64_t axis) : axis_(axis) {}
    Status add(std::span<const int64_t> dims);
    Status check() const;                                // that there was an item
    std::span<const int64_t> dims() const { return {dims_, rank_}; }
    uint32_t axis() const { return uint32_t(axis_); }    // counted from the front once an item was added

 private:
    int64_t axis_, first_ = 0, dims_[max_rank] = {};     // first_: its extent there in the first item
    size_t rank_ = 0;
    bool any_ = false;
};
} // namespace nereus
