#include "library/library.h"
#include "library/kernels.h"
#include <algorithm>

namespace nereus {
namespace {
constexpr std::string_view names[] = {"topk_i32", "topk_i64", "topk_f32", "topk_f64"};
constexpr Kernel kernels[] = {topk_i32, topk_i64, topk_f32, topk_f64};
static_assert(std::size(names) == std::size(kernels));
} // namespace

std::span<const Kernel> library() { return kernels; }

std::optional<uint32_t> library_index(std::string_view name) {
    auto found = std::find(std::begin(names), std::end(names), name);
    if (found == std::end(names)) return std::nullopt;
    return uint32_t(found - std::begin(names));
}
} // namespace nereus
