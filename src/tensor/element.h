// tensor/element.h - the C++ type of an element, and one call for code that is the same for every type.
#pragma once
#include "base/invariant.h"
#include "tensor/dtype.h"
#include "tensor/small_float.h"
#include "tensor/storage_type.h"
#include "tensor/text.h"
#include <limits>
#include <type_traits>
#include <utility>

namespace nereus {
template <class T> inline constexpr int dtype_index = -1;
template <> inline constexpr int dtype_index<bool> = int(DType::boolean);       // the byte 0 or 1, never another
template <> inline constexpr int dtype_index<int8_t> = int(DType::i8);
template <> inline constexpr int dtype_index<int16_t> = int(DType::i16);
template <> inline constexpr int dtype_index<int32_t> = int(DType::i32);
template <> inline constexpr int dtype_index<int64_t> = int(DType::i64);
template <> inline constexpr int dtype_index<uint8_t> = int(DType::u8);
template <> inline constexpr int dtype_index<uint16_t> = int(DType::u16);
template <> inline constexpr int dtype_index<uint32_t> = int(DType::u32);
template <> inline constexpr int dtype_index<uint64_t> = int(DType::u64);
template <> inline constexpr int dtype_index<F16> = int(DType::f16);
template <> inline constexpr int dtype_index<BF16> = int(DType::bf16);
template <> inline constexpr int dtype_index<float> = int(DType::f32);
template <> inline constexpr int dtype_index<double> = int(DType::f64);
template <DType t> inline constexpr int dtype_index<Stored<t>> = int(t);
template <> inline constexpr int dtype_index<Text> = int(DType::str);

template <class T>
concept HostElement = dtype_index<T> >= 0;
template <HostElement T> inline constexpr DType dtype_of = DType(dtype_index<T>);
template <HostElement T> inline constexpr bool is_real = is_float(dtype_of<T>);

// Calls f with a zero of the C++ type; of a dtype that is computed with.
template <class F> decltype(auto) with_number(DType dtype, F&& f) {
    switch (dtype) {
    case DType::boolean: return f(bool());
    case DType::i8: return f(int8_t());
    case DType::i16: return f(int16_t());
    case DType::i32: return f(int32_t());
    case DType::i64: return f(int64_t());
    case DType::u8: return f(uint8_t());
    case DType::u16: return f(uint16_t());
    case DType::u32: return f(uint32_t());
    case DType::u64: return f(uint64_t());
    case DType::f16: return f(F16());
    case DType::bf16: return f(BF16());
    case DType::f32: return f(float());
    case DType::f64: return f(double());
    default: break;
    }
    invariant(false, "no arithmetic on a type that is only stored, or on texts");
    return f(double());
}
// The same, of any dtype.
template <class F> decltype(auto) with_type(DType dtype, F&& f) {
    switch (dtype) {
    case DType::f8e4m3fn: return f(Stored<DType::f8e4m3fn>());
    case DType::f8e4m3fnuz: return f(Stored<DType::f8e4m3fnuz>());
    case DType::f8e5m2: return f(Stored<DType::f8e5m2>());
    case DType::f8e5m2fnuz: return f(Stored<DType::f8e5m2fnuz>());
    case DType::f8e8m0: return f(Stored<DType::f8e8m0>());
    case DType::f4e2m1: return f(Stored<DType::f4e2m1>());
    case DType::i4: return f(Stored<DType::i4>());
    case DType::u4: return f(Stored<DType::u4>());
    case DType::i2: return f(Stored<DType::i2>());
    case DType::u2: return f(Stored<DType::u2>());
    case DType::str: return f(Text());
    default: return with_number(dtype, std::forward<F>(f));
    }
}

// What elements are computed in, and cast by way of: rounded or wrapped once on the way back.
template <HostElement T> struct WideElement {
    using Type = std::conditional_t<is_real<T>, double, std::conditional_t<is_unsigned(dtype_of<T>), uint64_t, int64_t>>;
};
template <DType t> struct WideElement<Stored<t>> { using Type = typename Stored<t>::Number; };
template <> struct WideElement<Text> { using Type = uint64_t; };
template <HostElement T> using WideOf = typename WideElement<T>::Type;

// An element in a word of 64 bits: integers as the number, floats as their bits, what is only stored as its code, a text as its number.
template <HostElement T> uint64_t to_word(T x) {
    if constexpr (is_storage(dtype_of<T>)) return x.code();
    else if constexpr (!is_real<T>) return uint64_t(WideOf<T>(x));
    else return std::bit_cast<std::conditional_t<sizeof(T) == 8, uint64_t, std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t>>>(x);
}

// As the language casts: float to integer goes toward zero and saturates, NaN gives 0; integers wrap; to bool is != 0;
// to a float rounds once; to what is only stored as tensor/storage_type.h says.
template <HostElement To, class From> constexpr To element_cast(From x) {
    if constexpr (std::is_same_v<To, bool>) return x != 0;
    else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        // the bounds of To as doubles: the upper one rounds up to the first value that does not fit, or fits exactly
        constexpr To low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
        if (x != x) return To(0);
        return double(x) >= double(high) ? high : double(x) <= double(low) ? low : To(x);
    } else return To(x);
}
template <class From> uint64_t word_of(DType to, From x) {
    return with_type(to, [&](auto zero) { return to_word(element_cast<decltype(zero)>(x)); });
}
// The number of the dtype next to x.
inline double rounded(DType to, double x) {
    return with_type(to, [&](auto zero) { return double(element_cast<decltype(zero)>(x)); });
}
} // namespace nereus
