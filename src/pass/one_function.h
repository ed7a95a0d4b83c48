// pass/one_function.h - passes on one function alone, for passes that look at what becomes of it.
#pragma once
#include "pass/effects.h"

namespace nereus {
void fold_constants(Module& module, Function& function, const Effects& effects);
void common_values(Module& module, Function& function, const Effects& effects);
void dead_code(Module& module, Function& function);
} // namespace nereus
