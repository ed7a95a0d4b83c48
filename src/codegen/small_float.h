// codegen/small_float.h - f16 and bf16: 16 bits in memory, an f32 that is one of their numbers in registers.
#pragma once
#include "codegen/function_writer.h"

namespace nereus::cg {
Value* emit_widened(FunctionWriter& e, DType t, Value* bits);           // i16 to float
Value* emit_narrowed(FunctionWriter& e, DType t, Value* number);        // float to the nearest, as i16
Value* emit_rounded(FunctionWriter& e, DType t, Value* number);         // float to the nearest, as float; other dtypes: as it is
Value* emit_sticky(FunctionWriter& e, Value* number);                   // double to a float that may be rounded once more
Value* emit_small_of_integer(FunctionWriter& e, DType from, DType to, Value* number);       // rounded once, as float
} // namespace nereus::cg
