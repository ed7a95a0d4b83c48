// base/big_stack.h - room for recursion whose depth an input decides. The depth has a stated limit, but the caller's
// stack may be that of any thread; how much of it is left is nobody's promise.
#pragma once
#include "base/result.h"
#include <functional>

namespace nereus {
// Runs `work` on a stack of its own, 64 MB of which only what is touched costs memory, and waits for it to return.
Status on_big_stack(const std::function<void()>& work);
} // namespace nereus
