// tensor/small_float.h - floats of 16 bits: f16 (IEEE binary16) and bf16 (the upper half of an f32). What comes in is
// rounded once, to nearest, ties to even, from whatever it is; what goes out is exact.
#pragma once
#include <algorithm>
#include <bit>
#include <concepts>
#include <cstdint>

namespace nereus {
// whole * 2^exponent in a format of so many stored mantissa bits, to nearest, ties to even: exponent and mantissa side by side,
// as if exponents had no end.
constexpr uint64_t nearest_code(uint64_t whole, int exponent, int mantissa, int bias) {
    if (whole == 0) return 0;
    const int top = 63 - std::countl_zero(whole) + exponent;
    const int last = std::max(top, 1 - bias) - mantissa;      // the power of the last bit kept; subnormals share the lowest
    const int drop = last - exponent;
    uint64_t kept = 0;
    if (drop <= 0) kept = whole << -drop;
    else if (drop <= 64) {
        kept = drop == 64 ? 0 : whole >> drop;
        const uint64_t half = uint64_t(1) << (drop - 1), rest = whole - (drop == 64 ? 0 : kept << drop);
        kept += rest > half || (rest == half && (kept & 1));
    }
    // The leading bit of a normal number counts one in the exponent, and a carry goes there of itself.
    return kept + (uint64_t(last + mantissa + bias - 1) << mantissa);
}

// `mantissa` stored bits; sign and mantissa apart, the rest is exponent.
template <int mantissa> class SmallFloat {
 public:
    SmallFloat() = default;
    explicit constexpr SmallFloat(double value) : bits_(of_double(value)) {}
    explicit constexpr SmallFloat(float value) : SmallFloat(double(value)) {}
    template <std::integral N> explicit constexpr SmallFloat(N value) {
        const bool negative = value < 0;
        bits_ = rounded(negative, negative ? 0 - uint64_t(value) : uint64_t(value), 0);
    }
    constexpr operator double() const {
        const uint64_t sign = uint64_t(bits_ >> 15) << 63, rest = bits_ & 0x7fff, fraction = rest << (52 - mantissa);
        if (rest >= infinity) return std::bit_cast<double>(sign | fraction | uint64_t(0x7ff) << 52);
        // as a double whose exponent has our bias, then scaled: right for subnormals, too
        const double scale = std::bit_cast<double>(uint64_t(2 * 1023 - bias) << 52);
        return std::bit_cast<double>(sign | fraction) * scale;
    }

    static constexpr SmallFloat of_bits(uint16_t bits) {
        SmallFloat made{};
        made.bits_ = bits;
        return made;
    }
    constexpr uint16_t bits() const { return bits_; }

 private:
    static constexpr int bias = (1 << (14 - mantissa)) - 1;
    static constexpr uint16_t infinity = 0x7fff >> mantissa << mantissa;

    static constexpr uint16_t of_double(double value) {
        const uint64_t bits = std::bit_cast<uint64_t>(value), fraction = bits & (~uint64_t(0) >> 12);
        const bool negative = bits >> 63;
        const int exponent = int(bits >> 52 & 0x7ff);
        if (exponent == 0x7ff) {                         // a NaN stays one, quiet, with what fits of its payload
            const uint64_t payload = fraction ? uint64_t(1) << (mantissa - 1) | fraction >> (52 - mantissa) : 0;
            return uint16_t(negative << 15 | infinity | payload);
        }
        return exponent ? rounded(negative, fraction | uint64_t(1) << 52, exponent - 1075) : rounded(negative, fraction, -1074);
    }
    static constexpr uint16_t rounded(bool negative, uint64_t whole, int exponent) {
        return uint16_t(uint64_t(negative) << 15 | std::min<uint64_t>(nearest_code(whole, exponent, mantissa, bias), infinity));
    }

    uint16_t bits_;
};
using F16 = SmallFloat<10>;
using BF16 = SmallFloat<7>;
} // namespace nereus
