// ops/families.h - the operators by family; each family is one file of the same name. registry.cpp joins them.
#pragma once
#include "ir/op.h"

namespace nereus {
std::span<const OpDef> unary_ops();        // elementwise, one tensor
std::span<const OpDef> binary_ops();       // elementwise arithmetic, two tensors
std::span<const OpDef> bits_ops();         // elementwise, integers as bits
std::span<const OpDef> compare_ops();      // comparisons, bool logic, select
std::span<const OpDef> reduce_ops();       // sum, max, sum_to
std::span<const OpDef> matmul_ops();
std::span<const OpDef> shape_ops();        // the same elements in another shape, and tensors made from sizes
std::span<const OpDef> index_ops();        // parts of a tensor: by range, by index, by condition
std::span<const OpDef> windows_ops();      // sliding windows along the last axes
std::span<const OpDef> conv_ops();         // convolution and its adjoints
std::span<const OpDef> sort_ops();
std::span<const OpDef> fourier_ops();
std::span<const OpDef> strings_ops();      // what texts say
std::span<const OpDef> random_ops();
std::span<const OpDef> structure_ops();    // builtins: cells, Seq, print, assert, equal, gradients
} // namespace nereus
