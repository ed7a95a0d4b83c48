// nereus - the command line.
#include "base/suggest.h"
#include "cli/commands.h"
#include "run/plugins.h"
#include "run/stack_limit.h"
#include <cstdio>
#include <new>

namespace {
using namespace nereus;

struct Command { std::string_view name; int (*run)(Words); std::string_view help; };
constexpr Command commands[] = {
    {"run", run_command, "compile a program and call its entry point"},
    {"compile", compile_command, "compile a program to an artefact for nereus-run"},
    {"dump", dump_command, "print the program after a stage of the compiler"},
    {"opt", opt_command, "run one pass on a program"},
    {"fmt", fmt_command, "correct the layout of programs"},
    {"ops", ops_command, "the operators: what each takes and gives"},
    {"inspect", inspect_command, "what a program or model takes, gives, holds and needs"},
    {"bench", bench_command, "how long calls of a program or model take"},
    {"check", check_command, "models against recorded outputs"},
    {"version", version_command, "what this is"},
};

void help(std::FILE* out) {
    std::fputs("nereus: a compiler for dynamic neural networks\n\n", out);
    for (const Command& command : commands)
        std::fprintf(out, "  nereus %-10s %s\n", std::string(command.name).c_str(), std::string(command.help).c_str());
    std::fputs("\nEvery command takes\n", out);
    std::fputs(plugin_help, out);
    std::fputs("\nnereus COMMAND --help says more. To begin:\n"
               "  examples/make_trees.py > trees.json\n"
               "  nereus run examples/tree_encoder.nr --inputs trees.json\n", out);
}
} // namespace

static int run(int argc, char** argv) {
    std::string_view name = argc > 1 ? argv[1] : "";
    if (name == "--help" || name == "-h" || name == "help") return help(stdout), 0;
    if (name == "--version") name = "version";
    for (const Command& command : commands)
        if (command.name == name) {
            std::vector<const char*> words(argv + 2, argv + argc);
            if (Status enough = enough_stack(); !enough) return fail(enough.error());
            Status loaded = load_plugins(words);
            return loaded ? command.run(words) : fail(loaded.error());
        }
    std::vector<std::string_view> names;
    for (const Command& command : commands) names.push_back(command.name);
    if (!name.empty()) {
        std::string meant = nearest(name, names);
        return fail(Error{Code::usage, "there is no command '" + std::string(name) + "'", {},
                          meant.empty() ? "nereus --help lists them" : "did you mean nereus " + meant + "?"});
    }
    help(stderr);
    return 2;
}

int main(int argc, char** argv) {
    try {
        return exit_written(run(argc, argv));
    } catch (const std::bad_alloc&) {
        std::fputs("error: out of memory\n", stderr);
        return 1;
    }
}
