// generator/refusal.h - whether what the compiler refused fails wherever a program comes to it.
//
// A size that never fits is an error of the compiler, also in an arm that only some inputs take (contract K2). That it
// never fits is shown by running: of the bindings at the place of the error, reached through the calls that the error
// names, one has failed there and has never gone well. What it is computed from may fail first: `x[i % n]` of no elements
// fails by the remainder. A place that no input reaches shows nothing.
#pragma once
#include "base/error.h"
#include "ir/module.h"
#include "value/value.h"

namespace nereus::gen {
// `module`: what eval runs, as it was before the stage that refused.
bool fails_wherever_reached(Module module, const Error& refusal, std::span<const std::vector<Value>> inputs);
} // namespace nereus::gen
