// pass/rotate_while.h - for passes that want the condition of some loops in the body; see rotate_while.cpp.
#pragma once
#include "ir/module.h"
#include <functional>

namespace nereus {
// Those of a function's while loops that `which` chooses. Loops inside come first.
void rotate_loops(Module& module, Function& function, const std::function<bool(const Binding& loop)>& which);
// All of a module whose condition may write a cell, if there are gradients.
Module rotate_writing_loops(Module module);
} // namespace nereus
