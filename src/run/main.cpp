// nereus-run - runs an artefact: no compiler inside.
#include "base/resident.h"
#include "exe/artefact.h"
#include "library/library.h"
#include "run/call.h"
#include "run/plugins.h"
#include "run/stack_limit.h"
#include <chrono>
#include <cstdio>
#include <new>

namespace {
using namespace nereus;

constexpr std::string_view help_text =
    "nereus-run PROGRAM.nrx [flags]\n"
    "Runs a compiled program. Loading an artefact is running its code: only load what you trust.\n"
    "\n"
    "  nereus-run encoder.nrx --inputs trees.json --json\n"
    "  nereus-run mlp.nrx --input x=4x8xf32=random\n"
    "\n";

int fail(const Error& error) {
    std::fputs(plain_error(error).c_str(), stderr);
    return exit_code(error);
}

int run(int argc, char** argv) {
    std::vector<FlagSpec> flags(call_flags().begin(), call_flags().end());
    flags.push_back({"help", false, "this text"});
    std::vector<const char*> words(argv + 1, argv + argc);
    if (Status enough = enough_stack(); !enough) return fail(enough.error());
    if (Status loaded = load_plugins(words); !loaded) return fail(loaded.error());
    Result<Arguments> arguments = parse_arguments(words, flags);
    if (!arguments) return fail(arguments.error());
    if (arguments->has("help")) {
        std::fputs((std::string(help_text) + flags_help(flags) + plugin_help).c_str(), stdout);
        return 0;
    }
    if (arguments->rest.size() != 1) return fail(Error{Code::usage, "expected one artefact", {}, "nereus-run --help"});
    if (arguments->rest[0].ends_with(".nr"))
        return fail(Error{Code::usage, "'" + arguments->rest[0] + "' is a program in source, expected a compiled one", {}, "run it with nereus run " + arguments->rest[0]});
    const int64_t before = resident().now;
    const auto begin = std::chrono::steady_clock::now();
    Result<Executable> executable = load_file(arguments->rest[0]);
    auto fail_of_file = [&](Error error) {
        if (error.code == Code::io) return fail(error);   // names it
        error.message = "'" + arguments->rest[0] + "': " + error.message;
        return fail(error);
    };
    if (!executable) return fail_of_file(std::move(executable).error());
    Result<std::shared_ptr<const LoadedExecutable>> program = LoadedExecutable::load(std::move(*executable), library());
    if (!program) return fail_of_file(std::move(program).error());
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
    const int64_t loaded = resident().now;
    std::map<std::string, std::string> parameters, names;
    for (const DoorParam& param : (*program)->exe().entries[0].params)
        if (!param.model_name.empty()) parameters[param.model_name] = param.name, names[param.name] = param.model_name;
    name_parameters(*arguments, parameters);
    const std::vector<std::string> outputs = (*program)->exe().entries[0].result_names;
    const int exit = run_loaded(*arguments, std::move(*program), {}, {.names = names, .outputs = outputs});
    if (arguments->has("stats")) {
        const Resident memory = resident();
        std::fprintf(stderr, "load %.1f ms\nresident bytes: %ld before loading, %ld loaded, %ld now, %ld at most\n", took.count(), long(before), long(loaded),
                     long(memory.now), long(memory.most));
    }
    return exit;
}
} // namespace

int main(int argc, char** argv) {
    try {
        return exit_written(run(argc, argv));
    } catch (const std::bad_alloc&) {
        std::fputs("error: out of memory\n", stderr);
        return 1;
    }
}
