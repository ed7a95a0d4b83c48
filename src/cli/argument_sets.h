// cli/argument_sets.h - the sets of arguments that `bench` calls a program with: recorded cases, given ones, random ones.
#pragma once
#include "cli/program_inputs.h"
#include "cli/ready_program.h"

namespace nereus {
struct ArgumentSet { std::string name; std::vector<Value> values; };

// From --cases, else from --inputs, --input, --shapes and --dim.
Result<std::vector<ArgumentSet>> argument_sets(const Arguments& arguments, const ReadyProgram& program);
} // namespace nereus
