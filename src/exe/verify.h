// exe/verify.h - is an executable well formed? What passes runs without a bounds check in the loop over instructions.
#pragma once
#include "base/result.h"
#include "exe/executable.h"

namespace nereus {
// Indices are in range, counts agree, functions and plan programs tile the code, control stays inside its function,
// every register is written before it is read, and slots, lists and prefixes belong to the region entered last. A jump
// back leads to code that was reached from before it.
// A plan program ends with its first `leave`.
// Trusted: that objects are what an instruction takes them for, that sizes fit buffers, and the machine code.
// Errors are Code::internal and name the function, the instruction and the rule.
Status verify(const Executable& exe);

inline constexpr size_t max_groups = 16, max_late = 4;    // of a launch
} // namespace nereus
