// nereus/compile.hpp - from the text of a program or an ONNX model to an executable, once, for every shape there will ever
// be. Needs the target Nereus::nereus; everything else here is in Nereus::runtime too.
#pragma once
#include "nereus/compile.h"
#include "nereus/executable.hpp"

namespace nereus::v1 {
struct CompileOptions {
    std::string entry = "main";                // the function to compile
    std::string target = "host";               // x86-64-v2, x86-64-v3, x86-64-v4, or host: this processor
    bool checked = false;                      // kernels assert that they stay inside their buffers
    std::string name = "program.nr";           // of a program given as text, in its errors
    bool names_apart = false;                  // of a model: sizes of one name may differ, and what is declared of rank 0 may have any
    std::function<void(std::string_view)> warn = {};       // gets warnings; empty: nobody does; may not throw
};

namespace detail {
template <class Make> Result<Executable> compiled(const CompileOptions& options, Make&& make) {
    nereus_compile_options asked{};
    asked.struct_size = sizeof asked;
    asked.entry = options.entry.c_str(), asked.target = options.target.c_str(), asked.name = options.name.c_str();
    asked.checked = options.checked ? 1 : 0, asked.names_apart = options.names_apart ? 1 : 0;
    using Warn = const std::function<void(std::string_view)>;
    if (options.warn) {
        asked.log = [](void* user, nereus_log_kind, const char* text, size_t size) { (*static_cast<Warn*>(user))({text, size}); };
        asked.log_user = const_cast<void*>(static_cast<const void*>(&options.warn));
    }
    nereus_executable* made = nullptr;
    if (nereus_status* failed = make(&asked, &made)) return error_of(failed);
    return Executable::take(made);
}
} // namespace detail

// Compiles the text of a program. It cannot import files. Threads may compile at the same time, and the same
// text and options give the same bytes.
inline Result<Executable> compile(std::string_view program, const CompileOptions& options = {}) {
    return detail::compiled(options, [&](const nereus_compile_options* asked, nereus_executable** out) {
        return nereus_executable_compile(program.empty() ? "" : program.data(), program.size(), asked, out);
    });
}
// Compiles a file: a program, which imports others by their place relative to its own, or an ONNX model, by a name that ends
// with .onnx; the ports of its entry point have the names of the model's inputs and outputs.
inline Result<Executable> compile_file(const std::string& path, const CompileOptions& options = {}) {
    return detail::compiled(options, [&](const nereus_compile_options* asked, nereus_executable** out) {
        return nereus_executable_compile_file(path.c_str(), asked, out);
    });
}
} // namespace nereus::v1
