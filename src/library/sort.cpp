// The places of the elements are sorted in the scratch memory, then each element gets the number of the texts before it.
#include "library/kernels.h"
#include "library/params.h"
#include "tensor/texts.h"
#include <algorithm>
#include <numeric>

namespace nereus {
namespace {
int32_t str_order(const Launch* launch, int64_t task_begin, int64_t task_end, Worker*) {
    const GroupParams one(launch, 0), elements(launch, 1);
    const Tasks items = items_of(launch, task_begin, task_end, one.points);
    if (items.begin >= items.end) return 0;
    const std::byte* x = static_cast<const std::byte*>(launch->buf[0]);
    std::byte* y = static_cast<std::byte*>(launch->buf[1]);
    const std::span<int64_t> order(static_cast<int64_t*>(launch->buf[2]), size_t(elements.points));
    auto text = [&](int64_t i) { return load_element<Text>(x + elements.offset(0, i)); };
    std::iota(order.begin(), order.end(), 0);
    std::ranges::sort(order, [&](int64_t i, int64_t j) { return text_of(text(i)) < text_of(text(j)); });
    int64_t before = 0;
    for (size_t k = 0; k < order.size(); ++k) {
        if (k > 0 && text(order[k]) != text(order[k - 1])) ++before;
        store_element(y + elements.offset(1, order[k]), before);
    }
    return 0;
}
constexpr Kernel kernels[] = {str_order};
} // namespace

std::span<const Kernel> sort_kernels() { return kernels; }
} // namespace nereus
