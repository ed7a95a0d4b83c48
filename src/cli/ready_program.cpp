#include "cli/ready_program.h"
#include "base/diagnostics.h"
#include "cli/latency.h"
#include "cli/names_apart.h"
#include "exe/artefact.h"
#include "library/library.h"
#include "run/progress.h"

namespace nereus {
int64_t ReadyProgram::weights_bytes() const {
    int64_t bytes = 0;
    for (const HeldBytes& weight : exe().weights) bytes += std::ssize(weight.bytes());
    return bytes;
}

namespace {
Result<Executable> load_artefact(const std::string& path) {
    Result<Executable> exe = load_file(path);
    if (exe || exe.error().code == Code::io) return exe;         // which names the file
    Error error = std::move(exe).error();
    error.message = "'" + path + "': " + error.message;
    return error;
}
} // namespace

std::map<std::string, std::string> names_of(const SourceProgram& program) {
    std::map<std::string, std::string> names;
    for (const auto& [name, parameter] : program.parameters) names[parameter] = name;
    for (const onnx::WrittenNode& node : program.nodes) {
        for (size_t i = 0; i < node.inputs.size(); ++i) names.try_emplace(node.inputs[i], node.node->inputs[i]);
        for (size_t i = 0; i < node.outputs.size(); ++i) names.try_emplace(node.outputs[i], node.node->outputs[i]);
    }
    return names;
}

std::optional<ReadyProgram> make_ready(const std::string& path, const Arguments& arguments, int* out_exit,
                                       const onnx::TextOptions& how, decltype(CompileOptions::lowered) lowered) {
    ReadyProgram ready;
    const Stopwatch all;
    Result<Executable> exe = Error{};
    if (path.ends_with(".nrx")) {
        exe = load_artefact(path);
    } else {
        std::optional<SourceProgram> source = load_program(path, out_exit, with_names_flag(how, arguments));
        if (!source) return std::nullopt;
        ready.source = std::move(*source);
        const Stopwatch compiling;
        CompileOptions options = compile_options(arguments);
        Progress progress("compiling");
        options.progress = progress.reporter();
        options.lowered = std::move(lowered);
        exe = compile(std::move(ready.source.module), options, &ready.report);
        ready.compile_ms = compiling.ms();
        ready.compiles = 1;
        if (exe && ready.source.file) hint_at_names(*exe);
    }
    Result<std::shared_ptr<const LoadedExecutable>> loaded = exe ? LoadedExecutable::load(std::move(*exe), library()) : exe.error();
    if (!loaded) {
        Error error = std::move(loaded).error();
        error.message = with_names(error.message, names_of(ready.source));
        *out_exit = fail(error, ready.source.sources);
        return std::nullopt;
    }
    warn(ready.report, ready.source.sources);
    ready.loaded = std::move(*loaded);
    ready.load_ms = all.ms() - ready.compile_ms;
    ready.machine_code_ = nereus::compiles();
    return ready;
}
} // namespace nereus
