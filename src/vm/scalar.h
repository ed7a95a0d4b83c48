// vm/scalar.h - an element between memory and a register, as tensor/element.h:to_word writes it there.
#pragma once
#include "tensor/element.h"
#include <cstddef>
#include <cstring>

namespace nereus {
inline uint64_t load_scalar(DType dtype, const std::byte* at) {
    return with_type(dtype, [&](auto element) {
        std::memcpy(static_cast<void*>(&element), at, sizeof element);
        return to_word(element);
    });
}
inline void store_scalar(DType dtype, std::byte* at, uint64_t value) { std::memcpy(at, &value, size_t(size_of(dtype))); }
} // namespace nereus
