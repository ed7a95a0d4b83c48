// pass/known_results.h - sizes that a callee used to choose and now computes from its own symbols are known to its callers.
#pragma once
#include "ir/module.h"

namespace nereus {
// After a pass that may sharpen what functions return: a caller that went on calling such a size unknown would not agree
// with the callee about who makes room for the result.
void tell_callers(Module& module);
void tell_caller(Module& module, Function& caller);      // the same for one, whose callees are done
} // namespace nereus
