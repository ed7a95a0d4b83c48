// ops/registry.h - the one list of all operators.
#pragma once
#include "ir/op.h"

namespace nereus {
const OpRegistry& all_ops();
} // namespace nereus
