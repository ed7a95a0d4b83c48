// generator/nudge.h - moves the floats inside a value, a little or along a direction, and the literals of a program.
#pragma once
#include "ir/module.h"
#include "value/value.h"
#include <random>

namespace nereus::gen {
Value nudged(const Value& value, double relative, std::mt19937_64& random);
// Float literals by up to so many units in the last place of their dtype. Multiples of 1/1024 stay: short sums and
// products of those are exact. Literals that are equal but for their sign move alike.
Module with_nudged_literals(Module module, double units, std::mt19937_64& random);
// A value of the same structure with floats between -1 and 1.
Value random_direction(const Value& value, std::mt19937_64& random);
Value moved_along(const Value& value, const Value& direction, double by);
// The sum of products of floats; `out_scale` grows by their magnitudes.
double dot(const Value& a, const Value& b, double& out_scale);
} // namespace nereus::gen
