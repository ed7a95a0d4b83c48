#include "vm/concat.h"
#include "vm/extents.h"
#include <algorithm>
#include <cstring>

namespace nereus {
Status StackShape::add(std::span<const int64_t> dims) {
    if (dims_[0] == 0) {
        if (dims.size() == max_rank) return Error{Code::limit, "rank " + std::to_string(max_rank + 1) + " is over the limit of " + std::to_string(max_rank)};
        std::copy(dims.begin(), dims.end(), dims_ + 1);
        rank_ = dims.size() + 1;
    }
    const std::span<const int64_t> first = this->dims().subspan(1);
    if (!std::ranges::equal(first, dims)) return Error{Code::shape, "yield: trip " + std::to_string(dims_[0]) + " gives " + shape_text(dims) + ", the first gave " + shape_text(first)};
    ++dims_[0];
    return {};
}
Result<TensorObject*> stack(Heap& heap, DType dtype, const SeqObject& seq) {
    auto item = [&](uint32_t i) -> const TensorObject& { return *static_cast<const TensorObject*>(seq.items->at[i]); };
    StackShape shape;
    for (uint32_t i = 0; i < seq.count; ++i) TRY(shape.add(item(i).extents()));
    TensorObject* made = heap.new_tensor(dtype, shape.dims());
    if (!made) return made;
    const int64_t bytes = extent_product(shape.dims().subspan(1)) * size_of(dtype);
    for (uint32_t i = 0; bytes > 0 && i < seq.count; ++i) std::memcpy(made->data + int64_t(i) * bytes, item(i).data, size_t(bytes));
    return made;
}

Status ConcatShape::add(std::span<const int64_t> dims) {
    if (!any_) {
        int64_t rank = int64_t(dims.size());
        if (axis_ < -rank || axis_ >= rank)
            return Error{Code::shape, "concat: axis " + std::to_string(axis_) + " is out of range for rank " + std::to_string(rank)};
        if (axis_ < 0) axis_ += rank;
        std::copy(dims.begin(), dims.end(), dims_);
        rank_ = dims.size();
        first_ = dims[size_t(axis_)];
        any_ = true;
        return {};
    }
    int64_t& total = dims_[axis_];
    if (!same_extents_but(this->dims(), dims, int(axis_))) {
        total = first_;
        return Error{Code::shape, "concat: shapes differ off axis " + std::to_string(axis_) + ": " + shape_text(this->dims()) + " and " + shape_text(dims)};
    }
    if (__builtin_add_overflow(total, dims[size_t(axis_)], &total)) return Error{Code::shape, "concat: a size overflows 64 bits"};
    return {};
}
Status ConcatShape::check() const {
    if (!any_) return Error{Code::value, "concat: nothing to concatenate"};
    return {};
}

Result<TensorObject*> concat(Heap& heap, DType dtype, const SeqObject& seq, int64_t axis) {
    auto item = [&](uint32_t i) -> const TensorObject& { return *static_cast<const TensorObject*>(seq.items->at[i]); };
    ConcatShape shape(axis);
    for (uint32_t i = 0; i < seq.count; ++i) TRY(shape.add(item(i).extents()));
    TRY(shape.check());
    std::span<const int64_t> dims = shape.dims();
    TensorObject* made = heap.new_tensor(dtype, dims);
    if (!made) return made;
    const int64_t before = extent_product(dims.first(shape.axis())),
                  after = extent_product(dims.subspan(shape.axis() + 1)) * size_of(dtype);
    std::byte* to = made->data;
    for (int64_t line = 0; line < before; ++line)
        for (uint32_t i = 0; i < seq.count; ++i) {
            int64_t bytes = item(i).dims[shape.axis()] * after;
            if (bytes > 0) std::memcpy(to, item(i).data + line * bytes, size_t(bytes));
            to += bytes;
        }
    return made;
}
} // namespace nereus
