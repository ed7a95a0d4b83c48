// tensor/dtype.h - element types of tensors: one row each says all that other rooms ask.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace nereus {
// The order is stored in artefacts: append only.
enum class DType : uint8_t {
    boolean, i32, i64, f32, f64, i8, i16, u8, u16, u32, u64, f16, bf16,
    f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, f8e8m0, f4e2m1, i4, u4, i2, u2,
    str,
};
enum class DTypeKind : uint8_t {
    boolean, signed_integer, unsigned_integer, real,
    storage,       // only moved and cast: tensor/storage_type.h
    text,          // numbers of texts: tensor/texts.h
};

struct DTypeRow {
    DType dtype;
    std::string_view name;        // as written in programs
    int64_t size;                 // bytes in memory
    DTypeKind kind;
    int precision;                // significant bits: of an integer all but the sign, of a float with the leading one
    std::string_view npy;         // as NumPy describes it; of bf16, which it does not know, as ml_dtypes does; tensor/npy.h
    int bits = int(8 * size);     // of a smaller one the other bits of its byte are 0: a bool is the byte 0 or 1
};
inline constexpr DTypeRow dtype_rows[] = {
    {DType::boolean, "bool", 1, DTypeKind::boolean, 1, "|b1", 1},
    {DType::i32,     "i32",  4, DTypeKind::signed_integer, 31, "<i4"},
    {DType::i64,     "i64",  8, DTypeKind::signed_integer, 63, "<i8"},
    {DType::f32,     "f32",  4, DTypeKind::real, 24, "<f4"},
    {DType::f64,     "f64",  8, DTypeKind::real, 53, "<f8"},
    {DType::i8,      "i8",   1, DTypeKind::signed_integer, 7, "|i1"},
    {DType::i16,     "i16",  2, DTypeKind::signed_integer, 15, "<i2"},
    {DType::u8,      "u8",   1, DTypeKind::unsigned_integer, 8, "|u1"},
    {DType::u16,     "u16",  2, DTypeKind::unsigned_integer, 16, "<u2"},
    {DType::u32,     "u32",  4, DTypeKind::unsigned_integer, 32, "<u4"},
    {DType::u64,     "u64",  8, DTypeKind::unsigned_integer, 64, "<u8"},
    {DType::f16,     "f16",  2, DTypeKind::real, 11, "<f2"},
    {DType::bf16,    "bf16", 2, DTypeKind::real, 8, "<V2"},
    {DType::f8e4m3fn,   "f8e4m3fn", 1, DTypeKind::storage, 4, "|u1", 8},
    {DType::f8e4m3fnuz, "f8e4m3fnuz", 1, DTypeKind::storage, 4, "|u1", 8},
    {DType::f8e5m2,     "f8e5m2", 1, DTypeKind::storage, 3, "|u1", 8},
    {DType::f8e5m2fnuz, "f8e5m2fnuz", 1, DTypeKind::storage, 3, "|u1", 8},
    {DType::f8e8m0,     "f8e8m0", 1, DTypeKind::storage, 1, "|u1", 8},
    {DType::f4e2m1,     "f4e2m1", 1, DTypeKind::storage, 2, "|u1", 4},
    {DType::i4,         "i4", 1, DTypeKind::storage, 3, "|u1", 4},
    {DType::u4,         "u4", 1, DTypeKind::storage, 4, "|u1", 4},
    {DType::i2,         "i2", 1, DTypeKind::storage, 1, "|u1", 2},
    {DType::u2,         "u2", 1, DTypeKind::storage, 2, "|u1", 2},
    {DType::str,        "str", 4, DTypeKind::text, 0, "<U"},
};
inline constexpr int dtype_count = sizeof dtype_rows / sizeof dtype_rows[0];
// For messages, in the order that people expect.
inline constexpr std::string_view dtype_choices =
    "bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, str, or only to be stored: f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, "
    "f8e8m0, f4e2m1, i4, u4, i2 or u2";

constexpr const DTypeRow& row_of(DType t) { return dtype_rows[int(t)]; }
constexpr int64_t size_of(DType t) { return row_of(t).size; }
constexpr int precision(DType t) { return row_of(t).precision; }
constexpr std::string_view dtype_name(DType t) { return row_of(t).name; }
constexpr bool is_float(DType t) { return row_of(t).kind == DTypeKind::real; }
constexpr bool is_unsigned(DType t) { return row_of(t).kind == DTypeKind::unsigned_integer; }
constexpr bool is_integer(DType t) { return row_of(t).kind == DTypeKind::signed_integer || is_unsigned(t); }
constexpr bool is_storage(DType t) { return row_of(t).kind == DTypeKind::storage; }
constexpr bool is_text(DType t) { return row_of(t).kind == DTypeKind::text; }
// What bit_cast compares; it takes a bool for its byte.
constexpr int bit_width(DType t) { return t == DType::boolean ? 8 : row_of(t).bits; }
// Floats of 16 bits: computed in f32 and rounded after each operator.
constexpr bool is_small_float(DType t) { return is_float(t) && size_of(t) == 2; }
// Bools and the integers that a signed register of 64 bits holds: a scalar of these is a number of the host program.
constexpr bool is_host_number(DType t) { return !is_float(t) && !is_storage(t) && !is_text(t) && t != DType::u64; }

// Whether an integer dtype has this number.
constexpr bool fits(DType t, int64_t number) {
    if (is_unsigned(t) && number < 0) return false;
    return precision(t) >= 63 || (-(int64_t(1) << precision(t)) <= number && number < int64_t(1) << precision(t));
}
// Whether every number of one integer dtype is one of the other.
constexpr bool includes(DType wide, DType narrow) {
    return precision(wide) >= precision(narrow) && (is_unsigned(narrow) || !is_unsigned(wide));
}

constexpr std::optional<DType> dtype_from_name(std::string_view name) {
    for (const DTypeRow& row : dtype_rows)
        if (row.name == name) return row.dtype;
    return std::nullopt;
}
} // namespace nereus
