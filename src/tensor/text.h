// tensor/text.h - an element of dtype str: the number of a text in the table of tensor/texts.h.
#pragma once
#include <cstdint>

namespace nereus {
// Equal texts have equal numbers. To be moved and compared; casts read and write what it says, never the number.
struct Text {
    uint32_t number = 0;                     // 0: the empty text, so that memory full of zeros is valid
    constexpr Text() = default;
    template <class N> explicit constexpr Text(N n) : number(uint32_t(n)) {}
    constexpr operator uint64_t() const { return number; }
};
static_assert(sizeof(Text) == 4);
} // namespace nereus
