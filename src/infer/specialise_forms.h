// infer/specialise_forms.h - surface forms whose meaning depends on types, once these are ground.
#pragma once
#include "ir/module.h"

namespace nereus {
// s[i] of a Seq becomes seq_get; indices and loop counts of another integer dtype are cast to i64.
void resolve_forms(Module& module, Function& function);
} // namespace nereus
