// eval/program_testing.h - for tests: runs a program given as text, entry @main.
#pragma once
#include "eval/eval.h"

namespace nereus {
Result<Value> run(const std::string& text, const std::vector<Value>& args = {}, const EvalOptions& options = {});
// The result as text, or "code: message". Runs before and after the shapes stage, which must agree.
std::string shown(const std::string& text, const std::vector<Value>& args = {});
// Before the shapes stage only.
std::string shown_as_typed(const std::string& text, const std::vector<Value>& args);
} // namespace nereus
