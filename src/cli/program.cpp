#include "cli/commands.h"
#include "text/diagnostics.h"
#include <cstdio>

namespace nereus {
const FlagSpec compile_flags[3] = {
    {"entry", true, "NAME the function to compile (main)"},
    {"target", true, "CPU x86-64-v2, x86-64-v3, x86-64-v4 or host (host)"},
    {"checked", false, "kernels assert that they stay inside their buffers"},
};

std::string describe(const Error& error, std::span<const SourceText> sources) {
    return sources.empty() || !error.where.known() ? plain_error(error) : render(error, sources);
}
int fail(const Error& error, std::span<const SourceText> sources) {
    std::fputs(describe(error, sources).c_str(), stderr);
    return exit_code(error);
}

std::optional<SourceProgram> load_program(const std::string& path, int* out_exit) {
    SourceProgram program;
    Result<Module> module = parse_program(path, &program.sources);
    if (!module) {
        *out_exit = fail(module.error(), program.sources);
        return std::nullopt;
    }
    program.module = std::move(*module);
    program.sources = program.module.sources;
    return program;
}

CompileOptions compile_options(const Arguments& arguments) {
    CompileOptions options;
    options.entry = arguments.value("entry", "main");
    if (options.entry.starts_with("@")) options.entry.erase(0, 1);
    options.target = arguments.value("target", "host");
    options.checked = arguments.has("checked");
    return options;
}
} // namespace nereus
