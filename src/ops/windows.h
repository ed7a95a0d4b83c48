// ops/windows.h - windows that slide along axes: of one axis of `size`, window o has its taps at o * stride + t * dilation.
#pragma once
#include "ops/lowering.h"
#include "ops/shape_rules.h"
#include "tensor/host_tensor.h"

namespace nereus {
// Per axis, constants written in the program; left out they are 1.
struct Steps { std::vector<int64_t> strides, dilations; };
Result<Steps> steps_of(std::optional<std::vector<int64_t>> strides, std::optional<std::vector<int64_t>> dilations, size_t axes);
template <class Args> Result<Steps> steps_of(const Args& args, size_t axes) { return steps_of(args.integers("strides"), args.integers("dilations"), axes); }
Steps steps_of(const OpLowering& l, size_t axes);        // checked before

// How many windows there are: (size - dilation * (taps - 1) - 1) // stride + 1, which must not be negative.
Result<int64_t> count_windows(int64_t size, int64_t taps, int64_t stride, int64_t dilation);
Result<Dim> count_windows(ShapeScope& scope, Dim size, Dim taps, int64_t stride, int64_t dilation);
Stride times(Dims& dims, const Stride& stride, int64_t factor);
} // namespace nereus
