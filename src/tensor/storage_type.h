// tensor/storage_type.h - the types that are only stored, moved and cast: ONNX's floats of 8 and 4 bits, integers of 4 and 2.
// An element is a code in the low bits of a byte. What goes out is exact; what comes in is brought there once, as ONNX's Cast
// has it.
#pragma once
#include "tensor/dtype.h"
#include "tensor/small_float.h"
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <type_traits>

namespace nereus {
enum class StorageSort : uint8_t {
    real,                         // sign, exponent, mantissa
    power,                        // of two: 2^(code - bias); neither sign nor 0
    whole,                        // two's complement, or no sign
};
struct StorageRow {
    DType dtype;
    StorageSort sort;
    int mantissa, bias;
    uint8_t largest;              // code of the largest number
    uint8_t infinity, nan;        // codes; 0: there is none
    bool is_signed;

    constexpr bool one_zero() const { return nan == sign(); }            // its -0 is NaN
    constexpr uint8_t sign() const { return is_signed ? uint8_t(1 << (row_of(dtype).bits - 1)) : uint8_t(0); }
    constexpr uint8_t mask() const { return uint8_t((1 << row_of(dtype).bits) - 1); }
};
inline constexpr StorageRow storage_rows[] = {
    //                  sort                mantissa bias largest inf  nan  sign
    {DType::f8e4m3fn,   StorageSort::real,  3,       7,   0x7e,   0,    0x7f, true},
    {DType::f8e4m3fnuz, StorageSort::real,  3,       8,   0x7f,   0,    0x80, true},
    {DType::f8e5m2,     StorageSort::real,  2,       15,  0x7b,   0x7c, 0x7e, true},
    {DType::f8e5m2fnuz, StorageSort::real,  2,       16,  0x7f,   0,    0x80, true},
    {DType::f8e8m0,     StorageSort::power, 0,       127, 0xfe,   0,    0xff, false},
    {DType::f4e2m1,     StorageSort::real,  1,       1,   0x7,    0,    0,    true},
    {DType::i4,         StorageSort::whole, 0,       0,   0x7,    0,    0,    true},
    {DType::u4,         StorageSort::whole, 0,       0,   0xf,    0,    0,    false},
    {DType::i2,         StorageSort::whole, 0,       0,   0x1,    0,    0,    true},
    {DType::u2,         StorageSort::whole, 0,       0,   0x3,    0,    0,    false},
};
constexpr const StorageRow& storage_row(DType t) { return storage_rows[int(t) - int(DType::f8e4m3fn)]; }

// How a number between two powers of two is brought to one; `nearest` goes up from the middle.
enum class Rounding : uint8_t { up, down, nearest };
inline constexpr std::string_view rounding_names[] = {"up", "down", "nearest"};
constexpr std::optional<Rounding> rounding_from_name(std::string_view name) {
    for (int i = 0; i < 3; ++i)
        if (rounding_names[i] == name) return Rounding(i);
    return std::nullopt;
}
// Of floats: a number beyond the largest becomes it, else infinity or, where there is none, NaN. `round` is of powers alone;
// other floats round to nearest, ties to even. Integers take the whole part modulo 2^bits and know neither.
struct StoreRule { bool saturate = true; Rounding round = Rounding::up; };

template <DType t> class Stored {
 public:
    static constexpr const StorageRow& row = storage_row(t);
    using Number = std::conditional_t<row.sort != StorageSort::whole, double, std::conditional_t<row.is_signed, int64_t, uint64_t>>;

    Stored() = default;
    explicit constexpr Stored(double value, StoreRule rule = {}) : code_(of_real(value, rule)) {}
    explicit constexpr Stored(float value, StoreRule rule = {}) : Stored(double(value), rule) {}
    template <std::integral N> explicit constexpr Stored(N value, StoreRule rule = {}) {
        const bool negative = value < 0;
        if constexpr (row.sort == StorageSort::whole) code_ = uint8_t(uint64_t(value) & row.mask());
        else code_ = of_finite(negative, negative ? 0 - uint64_t(value) : uint64_t(value), 0, rule);
    }
    constexpr operator Number() const {
        if constexpr (row.sort == StorageSort::whole) return Number(code_) - (code_ & row.sign() ? Number(row.mask()) + 1 : 0);
        else return real();
    }
    static constexpr Stored of_code(uint8_t code) {
        Stored made{};
        made.code_ = code;
        return made;
    }
    constexpr uint8_t code() const { return code_; }
    friend constexpr bool operator==(Stored a, Stored b) { return a.code_ == b.code_; }

 private:
    static constexpr double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
    static constexpr double power(int exponent) { return std::bit_cast<double>(uint64_t(exponent + 1023) << 52); }

    constexpr double real() const {
        const double negative = code_ & row.sign() ? -1 : 1;
        const int size = code_ & ~row.sign(), fraction = size & ((1 << row.mantissa) - 1), exponent = size >> row.mantissa;
        if (row.nan && (row.one_zero() ? code_ == row.nan : row.infinity ? size > row.infinity : size == row.nan))
            return std::bit_cast<double>(std::bit_cast<uint64_t>(nan) | uint64_t(!row.one_zero() && negative < 0) << 63);
        if (row.infinity && size == row.infinity) return negative * infinity;
        if (row.sort == StorageSort::power) return power(size - row.bias);
        if (exponent == 0) return negative * fraction * power(1 - row.bias - row.mantissa);
        return negative * ((1 << row.mantissa) + fraction) * power(exponent - row.bias - row.mantissa);
    }

    static constexpr uint8_t of_real(double value, StoreRule rule) {
        const uint64_t bits = std::bit_cast<uint64_t>(value), fraction = bits & (~uint64_t(0) >> 12);
        const bool negative = bits >> 63;
        const int exponent = int(bits >> 52 & 0x7ff);
        if constexpr (row.sort == StorageSort::whole) {
            // beyond 2^63 a double is a multiple of 2^11
            if (!(value > -0x1p63 && value < 0x1p63)) return 0;
            return uint8_t(uint64_t(int64_t(value)) & row.mask());
        } else {
            if (exponent == 0x7ff) return fraction ? not_a_number(negative) : beyond(negative, rule);
            return exponent ? of_finite(negative, fraction | uint64_t(1) << 52, exponent - 1075, rule) : of_finite(negative, fraction, -1074, rule);
        }
    }
    // whole * 2^exponent.
    static constexpr uint8_t of_finite(bool negative, uint64_t whole, int exponent, StoreRule rule) {
        if constexpr (row.sort == StorageSort::power) {
            if (whole == 0) return rule.saturate ? 0 : row.nan;
            if (negative) return row.nan;
            const int top = 63 - std::countl_zero(whole) + exponent;
            const bool exact = std::has_single_bit(whole), upper_half = top > exponent && whole >> (top - exponent - 1) & 1;
            if (top < -row.bias) return rule.saturate ? 0 : row.nan;
            if (top > row.bias || (top == row.bias && !exact)) return beyond(false, rule);
            const bool next = rule.round == Rounding::up ? !exact : rule.round == Rounding::nearest && upper_half;
            return uint8_t(top + row.bias + next);
        } else {
            const uint64_t size = nearest_code(whole, exponent, row.mantissa, row.bias);
            if (size > row.largest) return beyond(negative, rule);
            return size == 0 && row.one_zero() ? uint8_t(0) : uint8_t(size | (negative ? row.sign() : 0u));
        }
    }
    static constexpr uint8_t beyond(bool negative, StoreRule rule) {
        if (row.sort == StorageSort::power && negative) return row.nan;
        const int sign = negative ? row.sign() : 0;
        if (rule.saturate || !row.nan) return uint8_t(row.largest | sign);
        return row.infinity ? uint8_t(row.infinity | sign) : not_a_number(negative);
    }
    // What has no NaN gets -0, as in ONNX's reference.
    static constexpr uint8_t not_a_number(bool negative) {
        if (!row.nan) return row.sign();
        return row.one_zero() || !negative ? row.nan : uint8_t(row.nan | row.sign());
    }

    uint8_t code_;
};
} // namespace nereus
