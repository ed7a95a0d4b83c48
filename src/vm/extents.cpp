#include "vm/extents.h"
#include <utility>

namespace nereus {
int64_t extent_product(std::span<const int64_t> extents) {
    int64_t product = 1;
    for (int64_t extent : extents) product = int64_t(uint64_t(product) * uint64_t(extent));
    return product;
}

bool same_extents_but(std::span<const int64_t> a, std::span<const int64_t> b, int axis) {
    if (a.size() != b.size()) return false;
    for (size_t i = 0; i < a.size(); ++i)
        if (a[i] != b[i] && int(i) != (axis < 0 ? axis + int(a.size()) : axis)) return false;
    return true;
}

bool same_tails(std::span<const int64_t> a, size_t from_a, std::span<const int64_t> b, size_t from_b) {
    a = a.subspan(std::min(from_a, a.size()));
    b = b.subspan(std::min(from_b, b.size()));
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
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

Status ExtentList::add(std::span<const int64_t> extents) {
    if (rank + extents.size() > max_rank)
        return Error{Code::limit, "rank " + std::to_string(rank + extents.size()) + " is over the limit of " + std::to_string(max_rank)};
    std::copy(extents.begin(), extents.end(), out + rank);
    rank += extents.size();
    return {};
}
Status ExtentList::add_inferred(std::span<const int64_t> sizes, int64_t total) {
    size_t begin = rank;
    TRY(add(sizes));
    return infer_size({out + begin, sizes.size()}, total);
}
void ExtentList::keep_last(size_t count) {
    size_t kept = std::min(rank, count);
    std::copy(out + rank - kept, out + rank, out);
    rank = kept;
}
Status ExtentList::reduce(std::span<const int64_t> axes, bool keep) {
    bool named[max_rank] = {};
    const std::string of_rank = " is out of range for rank " + std::to_string(rank);
    for (int64_t axis : axes) {
        const int64_t at = axis < 0 ? axis + int64_t(rank) : axis;
        if (at < 0 || size_t(at) >= rank) return Error{Code::shape, "axis " + std::to_string(axis) + of_rank};
        if (std::exchange(named[at], true)) return Error{Code::shape, "axis " + std::to_string(axis) + " is given twice"};
    }
    size_t kept = 0;
    for (size_t i = 0; i < rank; ++i)
        if (!named[i]) out[kept++] = out[i];
        else if (keep) out[kept++] = 1;
    rank = kept;
    return {};
}
Status ExtentList::check() const {
    for (size_t i = 0; i < rank; ++i)
        if (out[i] < 0) return Error{Code::shape, "size " + std::to_string(out[i]) + " is negative"};
    return {};
}
} // namespace nereus
