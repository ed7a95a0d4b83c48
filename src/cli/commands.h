// cli/commands.h - the commands of nereus, a line each; every one takes the words after its name.
#pragma once
#include "driver/compile.h"
#include "driver/model.h"
#include "run/call.h"

namespace nereus {
using Words = std::span<const char* const>;
int run_command(Words words);                // compile a program and call it
int compile_command(Words words);            // compile a program to an artefact
int dump_command(Words words);               // the program after a stage
int opt_command(Words words);                // a program through one pass
int fmt_command(Words words);                // the layout of programs
int ops_command(Words words);                // what operators there are
int check_command(Words words);              // models against recorded outputs
int inspect_command(Words words);            // what a program or model takes, gives, holds and needs
int bench_command(Words words);              // how long calls take
int version_command(Words words);

// A program or an ONNX model parsed, with its sources for errors.
struct SourceProgram {
    Module module;
    std::vector<SourceText> sources;
    // Of a model:
    std::optional<onnx::ModelFile> file = {};
    std::vector<std::string> inputs = {}, outputs = {};          // as it names them; then what TextOptions add
    std::map<std::string, std::string> parameters = {}, symbols = {};        // of the module: by the model's names
    std::vector<onnx::WrittenNode> nodes = {};
    std::vector<onnx::CountedBody> counted = {};
    std::vector<onnx::ModelNote> notes = {};
};
Status read_program(const std::string& path, const onnx::TextOptions& how, SourceProgram& out);          // sources also of one that is refused
// Prints what is wrong and returns nothing.
std::optional<SourceProgram> load_program(const std::string& path, int* out_exit, const onnx::TextOptions& how = {});
std::string describe(const Error& error, std::span<const SourceText> sources);
int fail(const Error& error, std::span<const SourceText> sources = {});
void warn(const CompileReport& report, std::span<const SourceText> sources);     // of what the compiler found odd
extern const FlagSpec compile_flags[5];      // entry, target, checked, without, names
CompileOptions compile_options(const Arguments& arguments);
bool is_stage(std::string_view name);        // that run_until knows
Error no_such_stage(std::string_view name);  // a usage error with did-you-mean
std::string times_text(const CompileReport& report);     // stage, milliseconds, bindings before and after
} // namespace nereus
