// generator/rounding.h - whether rounding decides what a program gives: then a difference is nobody's mistake.
//
// Sums in another order differ in their last digits, and a cast to an integer or a comparison makes a whole number of
// that. Two signs, either is enough:
// - eval itself gives something else when the inputs change in their last digits;
// - eval gives what was found when literals change that are rounded themselves, as 0.3 is. They say less: literals also
//   meet where nothing is rounded. So those stay as they are that are short in binary, numbers that are equal stay
//   equal, and any other outcome than the very one that was found proves nothing.
#pragma once
#include "generator/outcome.h"
#include <random>

namespace nereus::gen {
bool rounding_decides(const Module& module, std::span<const Value> args, const Outcome& found, Precision precision, std::mt19937_64& random);
} // namespace nereus::gen
