// infer/specialise.h - from a polymorphic program to a ground one: a copy of each function per type it is used at.
#pragma once
#include "ir/module.h"

namespace nereus {
// Takes the module as parsed, types it (infer/types.h) and keeps what `entry` reaches: the entry first, copies named f,
// f.1, f.2 in order of discovery. All types are ground in structure and dtype; numbers that nothing else decides are i64
// or f32. Shapes stay as written, or say nothing. s[i] of a Seq is the operator seq_get; indices and loop counts are i64.
// An entry whose parameters are not annotated to the end is an error that shows the signature to write.
Result<Module> specialise(Module module, FunctionId entry);
} // namespace nereus
