// ops/registry.h - the one list of all operators.
#pragma once
#include "ir/op.h"

namespace nereus {
// Grows when a plug-in is taken in (ops/outside.h); a list that was handed out stays as it is.
const OpRegistry& all_ops();
void add_ops(std::span<const OpDef* const> ops);         // that live as long as the process
} // namespace nereus
