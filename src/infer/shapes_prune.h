// infer/shapes_prune.h - the last step of shape inference: hidden integers that nothing uses are dropped, and the symbols
// of each function become its own, with names no other symbol of that function has.
#pragma once
#include "ir/module.h"

namespace nereus {
// `names[f]` are better names for some symbols of function f, from the program's own text.
void prune_symbols(Module& module, const std::vector<std::map<Sym, std::string>>& names);
} // namespace nereus
