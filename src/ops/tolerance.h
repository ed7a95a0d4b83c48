// ops/tolerance.h - how far compiled code may be from eval: the one place that reads OpDef::ulps.
#pragma once
#include "ir/op.h"
#include "tensor/element.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace nereus {
// The distance from 1 to the next number, and from 0.
inline double epsilon(DType dtype) { return std::ldexp(1.0, 1 - precision(dtype)); }
inline double smallest(DType dtype) {
    return with_type(dtype, [](auto zero) {
        using T = decltype(zero);
        if constexpr (is_small_float(dtype_of<T>)) return double(T::of_bits(1));
        else return double(std::numeric_limits<T>::denorm_min());
    });
}

// The distance from `expected` to the next number of the dtype.
inline double unit_in_last_place(DType dtype, double expected) {
    double size = std::fabs(expected), least = smallest(dtype);
    return size == 0 ? least : std::max(least, std::ldexp(epsilon(dtype), std::ilogb(size)));
}

// Integers and bools: 0. Elementwise: so many units in the last place. Sums and contractions of `terms` terms, whose
// absolute values add up to `magnitude`: 4 eps (terms + 8) magnitude.
inline double allowed_error(const OpDef& op, DType dtype, double expected, int64_t terms, double magnitude) {
    if (!is_float(dtype)) return 0;
    if (op.ulps == sum_bound) return 4 * epsilon(dtype) * double(terms + 8) * magnitude;
    return op.ulps * unit_in_last_place(dtype, expected);
}
} // namespace nereus
