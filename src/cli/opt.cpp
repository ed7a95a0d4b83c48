#include "cli/commands.h"
#include "driver/pipeline.h"
#include "ir/print.h"
#include <cstdio>

namespace nereus {
namespace {
constexpr std::string_view help_text =
    "nereus opt PROGRAM.nr --pass=NAME\n"
    "Reads a program, runs passes on it and prints the result. A pass needs types: the program has one copy of each function\n"
    "per type by then, of what the entry needs.\n"
    "\n"
    "  nereus opt net.nr --after=shapes --pass=inline_calls --pass=dead_code\n"
    "  nereus opt --list                            # the passes, and why each stands where it does\n"
    "\n";

void list(std::span<const Stage> table, std::string_view where) {
    for (const Stage& stage : table)
        if (stage.pass)
            std::printf("%-18s %s%s\n", std::string(stage.name).c_str(), std::string(stage.reason).c_str(), std::string(where).c_str());
}

// As comments, so that what is printed reads back.
std::string text_of(const Decisions& decisions) {
    std::string text = decisions.empty() ? "" : "\n";
    for (const Decision& d : decisions) text += "# " + d.stage + " leaves " + d.value + ": " + d.why + "\n";
    return text;
}

Status check_stage(const std::string& after) {
    if (after == "parse" || after == "types")
        return Error{Code::usage, "--after=" + after + ": a pass needs a program of one type per value", {},
                     "--after=specialise, which is the default, or a later stage"};
    if (after == "kernels" || after == "code")
        return Error{Code::usage, "--after=" + after + ": passes are done by then", {}, "nereus dump --after=" + after + " prints it"};
    return is_stage(after) ? Status() : no_such_stage(after);
}
} // namespace

int opt_command(Words words) {
    const FlagSpec flags[] = {{"pass", true, "NAME the pass to run; may be given several times"},
                              {"after", true, "STAGE the stages up to this one run first; dump --help lists them (specialise)"},
                              {"entry", true, "NAME the function to compile (main)"},
                              {"list", false, "the passes, with reasons"},
                              {"help", false, "this text"}};
    Result<Arguments> arguments = parse_arguments(words, flags);
    if (!arguments) return fail(arguments.error());
    if (arguments->has("help")) {
        std::fputs((std::string(help_text) + flags_help(flags)).c_str(), stdout);
        return 0;
    }
    if (arguments->has("list")) {
        list(pipeline(), "");
        list(on_request(), " (on request)");
        return 0;
    }
    if (arguments->rest.size() != 1) return fail(Error{Code::usage, "expected one program", {}, "nereus opt --help"});
    std::string after = arguments->value("after", "specialise");
    if (Status fits = check_stage(after); !fits) return fail(fits.error());
    if (!arguments->has("pass")) return fail(Error{Code::usage, "no pass is given", {}, "--pass=NAME runs one, --list shows them; nereus dump prints a program"});
    std::vector<const Stage*> passes;
    for (const std::string& name : arguments->values("pass")) {
        passes.push_back(find_pass(name));
        if (!passes.back()) return fail(no_such_pass(name, "--pass"));
    }
    int exit = 0;
    std::optional<SourceProgram> program = load_program(arguments->rest[0], &exit);
    if (!program) return exit;
    auto text = [&]() -> Result<std::string> {
        Module module = TRY(run_until(std::move(program->module), after, compile_options(*arguments)));
        Decisions decisions;
        for (const Stage* pass : passes) {
            module = TRY(pass->deciding ? pass->deciding(std::move(module), decisions) : pass->pass(std::move(module)));
            TRY(verified(module, *pass));
        }
        return print(module) + text_of(decisions);
    };
    Result<std::string> printed = text();
    if (!printed) return fail(printed.error(), program->sources);
    std::fputs(printed->c_str(), stdout);
    return 0;
}
} // namespace nereus
