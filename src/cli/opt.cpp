#include "cli/commands.h"
#include "driver/pipeline.h"
#include "ir/print.h"
#include "pass/passes.h"
#include <cstdio>

namespace nereus {
namespace {
constexpr std::string_view help_text =
    "nereus opt PROGRAM.nr --pass=NAME\n"
    "Reads a program, runs one pass on it and prints the result. --list shows the stages of a compile and their reasons.\n"
    "\n";

struct PassRow { std::string_view name; Result<Module> (*run)(Module); };
constexpr PassRow passes[] = {
    {"dead_code", dead_code},
};
} // namespace

int opt_command(Words words) {
    const FlagSpec flags[] = {{"pass", true, "NAME the pass to run; may be given several times"},
                              {"list", false, "the stages of a compile, in order, with reasons"},
                              {"help", false, "this text"}};
    Result<Arguments> arguments = parse_arguments(words, flags);
    if (!arguments) return fail(arguments.error());
    if (arguments->has("help")) {
        std::fputs((std::string(help_text) + flags_help(flags)).c_str(), stdout);
        return 0;
    }
    if (arguments->has("list")) {
        for (const Stage& stage : pipeline())
            std::printf("%-12s %s%s\n", std::string(stage.name).c_str(), std::string(stage.reason).c_str(), stage.pass ? " (optional)" : "");
        return 0;
    }
    if (arguments->rest.size() != 1) return fail(Error{Code::usage, "expected one program", {}, "nereus opt --help"});
    int exit = 0;
    std::optional<SourceProgram> program = load_program(arguments->rest[0], &exit);
    if (!program) return exit;
    Module module = std::move(program->module);
    for (const std::string& name : arguments->values("pass")) {
        const PassRow* found = nullptr;
        for (const PassRow& row : passes)
            if (row.name == name) found = &row;
        if (!found) return fail(Error{Code::usage, "there is no pass '" + name + "'", {}, "nereus opt --list"});
        Result<Module> changed = found->run(std::move(module));
        if (!changed) return fail(changed.error(), program->sources);
        module = std::move(*changed);
    }
    std::fputs(print(module).c_str(), stdout);
    return 0;
}
} // namespace nereus
