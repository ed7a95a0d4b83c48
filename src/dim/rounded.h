// dim/rounded.h - integers as floats hold them: with so many binary digits.
#pragma once
#include "dim/interval.h"
#include <bit>

namespace nereus {
// The nearest number of `bits` binary digits, ties to even. |v| <= 2^120, bits > 0.
inline Wide rounded_to_bits(Wide v, int bits) {
    using Bits = unsigned __int128;
    const Bits size = v < 0 ? Bits(0) - Bits(v) : Bits(v);
    const uint64_t high = uint64_t(size >> 64), low = uint64_t(size);
    const int width = high ? 64 + std::bit_width(high) : std::bit_width(low);
    if (width <= bits) return v;
    const int gone = width - bits;
    const Bits half = Bits(1) << (gone - 1), rest = size & ((half << 1) - 1);
    Bits kept = size >> gone;
    if (rest > half || (rest == half && (kept & 1))) ++kept;
    const Wide out = Wide(kept << gone);
    return v < 0 ? -out : out;
}
} // namespace nereus
