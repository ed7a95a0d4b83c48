#include "base/resident.h"
#include "cli/commands.h"
#include "eval/eval.h"
#include "library/library.h"
#include "vm/range.h"
#include <algorithm>
#include <cstdio>
#include <sys/resource.h>

namespace nereus {
namespace {
constexpr std::string_view help_text =
    "nereus run PROGRAM.nr|MODEL.onnx [flags]\n"
    "Compiles the program or model once, before any input is read, then calls its entry point.\n"
    "\n"
    "  nereus run mlp.nr --input x=4x8xf32=random\n"
    "  nereus run encoder.nr --entry encode --inputs trees.json --json\n"
    "  nereus run encoder.onnx --input ids=@ids.npy --save out.npz\n"
    "\n";
}

// The interpreter asks the process for memory as any program does: what it may have is the process's limit.
static void limit_memory(int64_t bytes) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return;                                              // what watches the process needs far more
#endif
#endif
    rlimit limit{};
    ::getrlimit(RLIMIT_DATA, &limit);
    limit.rlim_cur = std::min<rlim_t>(limit.rlim_max, rlim_t(bytes) + (rlim_t(64) << 20));       // and what it has now
    ::setrlimit(RLIMIT_DATA, &limit);
}

int run_command(Words words) {
    std::vector<FlagSpec> flags(std::begin(compile_flags), std::end(compile_flags));
    flags.insert(flags.end(), call_flags().begin(), call_flags().end());
    flags.push_back({"eval", false, "interpret instead of compiling: slow, the judge of compiled code"});
    flags.push_back({"help", false, "this text"});
    Result<Arguments> arguments = parse_arguments(words, flags);
    if (!arguments) return fail(arguments.error());
    if (arguments->has("help")) {
        std::fputs((std::string(help_text) + flags_help(flags)).c_str(), stdout);
        return 0;
    }
    if (arguments->rest.size() != 1) return fail(Error{Code::usage, "expected one program", {}, "nereus run --help"});
    int exit = 0;
    std::optional<SourceProgram> program = load_program(arguments->rest[0], &exit);
    if (!program) return exit;
    name_parameters(*arguments, program->parameters);
    CompileOptions options = compile_options(*arguments);
    CompileReport report;
    if (arguments->has("eval")) {
        // with shapes: a yield of no trips has the sizes that are inferred, and what does not fit is refused alike
        Result<Module> typed = run_until(std::move(program->module), "shapes", options, &report);
        if (!typed) return fail(typed.error(), program->sources);
        warn(report, program->sources);
        const Function& entry = typed->functions[0];
        std::vector<std::string> params;
        for (ValueId param : entry.params) params.push_back(entry[param].name);
        Result<int64_t> limit = arguments->whole("memory-limit", 1, available_memory());
        if (!limit) return fail(limit.error());
        limit_memory(*limit);
        return call_all(
            *arguments, params, [&](std::span<const Value> args) { return eval(*typed, FunctionId(0), args, {.memory_limit = *limit}); },
            [&](const Error& error) { return describe(error, program->sources); });
    }
    Result<Executable> executable = compile(std::move(program->module), options, &report);
    if (!executable) return fail(executable.error(), program->sources);
    warn(report, program->sources);
    Result<std::shared_ptr<const LoadedExecutable>> loaded = LoadedExecutable::load(std::move(*executable), library());
    if (!loaded) return fail(loaded.error());
    const int code = run_loaded(*arguments, std::move(*loaded), program->sources);
    if (arguments->has("stats")) {
        const Resident memory = resident();
        std::fprintf(stderr, "compiles %ld\nresident bytes: %ld now, %ld at most\n", long(compiles()), long(memory.now), long(memory.most));
    }
    return code;
}
} // namespace nereus
