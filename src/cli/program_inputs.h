// cli/program_inputs.h - the arguments of calls of a program or model, from all that a command line may say: what nereus-run
// reads (run/call.h), files of ONNX, names of the model, random ones (given_sizes.h).
#pragma once
#include "cli/commands.h"
#include "cli/given_sizes.h"

namespace nereus {
// Inputs of a model that have a default, and for which the command line gives a value.
std::vector<std::string> replaced_inputs(const std::string& path, const Arguments& arguments);
// Of a model, besides: --input x=@x.pb; --inputs with a folder test_data_set_N, or an .npz of the model's own names.
Result<Inputs> read_program_inputs(const Arguments& arguments, const SourceProgram& program,
                                   const ScalarTypes& scalars);
} // namespace nereus
