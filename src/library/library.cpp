#include "library/library.h"
#include "library/kernels.h"
#include <algorithm>
#include <vector>

namespace nereus {
namespace {
std::optional<uint32_t> topk_index(std::string_view name) {
    constexpr std::string_view topk = "topk_";
    const std::optional<DType> dtype = name.starts_with(topk) ? dtype_from_name(name.substr(topk.size())) : std::nullopt;
    const auto found = dtype ? std::ranges::find(topk_dtypes, *dtype) : std::end(topk_dtypes);
    if (found == std::end(topk_dtypes)) return std::nullopt;
    return uint32_t(found - std::begin(topk_dtypes));
}
} // namespace

std::span<const Kernel> library() {
    static const std::vector<Kernel> all = [] {
        std::vector<Kernel> kernels;
        for (std::span<const Kernel> family : {topk_kernels(), string_kernels(), fft_kernels(), sort_kernels()}) kernels.insert(kernels.end(), family.begin(), family.end());
        return kernels;
    }();
    return all;
}

std::optional<uint32_t> library_index(std::string_view name) {
    if (std::optional<uint32_t> topk = topk_index(name)) return topk;
    const uint32_t strings = uint32_t(topk_kernels().size()), transforms = strings + uint32_t(string_kernels().size());
    if (const std::optional<uint32_t> string = string_kernel_index(name)) return strings + *string;
    const std::optional<uint32_t> transform = fft_kernel_index(name);
    if (transform) return transforms + *transform;
    return name == "str_order" ? std::optional(transforms + uint32_t(fft_kernels().size())) : std::nullopt;
}
} // namespace nereus
