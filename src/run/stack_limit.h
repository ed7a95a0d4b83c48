// run/stack_limit.h - what a process with too small a stack says, instead of ending by a signal.
#pragma once
#include "base/result.h"

namespace nereus {
Status enough_stack();                       // by the limit of the process, which its threads have too
} // namespace nereus
