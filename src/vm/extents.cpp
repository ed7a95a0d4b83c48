#include "vm/extents.h"
#include "exe/extents.h"
#include "tensor/shape.h"
#include <algorithm>
#include <cstring>

namespace nereus {
int64_t extent_product(const TensorObject* tensor, uint32_t begin, uint32_t end) {
    int64_t product = 1;
    for (uint32_t i = begin; i < end; ++i) product = int64_t(uint64_t(product) * uint64_t(tensor->dims[i]));
    return product;
}

bool same_extents_but(const TensorObject* a, const TensorObject* b, int axis) {
    if (a->count != b->count) return false;
    for (uint32_t i = 0; i < a->count; ++i)
        if (a->dims[i] != b->dims[i] && int(i) != (axis < 0 ? axis + int(a->count) : axis)) return false;
    return true;
}

namespace {
// One -1 among sizes: what is left of `total` elements.
Status infer_size(std::span<int64_t> sizes, int64_t total) {
    int64_t *unknown = nullptr, others = 1;
    for (int64_t& size : sizes) {
        if (size == -1 && total >= 0) {
            if (unknown) return Error{Code::shape, "only one size can be inferred, found two -1"};
            unknown = &size;
        } else if (__builtin_mul_overflow(others, size, &others)) {
            return Error{Code::shape, "sizes overflow"};
        }
    }
    if (!unknown) return {};
    if (others == 0) return Error{Code::shape, "the sizes beside -1 make 0"};
    if (total % others != 0)
        return Error{Code::shape, "elements to share among the sizes beside -1: found " + std::to_string(total) + " and " +
                                      std::to_string(total / others * others)};
    *unknown = total / others;
    return {};
}
} // namespace

Status gather_extents(std::span<const uint32_t> registers, std::span<const uint32_t> parts, const uint64_t* R, int64_t* out,
                      size_t& rank) {
    auto next = [&, at = size_t(0)]() mutable { return R[registers[at++]]; };
    auto add = [&](std::span<const int64_t> extents) -> Status {
        if (rank + extents.size() > max_rank)
            return Error{Code::limit, "rank " + std::to_string(rank + extents.size()) + " is over the limit of " + std::to_string(max_rank)};
        std::copy(extents.begin(), extents.end(), out + rank);
        rank += extents.size();
        return {};
    };
    rank = 0;
    for (size_t i = 0; i < parts.size(); ++i) {
        switch (ExtentPart(parts[i])) {
        case ExtentPart::number: case ExtentPart::unless: {
            int64_t extent = int64_t(next());
            if (ExtentPart(parts[i]) == ExtentPart::unless && next() != 0) break;
            TRY(add({&extent, 1}));
            break;
        }
        case ExtentPart::tail: {
            auto* tensor = reinterpret_cast<const TensorObject*>(next());
            uint32_t from = std::min(parts[++i], tensor->count);
            TRY(add({tensor->dims + from, tensor->count - from}));
            break;
        }
        case ExtentPart::head: {
            auto* tensor = reinterpret_cast<const TensorObject*>(next());
            TRY(add({tensor->dims, tensor->count - std::min(parts[++i], tensor->count)}));
            break;
        }
        case ExtentPart::elements: {
            auto* elements = reinterpret_cast<const std::byte*>(next());
            size_t count = size_t(next()), begin = rank;
            int64_t total = int64_t(next()), sizes[max_rank];
            if (count <= max_rank) std::memcpy(sizes, elements, count * sizeof(int64_t));      // of any alignment
            TRY(add({sizes, count}));
            TRY(infer_size({out + begin, count}, total));
            break;
        }
        case ExtentPart::last: {
            size_t kept = std::min(rank, size_t(next()));
            std::copy(out + rank - kept, out + rank, out);
            rank = kept;
            break;
        }
        }
    }
    for (size_t i = 0; i < rank; ++i)
        if (out[i] < 0) return Error{Code::shape, "size " + std::to_string(out[i]) + " is negative"};
    return {};
}
} // namespace nereus
