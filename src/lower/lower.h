// lower/lower.h - typed module in, kernels and host code out.
#pragma once
#include "lower/lowered.h"

namespace nereus {
// Needs complete types (the shapes stage). Kernels that are equal up to names become one.
Result<Lowered> lower(Module module);
} // namespace nereus
