// ops/strings.h - casts to and from texts: of one operator with the others (ops/unary.cpp), with kernels of their own.
#pragma once
#include "ops/elements.h"
#include "ops/lowering.h"

namespace nereus {
Result<Tensors> cast_texts(const HostTensor& x, DType to, StoreRule rule);
Status lower_cast_texts(OpLowering& l);
} // namespace nereus
