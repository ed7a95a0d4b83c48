// ops/speaker.h - in whose name an operator refuses its arguments.
#pragma once
#include "ir/op.h"

namespace nereus {
// The operator itself, or what a stage wrote it for: a binding with the attribute `as`.
inline std::string speaker(const Binding& binding) {
    const Attribute* as = find_attribute(binding, "as");
    return as ? std::get<std::string>(as->value) : std::string(binding.op->name);
}
} // namespace nereus
