// ops/elements.h - arithmetic on elements in what they are computed in: f64, i64 or u64 (tensor/element.h:WideOf).
#pragma once
#include "ir/op.h"
#include "tensor/element.h"
#include <cmath>

namespace nereus {
// Integer arithmetic that wraps; C++ leaves signed overflow undefined, unsigned not.
constexpr int64_t wrap_add(int64_t a, int64_t b) { return int64_t(uint64_t(a) + uint64_t(b)); }
constexpr int64_t wrap_sub(int64_t a, int64_t b) { return int64_t(uint64_t(a) - uint64_t(b)); }
constexpr int64_t wrap_mul(int64_t a, int64_t b) { return int64_t(uint64_t(a) * uint64_t(b)); }
inline double add_up(double a, double b) { return a + b; }
inline int64_t add_up(int64_t a, int64_t b) { return wrap_add(a, b); }
inline uint64_t add_up(uint64_t a, uint64_t b) { return a + b; }
inline double multiply(double a, double b) { return a * b; }
inline int64_t multiply(int64_t a, int64_t b) { return wrap_mul(a, b); }
inline uint64_t multiply(uint64_t a, uint64_t b) { return a * b; }

template <class W> bool is_nan(W x) {
    if constexpr (std::is_floating_point_v<W>) return x != x;
    else return false;
}
template <class W> W larger(W a, W b) { return is_nan(a) || a > b ? a : b; }      // NaN if either is
template <class W> W smaller(W a, W b) { return is_nan(a) || a < b ? a : b; }

using Tensors = std::vector<HostTensor>;
} // namespace nereus
