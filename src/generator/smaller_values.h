// generator/smaller_values.h - values that are simpler than one, of the same type as far as a value can tell.
#pragma once
#include "value/value.h"
#include <vector>

namespace nereus::gen {
std::vector<Value> smaller_values(const Value& value);
} // namespace nereus::gen
