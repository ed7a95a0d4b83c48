// nereus/compile.h - from the text of a program to an executable, once, for every shape there will ever be.
// Needs the target Nereus::nereus; everything else here is in Nereus::runtime too.
#pragma once
#include "nereus/executable.h"

namespace nereus::v1 {
struct CompileOptions {
    std::string entry = "main";                // the function to compile, without @
    std::string target = "host";               // x86-64-v2, x86-64-v3, x86-64-v4, or host: this processor
    bool checked = false;                      // kernels assert that they stay inside their buffers
    std::string name = "program.nr";           // of a program given as text, in its errors
};

// Compiles the text of a program. It cannot import files. Threads may compile at the same time, and the same
// text and options give the same bytes.
Result<Executable> compile(std::string_view program, const CompileOptions& options = {});
// Compiles a file; it imports others by their place relative to its own.
Result<Executable> compile_file(const std::string& path, const CompileOptions& options = {});
} // namespace nereus::v1
