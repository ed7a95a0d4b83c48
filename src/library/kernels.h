// library/kernels.h - the kernels, each with the groups, buffers and scalars that a launch must bind, in order.
#pragma once
#include "tensor/dtype.h"
#include "tensor/kernel.h"
#include <span>

namespace nereus {
// The k largest of each line, descending, ties to the lower index, NaN above everything; and their indices.
// Groups: the lines (x, values, indices); the line itself (x); the places of the result (values, indices).
// One per dtype, topk_i32 and so on; artefacts know them by their number: append only.
inline constexpr DType topk_dtypes[] = {DType::i32, DType::i64, DType::f32, DType::f64, DType::i8,  DType::i16,
                                        DType::u8,  DType::u16, DType::u32, DType::u64, DType::f16, DType::bf16};
std::span<const Kernel> topk_kernels();
} // namespace nereus
