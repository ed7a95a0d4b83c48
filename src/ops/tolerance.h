// ops/tolerance.h - how far compiled code may be from eval: the one place that reads OpDef::ulps.
#pragma once
#include "ir/op.h"
#include <algorithm>
#include <cmath>
#include <limits>

namespace nereus {
// The distance from `expected` to the next number of the dtype.
inline double unit_in_last_place(DType dtype, double expected) {
    bool narrow = dtype == DType::f32;
    double eps = narrow ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    double least = narrow ? double(std::numeric_limits<float>::denorm_min()) : std::numeric_limits<double>::denorm_min();
    double size = std::fabs(expected);
    return size == 0 ? least : std::max(least, std::ldexp(eps, std::ilogb(size)));
}

// Integers and bools: 0. Elementwise: so many units in the last place. Sums and contractions of `terms` terms, whose
// absolute values add up to `magnitude`: 4 eps (terms + 8) magnitude.
inline double allowed_error(const OpDef& op, DType dtype, double expected, int64_t terms, double magnitude) {
    if (!is_float(dtype)) return 0;
    double eps = dtype == DType::f32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
    if (op.ulps == sum_bound) return 4 * eps * double(terms + 8) * magnitude;
    return op.ulps * unit_in_last_place(dtype, expected);
}
} // namespace nereus
