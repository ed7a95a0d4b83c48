// dim/interval.h - intervals of integers with saturating ends: what lies beyond 64 bits counts as unbounded.
#pragma once
#include <algorithm>
#include <cstdint>

namespace nereus {
using Wide = __int128;

// low <= x <= high. Saturation at +-2^63 is sound: a low end only sinks, a high end only rises, and the extreme
// ends themselves mean "no bound". Products of two ends fit into 128 bits.
struct Interval {
    static constexpr Wide limit = Wide(1) << 63;
    Wide low = -limit, high = limit;
    bool bounded_low() const { return low > -limit; }
    bool bounded_high() const { return high < limit; }
    bool empty() const { return low > high; }
    bool excludes(int64_t v) const { return low > v || high < v; }
};

inline Wide saturate(Wide v) { return std::clamp(v, -Interval::limit, Interval::limit); }
inline Interval intersect(Interval a, Interval b) { return {std::max(a.low, b.low), std::min(a.high, b.high)}; }
inline Interval hull(Interval a, Interval b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }
inline Wide floor_wide(Wide a, Wide k) { return a / k - (a % k < 0); }       // k > 0
Interval add(Interval a, Interval b);
Interval multiply(Interval a, Interval b);
Interval floor_div(Interval a, Interval k);              // k is not 0
Interval mod(Interval a, Interval k);                    // k is not 0
} // namespace nereus
