// value/compare.h - whether two values are the same, and if not, where they first differ.
#pragma once
#include "value/value.h"
#include <optional>

namespace nereus {
// Same structure, dtypes, shapes and bits: a NaN equals itself, 0 and -0 differ.
bool equal_bitwise(const Value& a, const Value& b);

struct Tolerance {
    double rtol = 0, atol = 0;                     // floats: at most atol + rtol * |expected| apart
    bool equal_nan = true;                         // any NaN equals any other; all but floats must be equal
};
struct Difference {
    std::string path;                              // .0/Node.1[3]: item 0, argument 1 of Node, element 3
    std::string what;                              // "found 2, expected 3"
};
// The first difference, depth first. Parts that both sides share are visited once, not once per path to them.
std::optional<Difference> compare(const Value& found, const Value& expected, const Tolerance& tolerance = {});
// "3 of 8 elements differ, by at most 0.5": how far two tensors are from each other; nothing where that says no more than the first.
std::string extent_of_difference(const Value& found, const Value& expected, const Tolerance& tolerance);
} // namespace nereus
