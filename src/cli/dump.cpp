#include "cli/commands.h"
#include "cli/signatures.h"
#include "driver/pipeline.h"
#include "exe/text.h"
#include "infer/types.h"
#include "ir/print.h"
#include "loop/text.h"
#include <cstdio>

namespace nereus {
namespace {
constexpr std::string_view help_text =
    "nereus dump PROGRAM.nr --after=STAGE [flags]\n"
    "Prints the program as it is after a stage. Up to dead_code the text can be parsed again, unless a prelude function was\n"
    "specialised to the program's own types or functions; kernels and code are for reading only.\n"
    "\n";

std::string stages_help() {
    std::string text = "\nStages:\n  parse           as it is read\n  types           every function with the types that were found\n";
    for (const Stage& stage : pipeline()) {
        std::string name(stage.name);
        name.resize(std::max<size_t>(name.size() + 1, 16), ' ');
        text += "  " + name + std::string(stage.reason) + "\n";
    }
    return text + "  kernels         operators as launches of loop functions\n  code            the executable\n";
}

std::string kernels_text(const Lowered& lowered) {
    std::string text = print(lowered.module);
    for (const loop::Function& kernel : lowered.kernels) text += "\n" + loop::print(kernel);
    return text;
}
} // namespace

int dump_command(Words words) {
    std::vector<FlagSpec> flags(std::begin(compile_flags), std::end(compile_flags));
    flags.push_back({"after", true, "STAGE the last stage that runs (shapes)"});
    flags.push_back({"signatures", false, "only types, facts about sizes and effects of each function, as inferred"});
    flags.push_back({"generic", false, "every binding in the generic form"});
    flags.push_back({"help", false, "this text"});
    Result<Arguments> arguments = parse_arguments(words, flags);
    if (!arguments) return fail(arguments.error());
    if (arguments->has("help")) {
        std::fputs((std::string(help_text) + flags_help(flags) + stages_help()).c_str(), stdout);
        return 0;
    }
    if (arguments->rest.size() != 1) return fail(Error{Code::usage, "expected one program", {}, "nereus dump --help"});
    std::string after = arguments->value("after", "shapes");
    bool known = after == "types" || after == "kernels" || after == "code";
    if (!known && !is_stage(after)) return fail(Error{Code::usage, "there is no stage '" + after + "'", {}, "nereus dump --help lists them"});

    int exit = 0;
    std::optional<SourceProgram> program = load_program(arguments->rest[0], &exit);
    if (!program) return exit;
    CompileOptions options = compile_options(*arguments);
    CompileReport report;
    auto text = [&]() -> Result<std::string> {
        if (arguments->has("signatures")) return signatures_text(TRY(run_until(std::move(program->module), "shapes", options, &report)));
        if (after == "types") return print(TRY(infer_types(std::move(program->module))));
        if (after == "kernels") return kernels_text(TRY(lower_program(std::move(program->module), options, &report)));
        if (after == "code") return disassemble(TRY(compile(std::move(program->module), options, &report)));
        std::string printed = print(TRY(run_until(std::move(program->module), after, options, &report)), {.generic = arguments->has("generic")});
        if (after == "shapes") printed += "# checks left: " + std::to_string(report.shapes.checks) + "\n";
        return printed;
    };
    Result<std::string> result = text();
    if (!result) return fail(result.error(), program->sources);
    warn(report, program->sources);
    std::fputs(result->c_str(), stdout);
    return 0;
}
} // namespace nereus
