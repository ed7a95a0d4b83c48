// ops/elements.h - elements as numbers to compute with: floats in f64, bools and integers in i64, rounded or wrapped
// once on the way back.
#pragma once
#include "ir/op.h"
#include <cmath>
#include <limits>
#include <type_traits>

namespace nereus {
// Calls f with a zero of the C++ type of an element.
template <class F> auto with_type(DType dtype, F f) {
    switch (dtype) {
    case DType::boolean: return f(uint8_t());
    case DType::i32: return f(int32_t());
    case DType::i64: return f(int64_t());
    case DType::f32: return f(float());
    case DType::f64: break;
    }
    return f(double());
}
template <class T> using WideOf = std::conditional_t<std::is_floating_point_v<T>, double, int64_t>;

// Integer arithmetic that wraps; C++ leaves signed overflow undefined, unsigned not.
constexpr int64_t wrap_add(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
constexpr int64_t wrap_sub(int64_t a, int64_t b) { return int64_t(uint64_t(a) - uint64_t(b)); }
constexpr int64_t wrap_mul(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }
inline double add_up(double a, double b) { return a + b; }
inline int64_t add_up(int64_t a, int64_t b) { return wrap_add(a, b); }
inline double multiply(double a, double b) { return a * b; }
inline int64_t multiply(int64_t a, int64_t b) { return wrap_mul(a, b); }

inline bool is_nan(double x) { return std::isnan(x); }
inline bool is_nan(int64_t) { return false; }
template <class W> W larger(W a, W b) { return is_nan(a) || a > b ? a : b; }      // NaN if either is
template <class W> W smaller(W a, W b) { return is_nan(a) || a < b ? a : b; }

using Tensors = std::vector<HostTensor>;
} // namespace nereus
