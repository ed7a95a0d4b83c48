#include "base/file.h"
#include "cli/commands.h"
#include "cli/names_apart.h"
#include "run/progress.h"
#include "cli/strict.h"
#include "driver/model.h"
#include "exe/artefact.h"
#include <cstdio>

namespace nereus {
namespace {
constexpr std::string_view help_text =
    "nereus compile PROGRAM.nr|MODEL.onnx -o PROGRAM.nrx [flags]\n"
    "Compiles the program to an artefact that nereus-run executes without a compiler.\n"
    "\n"
    "  nereus compile encoder.nr --entry encode -o encoder.nrx --target=x86-64-v3\n"
    "  nereus compile encoder.onnx -o encoder.nrx --times     # and what each stage took\n"
    "  nereus compile encoder.onnx -o encoder.nrx --strict    # only if all its sizes follow from those of its inputs\n"
    "\n";
}

int compile_command(Words words) {
    std::vector<const char*> spelled;                    // -o is the habit of compilers
    for (const char* word : words) spelled.push_back(std::string_view(word) == "-o" ? "--output" : word);
    std::vector<FlagSpec> flags(std::begin(compile_flags), std::end(compile_flags));
    flags.push_back({"output", true, "FILE where the artefact goes, also -o"});
    flags.push_back({"times", false, "print what each stage took, in milliseconds of CPU time, the most memory of the process so far, and bindings before and after"});
    flags.push_back(strict_flag);
    flags.push_back({"help", false, "this text"});
    Result<Arguments> arguments = parse_arguments(spelled, flags);
    if (!arguments) return fail(arguments.error());
    if (arguments->has("help")) {
        std::fputs((std::string(help_text) + flags_help(flags)).c_str(), stdout);
        return 0;
    }
    if (arguments->rest.size() != 1 || (!arguments->has("output") && !arguments->has("times")))
        return fail(Error{Code::usage, "expected one program and -o FILE", {}, "nereus compile --help"});
    if (same_file(arguments->rest[0], arguments->value("output")))
        return fail(Error{Code::usage, "-o names the program itself: '" + arguments->rest[0] + "'"});
    if (Status named = check_names_flag(*arguments); !named) return fail(named.error());
    CompileOptions options = compile_options(*arguments);
    if (arguments->has("strict"))
        if (int refused = check_strict(arguments->rest[0], options, with_names_flag({}, *arguments)); refused != 0) return refused;
    int exit = 0;
    std::optional<SourceProgram> program = load_program(arguments->rest[0], &exit, with_names_flag({}, *arguments));
    if (!program) return exit;
    CompileReport report;
    Progress progress("compiling");
    options.progress = progress.reporter();
    Result<Executable> executable = compile(std::move(program->module), options, &report);
    progress.clear();
    if (!executable) return fail(executable.error(), program->sources);
    name_ports(*executable, program->inputs, program->outputs);
    warn(report, program->sources);
    if (arguments->has("times")) {
        std::fputs(times_text(report).c_str(), stdout);
        std::printf("%lld kernels, %lld launches\n", static_cast<long long>(report.kernels), static_cast<long long>(report.launches));
    }
    if (!arguments->has("output")) return 0;
    Status written = save_file(*executable, arguments->value("output"));
    if (!written) return fail(written.error());
    return 0;
}
} // namespace nereus
