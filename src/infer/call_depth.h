// infer/call_depth.h - refuses calls that nest so deep that no later stage could follow them: several walk from a function
// to what it calls, on the native stack.
#pragma once
#include "ir/module.h"

namespace nereus {
// Calls are followed as they stand in the bodies, each function once.
Status check_call_depth(const Module& module, FunctionId entry);
} // namespace nereus
