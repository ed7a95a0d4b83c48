// infer/exhaustive.h - whether the arms of a match cover every value, and whether each can be reached.
#pragma once
#include "ir/module.h"
#include <functional>

namespace nereus {
using RecordOf = std::function<DeclId(const Pattern&)>;  // the type of a record pattern, once inferred
// Errors: a value that no arm takes, shown as a pattern; an arm behind others that take everything it would.
// An arm with a guard may refuse, so it covers nothing; numbers are never all listed, true and false are.
Status check_arms(const Module& module, const Binding& match, const RecordOf& record_of);
} // namespace nereus
