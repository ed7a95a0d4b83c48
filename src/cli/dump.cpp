#include "base/diagnostics.h"
#include "cli/commands.h"
#include "cli/names_apart.h"
#include "cli/signatures.h"
#include "driver/pipeline.h"
#include "exe/text.h"
#include "infer/types.h"
#include "ir/print.h"
#include "loop/text.h"
#include "ops/shape_rules.h"
#include <algorithm>
#include <cstdio>

namespace nereus {
namespace {
constexpr std::string_view help_text =
    "nereus dump PROGRAM.nr|MODEL.onnx --after=STAGE [flags]\n"
    "Prints the program as it is after a stage, to be read: commands take the program that it was made from. After parse it is\n"
    "still a program; later stages write what no program has, such as `check` and names of copies.\n"
    "\n"
    "  nereus dump encoder.onnx --after=parse       # a model as a program, a line or more for each node\n"
    "  nereus dump net.nr                           # after shapes: what is known of every value before it runs\n"
    "  nereus dump net.nr --entry loss --after=kernels\n"
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


// Operators that see how their operands fit only when they run. Of elementwise ones, scalars and equal shapes always do.
size_t operators_of_unknown_rank(const Module& module) {
    size_t count = 0;
    for (const Function& function : module.functions)
        for (const Binding& b : function.bindings) {
            if (b.form != Form::op || b.op->builtin != Builtin::none) continue;
            std::vector<Shape> shapes;
            for (ValueId arg : b.args)
                if (const Type& type = module.types[function[arg].type]; type.kind == TypeKind::tensor)
                    if (!type.shape.ranked || !type.shape.dims.empty()) shapes.push_back(type.shape);
            if (std::none_of(shapes.begin(), shapes.end(), [](const Shape& shape) { return !shape.ranked; })) continue;
            const bool same = std::equal(shapes.begin() + 1, shapes.end(), shapes.begin());
            const bool fits = is_elementwise(*b.op) ? same : b.args.size() == 1 && b.attributes.empty();
            count += !fits;
        }
    return count;
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
    if (!known && !is_stage(after)) return fail(no_such_stage(after));

    if (Status named = check_names_flag(*arguments); !named) return fail(named.error());
    int exit = 0;
    std::optional<SourceProgram> program = load_program(arguments->rest[0], &exit, with_names_flag({}, *arguments));
    if (!program) return exit;
    CompileOptions options = compile_options(*arguments);
    CompileReport report;
    auto text = [&]() -> Result<std::string> {
        if (arguments->has("signatures")) return signatures_text(TRY(run_until(std::move(program->module), "shapes", options, &report)));
        if (after == "types") return print(TRY(infer_types(std::move(program->module))));
        if (after == "kernels") return kernels_text(TRY(lower_program(std::move(program->module), options, &report)));
        if (after == "code") return disassemble(TRY(compile(std::move(program->module), options, &report)));
        const Module module = TRY(run_until(std::move(program->module), after, options, &report));
        if (after != "shapes") return print(module, {.generic = arguments->has("generic")});
        std::string printed = print(module, {.generic = arguments->has("generic"), .facts = report.shapes.bounds});
        printed += "# checks left: " + std::to_string(report.shapes.checks);
        if (size_t count = operators_of_unknown_rank(module))
            printed += ", and " + std::to_string(count) + (count == 1 ? " operator" : " operators") + " of unknown rank may check when run";
        return printed + "\n";
    };
    Result<std::string> result = text();
    if (!result) return fail(result.error(), program->sources);
    for (const Error& warning : report.shapes.warnings) std::fputs(render(warning, program->sources, "warning").c_str(), stderr);
    std::fputs(result->c_str(), stdout);
    return 0;
}
} // namespace nereus
