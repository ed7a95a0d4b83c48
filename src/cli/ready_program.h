// cli/ready_program.h - a program of any kind, ready to be called: compiled from .nr or .onnx, or loaded from .nrx.
#pragma once
#include "cli/commands.h"

namespace nereus {
struct ReadyProgram {
    SourceProgram source;                        // of an artefact: empty
    CompileReport report;                        // likewise
    std::shared_ptr<const LoadedExecutable> loaded;
    double compile_ms = 0;                       // from a module to machine code
    double load_ms = 0;                          // everything else: reading the file, mapping code
    int64_t compiles = 0;                        // how often; more than that would be a compile at a call
    const Executable& exe() const { return loaded->exe(); }
    const EntryInfo& entry() const { return exe().entries[0]; }
    int64_t weights_bytes() const;               // of its constant tensors
    int64_t compiles_now() const { return compiles + nereus::compiles() - machine_code_; }
    int64_t machine_code_ = 0;                   // made so far in this process, when this was ready
};
// What a model calls its values, by their names in the text that it became; of a program: nothing.
std::map<std::string, std::string> names_of(const SourceProgram& program);
// Prints what is wrong and returns nothing.
std::optional<ReadyProgram> make_ready(const std::string& path, const Arguments& arguments, int* out_exit,
                                       const onnx::TextOptions& how = {},
                                       decltype(CompileOptions::lowered) lowered = {});
} // namespace nereus
