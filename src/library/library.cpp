#include "library/library.h"
#include "library/kernels.h"
#include <algorithm>

namespace nereus {
std::span<const Kernel> library() { return topk_kernels(); }

std::optional<uint32_t> library_index(std::string_view name) {
    constexpr std::string_view topk = "topk_";
    const std::optional<DType> dtype = name.starts_with(topk) ? dtype_from_name(name.substr(topk.size())) : std::nullopt;
    const auto found = dtype ? std::ranges::find(topk_dtypes, *dtype) : std::end(topk_dtypes);
    if (found == std::end(topk_dtypes)) return std::nullopt;
    return uint32_t(found - std::begin(topk_dtypes));
}
} // namespace nereus
