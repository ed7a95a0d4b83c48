// tensor/dtype.h - element types of tensors.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace nereus {
enum class DType : uint8_t { boolean, i32, i64, f32, f64 };   // the order is stored in artefacts: append only
inline constexpr int dtype_count = 5;

constexpr int64_t size_of(DType t) {
    switch (t) {
    case DType::boolean: return 1;       // one byte, 0 or 1
    case DType::i32: case DType::f32: return 4;
    case DType::i64: case DType::f64: return 8;
    }
    return 0;
}
constexpr bool is_float(DType t) { return t == DType::f32 || t == DType::f64; }
constexpr bool is_integer(DType t) { return t == DType::i32 || t == DType::i64; }

// As written in programs: bool, i32, i64, f32, f64.
constexpr std::string_view dtype_name(DType t) {
    constexpr std::string_view names[] = {"bool", "i32", "i64", "f32", "f64"};
    return names[int(t)];
}
constexpr std::optional<DType> dtype_from_name(std::string_view name) {
    for (int i = 0; i < dtype_count; ++i)
        if (dtype_name(DType(i)) == name) return DType(i);
    return std::nullopt;
}
} // namespace nereus
