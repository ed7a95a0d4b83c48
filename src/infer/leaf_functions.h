// infer/leaf_functions.h - gives map_leaves and fold_leaves a function for each dtype of their structure.
#pragma once
#include "ir/module.h"

namespace nereus {
// The function with `count` copies of what `binding`, one of its own, is given as f: side by side in a tuple, which the
// binding is given instead. f is a lambda or a named function, so that each copy can have its own type.
Function with_leaf_functions(const Function& function, const Types& types, const Binding* binding, size_t count);
} // namespace nereus
