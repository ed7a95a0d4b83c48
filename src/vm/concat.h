// vm/concat.h - the tensors of a sequence as one.
#pragma once
#include "vm/heap.h"

namespace nereus {
// Joined along an axis, which may count from the end. Null: no memory.
Result<TensorObject*> concat(Heap& heap, DType dtype, const SeqObject& seq, int64_t axis);
} // namespace nereus
