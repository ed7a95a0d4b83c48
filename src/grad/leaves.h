// grad/leaves.h - writes out map_leaves, fold_leaves and zeros_like: one function per type of structure, which goes
// through it depth first, in declared order; and the length of a List. What comes out is ordinary code, so gradients need no rule for it.
#pragma once
#include "ir/module.h"

namespace nereus {
// Takes a module as specialise leaves it: types are ground.
Result<Module> expand_leaves(Module module);
} // namespace nereus
