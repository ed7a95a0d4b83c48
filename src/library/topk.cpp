// The result is its own scratch: a heap of the best k so far, its worst on top, sorted in place at the end.
#include "library/kernels.h"
#include "library/params.h"
#include "tensor/element.h"

namespace nereus {
namespace {
template <class T> bool above(T a, T b) {
    const WideOf<T> x = a, y = b;
    if constexpr (is_real<T>)
        if (x != x || y != y) return x != x && y == y;
    return x > y;
}

template <class T> struct Best {
    struct Item { T value; int64_t index; };
    std::byte *values, *indices;
    int64_t value_stride, index_stride;

    Item get(int64_t i) const {
        return {load_element<T>(values + i * value_stride), load_element<int64_t>(indices + i * index_stride)};
    }
    void put(int64_t i, Item item) const {
        store_element(values + i * value_stride, item.value);
        store_element(indices + i * index_stride, item.index);
    }
    static bool before(Item a, Item b) { return above(a.value, b.value) || (!above(b.value, a.value) && a.index < b.index); }

    // Puts `item` at the top of a heap of `count` whose other items are in order.
    void sift(int64_t at, int64_t count, Item item) const {
        for (int64_t child; (child = 2 * at + 1) < count; at = child) {
            Item worse = get(child);
            if (child + 1 < count)
                if (Item other = get(child + 1); before(worse, other)) worse = other, ++child;
            if (!before(item, worse)) break;
            put(at, worse);
        }
        put(at, item);
    }
};

template <class T> int32_t topk(const Launch* launch, int64_t task_begin, int64_t task_end, Worker*) {
    GroupParams lines(launch, 0), line(launch, 1), places(launch, 2);
    const int64_t size = line.points, step = line.stride(0), k = places.points;
    if (k == 0) return 0;
    Tasks items = items_of(launch, task_begin, task_end, lines.points);
    for (int64_t i = items.begin; i < items.end; ++i) {
        const std::byte* x = static_cast<const std::byte*>(launch->buf[0]) + lines.offset(0, i);
        Best<T> best{static_cast<std::byte*>(launch->buf[1]) + lines.offset(1, i),
                     static_cast<std::byte*>(launch->buf[2]) + lines.offset(2, i), places.stride(0), places.stride(1)};
        for (int64_t j = 0; j < k; ++j) best.put(j, {load_element<T>(x + j * step), j});
        for (int64_t j = k / 2; j-- > 0;) best.sift(j, k, best.get(j));
        T worst = best.get(0).value;
        for (int64_t j = k; j < size; ++j) {
            T value = load_element<T>(x + j * step);
            if (!above(value, worst)) continue;          // an equal one has a higher index
            best.sift(0, k, {value, j});
            worst = best.get(0).value;
        }
        for (int64_t j = k; j-- > 1;) {                  // the worst of those left goes to their end
            typename Best<T>::Item last = best.get(j);
            best.put(j, best.get(0));
            best.sift(0, j, last);
        }
    }
    return 0;
}
} // namespace


std::span<const Kernel> topk_kernels() {
    static constexpr Kernel kernels[] = {topk<int32_t>, topk<int64_t>,  topk<float>,    topk<double>,   topk<int8_t>, topk<int16_t>,
                                         topk<uint8_t>, topk<uint16_t>, topk<uint32_t>, topk<uint64_t>, topk<F16>,    topk<BF16>};
    static_assert(std::size(kernels) == std::size(topk_dtypes));
    return kernels;
}
} // namespace nereus
