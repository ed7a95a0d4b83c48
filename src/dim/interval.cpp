// dim/interval.cpp - interval arithmetic with saturating ends.
#include "dim/interval.h"

namespace nereus {
// An end without a bound absorbs what is added to it; otherwise limit - 1 would look like a bound.
Interval add(Interval a, Interval b) {
    return {a.bounded_low() && b.bounded_low() ? saturate(a.low + b.low) : -Interval::limit,
            a.bounded_high() && b.bounded_high() ? saturate(a.high + b.high) : Interval::limit};
}

Interval multiply(Interval a, Interval b) {
    Wide ends[] = {saturate(a.low * b.low), saturate(a.low * b.high), saturate(a.high * b.low),
                   saturate(a.high * b.high)};
    return {*std::min_element(ends, ends + 4), *std::max_element(ends, ends + 4)};
}

Interval floor_div(Interval a, Interval k) {
    if (k.high < 0) return floor_div({-a.high, -a.low}, {-k.high, -k.low});
    if (k.low < 0) return {};
    k.low = std::max<Wide>(k.low, 1);                    // 0 has no quotient
    if (k.empty()) return {};
    Interval out;
    if (a.bounded_low()) out.low = floor_wide(a.low, a.low >= 0 ? k.high : k.low);
    if (a.bounded_high()) out.high = floor_wide(a.high, a.high >= 0 ? k.low : k.high);
    if (!k.bounded_high()) {                             // a large divisor leads to 0 or -1
        if (a.low >= 0) out.low = 0;
        if (a.high < 0) out.high = -1;
    }
    return out;
}

Interval mod(Interval a, Interval k) {
    if (k.high < 0) {
        Interval negated = mod({-a.high, -a.low}, {-k.high, -k.low});
        return {-negated.high, -negated.low};
    }
    if (k.low < 0) return {};
    Interval out{0, k.bounded_high() ? std::max<Wide>(k.high - 1, 0) : Interval::limit};
    if (a.low >= 0 && a.high < std::max<Wide>(k.low, 1)) return a;
    if (a.low >= 0) out.high = std::min(out.high, a.high);
    return out;
}
} // namespace nereus
