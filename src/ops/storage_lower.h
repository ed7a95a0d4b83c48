// ops/storage_lower.h - codes of the types that are only stored, in loops: there an element is a u8 (of a text its number, a u32), and a cast is arithmetic on
// bits that runs on all lanes at once. tensor/storage_type.h says what comes out.
#pragma once
#include "loop/builder.h"
#include "tensor/storage_type.h"

namespace nereus {
// In memory and in registers of a loop.
constexpr DType loop_dtype(DType t) { return is_storage(t) ? DType::u8 : is_text(t) ? DType::u32 : t; }

// Any cast; x and the result are codes where their dtypes are only stored.
loop::ExprId cast_element(loop::Builder& b, loop::ExprId x, DType from, DType to, StoreRule rule);
} // namespace nereus
