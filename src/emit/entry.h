// emit/entry.h - the door of an entry point.
#pragma once
#include "emit/dim_writer.h"
#include "emit/program.h"

namespace nereus {
// `typed` is the same function before lowering: its signature is the one users see.
Status emit_entry(EmitProgram& program, FunctionId entry, const Function& typed);
} // namespace nereus
