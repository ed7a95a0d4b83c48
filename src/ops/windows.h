// ops/windows.h - windows that slide along axes: of one axis of `size`, window o has its taps at o * stride + t * dilation.
#pragma once
#include "ops/lowering.h"
#include "ops/shape_rules.h"
#include "tensor/host_tensor.h"
#include <functional>

namespace nereus {
// Per axis, constants written in the program; left out they are 1.
struct Steps { std::vector<int64_t> strides, dilations; };
Result<Steps> steps_of(std::optional<std::vector<int64_t>> strides, std::optional<std::vector<int64_t>> dilations, size_t axes);
template <class Args> Result<Steps> steps_of(const Args& args, size_t axes) { return steps_of(args.integers("strides"), args.integers("dilations"), axes); }
Steps steps_of(const OpLowering& l, size_t axes);        // checked before

// How many windows there are: (size - dilation * (taps - 1) - 1) // stride + 1, which must not be negative.
Result<int64_t> count_windows(int64_t size, int64_t taps, int64_t stride, int64_t dilation);
// What must be true of sizes that are not known yet, said where a rule is (ShapeScope::require) or where it runs.
using Need = std::function<Status(Dim a, Relation relation, Dim b, std::string_view what)>;
Need needed_by(ShapeScope& scope);
Need checked_by(OpLowering& l);
Result<Dim> count_windows(Dims& dims, Dim size, Dim taps, int64_t stride, int64_t dilation, const Need& need);
// The shape of conv's result, of x and w of one rank.
Result<std::vector<Dim>> conv_shape(Dims& dims, const std::vector<Dim>& x, const std::vector<Dim>& w, const Steps& steps, int64_t groups, const Need& need);

// On values of unknown rank (ops/unranked.h).
Status lower_windows_unranked(OpLowering& l);
Status lower_fold_windows_unranked(OpLowering& l);
Status lower_conv_unranked(OpLowering& l);
Status lower_conv_input_unranked(OpLowering& l);
Status lower_conv_weight_unranked(OpLowering& l);
Stride times(Dims& dims, const Stride& stride, int64_t factor);
} // namespace nereus
