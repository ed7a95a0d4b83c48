// ops/speaker.h - in whose name an operator refuses its arguments.
#pragma once
#include "ir/op.h"

namespace nereus {
// What a stage wrote the operator for: the attribute `as`. Null: the user wrote it.
inline const std::string* spoken_for(const AttributeList& attributes) {
    for (const Attribute& attribute : attributes)
        if (attribute.name == "as") return std::get_if<std::string>(&attribute.value);
    return nullptr;
}
inline std::string speaker(const Binding& binding) {
    const std::string* other = spoken_for(binding.attributes);
    return other ? *other : std::string(binding.op->name);
}
// Before what it says when it runs: the place tells which operator that was, but not for whom.
inline std::string speaks_for(const Binding& binding) {
    const std::string* other = spoken_for(binding.attributes);
    return other ? *other + ": " : "";
}
} // namespace nereus
