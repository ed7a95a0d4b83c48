// library/kernels.h - the kernels by name, each with the groups, buffers and scalars that a launch must bind, in order.
#pragma once
#include "tensor/kernel.h"

namespace nereus {
// The k largest of each line, descending, ties to the lower index, NaN above everything; and their indices.
// Groups: the lines (x, values, indices); the line itself (x); the places of the result (values, indices).
int32_t topk_i32(const Launch*, int64_t, int64_t, Worker*);
int32_t topk_i64(const Launch*, int64_t, int64_t, Worker*);
int32_t topk_f32(const Launch*, int64_t, int64_t, Worker*);
int32_t topk_f64(const Launch*, int64_t, int64_t, Worker*);
} // namespace nereus
