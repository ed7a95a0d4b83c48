// ops/shape_rules.h - the shape rule of each operator, by name.
#pragma once
#include "ir/shape_rule.h"

namespace nereus {
ShapeRule shape_rule(std::string_view op);   // nullptr: a builtin, or no such operator
} // namespace nereus
