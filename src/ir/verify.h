// ir/verify.h - rejects malformed modules: what every stage may rely on, and must keep. Types, sizes and effects are
// not looked at; the inference stages answer for those.
#pragma once
#include "ir/module.h"

namespace nereus {
// An `internal` Error names the function and the value: a failure after a stage is that stage's mistake.
//  - ids are in range; names are unique, and words that the parser reads
//  - every value is bound once, and before its uses, in the same block or one around it
//  - bindings have the arguments, blocks and results that their form and their operator declare
//  - an immediate has at most one use
Status verify(const Module& module);
} // namespace nereus
