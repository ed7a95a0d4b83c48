// cli/signatures.h - what callers should know of each function: its types, the facts about sizes without which it cannot
// return, declared or inferred, and what it may do besides giving a value.
#pragma once
#include "ir/module.h"

namespace nereus {
// Of a module with shapes; it is taken because facts of callees are written in the caller's sizes.
std::string signatures_text(Module module);
// Those facts of one function, each with the place of the binding in it that needs it.
std::vector<DimFact> needed_facts(Module module, FunctionId function);
} // namespace nereus
