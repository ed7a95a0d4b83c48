// library/kernels.h - the kernels, each with the groups, buffers and scalars that a launch must bind, in order.
#pragma once
#include "tensor/dtype.h"
#include "tensor/kernel.h"
#include <optional>
#include <span>
#include <string_view>

namespace nereus {
// The k largest of each line, descending, ties to the lower index, NaN above everything; and their indices.
// Groups: the lines (x, values, indices); the line itself (x); the places of the result (values, indices).
// One per dtype, topk_i32 and so on; artefacts know them by their number: append only.
inline constexpr DType topk_dtypes[] = {DType::i32, DType::i64, DType::f32, DType::f64, DType::i8,  DType::i16,
                                        DType::u8,  DType::u16, DType::u32, DType::u64, DType::f16, DType::bf16};
std::span<const Kernel> topk_kernels();

// Texts, element by element; each has one group, of the points of the result, and as its last buffer the result.
// str_concat: a, b. str_lower, str_upper: x. str_match: x, pattern. str_count: x, delimiter; scalar: limit. str_part: x, delimiter,
// place; scalar: limit. str_from_f32 and so on: x; scalar: its dtype. str_to_f32 and so on: x; scalars: the dtype, saturate, round.
std::span<const Kernel> string_kernels();
std::optional<uint32_t> string_kernel_index(std::string_view name);

// Fourier transforms of lines of complex numbers, each a pair of elements side by side. The two kernels share a table: 12 f64 per
// point of a line. fft_table makes it. Groups: one point; the line. Buffers: the table; scratch: 5 f64 per point.
// fft_f32 and so on transform. Groups: workers, who take turns at the lines (scratch); the lines (x, result); the line (x, result).
// Buffers: x, the result, the table; scratch: 10 f64 per point of a line, for each worker. Scalar: 1 for the inverse, undivided.
std::span<const Kernel> fft_kernels();
std::optional<uint32_t> fft_kernel_index(std::string_view name);

// str_order: of each text, how many different ones come before it. Groups: one point; the elements (x, result). Buffers: x, the
// result; scratch: an i64 per element.
std::span<const Kernel> sort_kernels();
} // namespace nereus
