// ops/runtime_axes.h - reductions along axes that are numbers known when the program runs: whether axis i goes is then a
// number too, 0 or 1, and every size follows from these by arithmetic.
#pragma once
#include "ir/module.h"
#include <span>

namespace nereus {
// Per axis of x: 1 if one of `axes` names it, else 0. Axes are in range and distinct; negative ones count from the end.
std::vector<Dim> axes_that_go(Dims& dims, std::span<const Dim> axes, size_t rank);
// Extents of what stays and of what goes: at every axis, one of them is 1.
struct SplitExtents { std::vector<Dim> stay, go; };
SplitExtents split_extents(Dims& dims, std::span<const Dim> shape, std::span<const Dim> goes);
// The extents that stay, one after the other; `count` of them go.
std::vector<Dim> closed_up(Dims& dims, std::span<const Dim> shape, std::span<const Dim> goes, size_t count);
} // namespace nereus
