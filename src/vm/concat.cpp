#include "vm/concat.h"
#include "tensor/shape.h"
#include <cstring>

namespace nereus {
namespace {
const TensorObject& item(const SeqObject& seq, uint32_t i) { return *static_cast<const TensorObject*>(seq.items->at[i]); }
std::string shape_of(const TensorObject& tensor) { return shape_text({tensor.dims, tensor.count}); }

bool same_but(const TensorObject& a, const TensorObject& b, uint32_t axis) {
    if (a.count != b.count) return false;
    for (uint32_t i = 0; i < a.count; ++i)
        if (i != axis && a.dims[i] != b.dims[i]) return false;
    return true;
}
} // namespace

Result<TensorObject*> concat(Heap& heap, DType dtype, const SeqObject& seq, int64_t given) {
    if (seq.count == 0) return Error{Code::value, "concat: nothing to concatenate"};
    const TensorObject& first = item(seq, 0);
    int64_t rank = first.count;
    if (given < -rank || given >= rank)
        return Error{Code::shape, "concat: axis " + std::to_string(given) + " is out of range for rank " + std::to_string(rank)};
    uint32_t axis = uint32_t(given < 0 ? given + rank : given);
    int64_t extents[max_rank], before = 1, after = size_of(dtype), total = 0;
    for (uint32_t i = 0; i < seq.count; ++i) {
        if (!same_but(first, item(seq, i), axis))
            return Error{Code::shape, "concat: shapes differ off axis " + std::to_string(axis) + ": " + shape_of(first) + " and " + shape_of(item(seq, i))};
        if (__builtin_add_overflow(total, item(seq, i).dims[axis], &total)) return Error{Code::shape, "concat: a size overflows 64 bits"};
    }
    for (uint32_t i = 0; i < first.count; ++i) {
        extents[i] = i == axis ? total : first.dims[i];
        (i < axis ? before : after) *= i == axis ? 1 : first.dims[i];
    }
    TensorObject* made = heap.new_tensor(dtype, {extents, size_t(rank)});
    if (!made) return made;
    std::byte* to = made->data;
    for (int64_t line = 0; line < before; ++line)
        for (uint32_t i = 0; i < seq.count; ++i) {
            const TensorObject& part = item(seq, i);
            int64_t bytes = part.dims[axis] * after;
            if (bytes > 0) std::memcpy(to, part.data + line * bytes, size_t(bytes));
            to += bytes;
        }
    return made;
}
} // namespace nereus
