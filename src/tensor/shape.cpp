#include "tensor/shape.h"

namespace nereus {
Result<int64_t> element_count(std::span<const int64_t> shape) {
    if (shape.size() > max_rank)
        return Error{Code::limit, "rank " + std::to_string(shape.size()) + " is over the limit of " +
                                      std::to_string(max_rank)};
    int64_t product = 1;
    bool empty = false;
    for (int64_t extent : shape) {
        if (extent < 0) return Error{Code::shape, "shape " + shape_text(shape) + " has a negative extent"};
        if (extent == 0) { empty = true; continue; }
        if (__builtin_mul_overflow(product, extent, &product))
            return Error{Code::shape, "shape " + shape_text(shape) + " has more elements than 64 bits can count"};
    }
    for (int64_t extent : shape)                         // beside others that are not 0 no memory would do anyway
        if (empty && extent > max_extent)
            return Error{Code::limit, "shape " + shape_text(shape) + " has an extent over the limit of 2^40"};
    return empty ? 0 : product;
}

Result<int64_t> byte_count(DType dtype, std::span<const int64_t> shape) {
    int64_t bytes = TRY(element_count(shape));
    if (__builtin_mul_overflow(bytes, size_of(dtype), &bytes))
        return Error{Code::shape, "shape " + shape_text(shape) + " of " + std::string(dtype_name(dtype)) +
                                      " has more bytes than 64 bits can count"};
    return bytes;
}

std::string shape_text(std::span<const int64_t> shape) {
    std::string text = "(";
    for (size_t i = 0; i < shape.size(); ++i) {
        if (i > 0) text += ", ";
        text += std::to_string(shape[i]);
    }
    return text + ")";
}
} // namespace nereus
