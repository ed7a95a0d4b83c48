#include "api/size_binding.h"
#include "api/type_text.h"
#include "cli/commands.h"
#include "cli/given_sizes.h"
#include "cli/json_object.h"
#include "cli/lint.h"
#include "cli/names_apart.h"
#include "cli/program_file.h"
#include "cli/program_facts.h"
#include "cli/ready_program.h"
#include "cli/work.h"
#include "run/progress.h"
#include <cstdio>
#include <filesystem>

namespace nereus {
namespace {
constexpr std::string_view help_text =
    "nereus inspect PROGRAM.nr|MODEL.onnx|PROGRAM.nrx [flags]\n"
    "What it takes and gives, with the sizes that are known before it runs; where each symbol in them comes from; its operators\n"
    "by what decides their sizes; how large it is. Shapes are inferred, machine code is made only for --dim.\n"
    "\n"
    "  nereus inspect encoder.onnx\n"
    "  nereus inspect encoder.onnx --dim batch=4 --dim seq=128     # compiles it: code, kernels and the peak of such a call\n"
    "  nereus inspect encoder.onnx --lint                          # only what looks wrong: sizes of the example that was exported,\n"
    "                                                              # attributes that an operator does not have\n"
    "  nereus inspect encoder.onnx --nodes                         # every node: class, operator, name, types of what it gives\n"
    "  nereus inspect encoder.onnx --work                          # launches, and what is between them: calls, branches, checks\n"
    "\n"
    "Classes: 1 sizes of inputs decide the value; 2 sizes of inputs decide the sizes; 3 values of inputs do, too; 4 the sizes are\n"
    "known when it has run. They are counted as compiled: an operator of class 3 whose values are known is of class 2.\n"
    "\n";


// Of the compiled program: what it holds, and the peak of a call with those sizes.
Status add_compiled(ProgramFacts& facts, const ReadyProgram& ready, const api::Bindings& dims) {
    const Executable& exe = ready.exe();
    facts.sizes.push_back({"code", std::ssize(exe.blob.bytes())});
    facts.sizes.push_back({"constants kept", ready.weights_bytes()});
    facts.counts.push_back({"kernels", std::ssize(exe.kernels)});
    facts.counts.push_back({"launches", std::ssize(exe.launches)});
    const bool is_bound = !dims.empty() || api::symbols_of(ready.entry()).empty();
    if (!is_bound) return {};
    std::unique_ptr<Context> context = TRY(Context::make(ready.loaded));
    Result<std::vector<int64_t>> sizes = api::bind_sizes(ready.entry(), dims);
    if (!sizes) return Error{Code::usage, sizes.error().message, {}, "give each size with --dim"};
    Result<int64_t> peak = context->peak(ready.entry(), *sizes);
    if (peak) facts.sizes.push_back({"peak of a call", *peak});
    else facts.no_peak = peak.error().message;
    return {};
}

int inspect_artefact(const Arguments& arguments, ProgramFacts& facts) {
    int exit = 0;
    std::optional<ReadyProgram> ready = make_ready(facts.path, arguments, &exit);
    if (!ready) return exit;
    const EntryInfo& entry = ready->entry();
    for (const DoorParam& param : entry.params) facts.inputs.push_back({.name = param.name, .type = api::type_text(ready->exe(), entry, param.type)});
    facts.outputs.push_back({.name = "result", .type = api::type_text(ready->exe(), entry, entry.result_type)});
    facts.about = "artefact for " + ready->exe().target + (ready->exe().checked ? ", checked" : "");
    for (const std::string& symbol : api::symbols_of(entry)) facts.symbols.push_back({symbol, "input", ""});
    Result<GivenSizes> sizes = given_sizes(arguments, {}, {});
    if (!sizes) return fail(sizes.error());
    sizes->fill(entry);
    if (Status named = check_names(*sizes, entry); !named) return fail(named.error());
    Status added = add_compiled(facts, *ready, sizes->dims);
    return added ? 0 : fail(added.error());
}

int inspect_source(const Arguments& arguments, ProgramFacts& facts) {
    int exit = 0;
    std::optional<SourceProgram> program = load_program(facts.path, &exit, with_names_flag({.numbered = true}, arguments));
    if (!program) return exit;
    Progress progress("looking");
    CompileOptions options = compile_options(arguments);
    options.progress = progress.reporter();
    CompileReport report;
    Result<Module> shaped = run_until(std::move(program->module), "shapes", options, &report);
    progress.clear();
    if (!shaped) return fail(shaped.error(), program->sources);
    warn(report, program->sources);
    Dynamism dynamism(*shaped, *program);
    if (program->file) facts.add_model(*program);
    facts.add_shapes(dynamism, *program);
    facts.counts.push_back({"checks when called", report.shapes.checks});
    if (program->file) facts.warnings = lint(dynamism, *program);
    Result<GivenSizes> sizes = given_sizes(arguments, program->parameters, program->symbols);
    if (!sizes) return fail(sizes.error());
    if (!sizes->any()) return 0;
    std::optional<ReadyProgram> ready = make_ready(facts.path, arguments, &exit);
    if (!ready) return exit;
    sizes->fill(ready->entry());
    if (Status named = check_names(*sizes, ready->entry()); !named) return fail(named.error());
    Status added = add_compiled(facts, *ready, sizes->dims);
    return added ? 0 : fail(added.error());
}

// Counts of the compiled program, and with --work=all each place that is no launch.
int inspect_work(const Arguments& arguments, const std::string& path) {
    const std::string which = arguments.value("work");
    if (!which.empty() && which != "all")
        return fail(Error{Code::usage, "--work is alone or --work=all, not '" + which + "'"});
    if (path.ends_with(".nrx"))
        return fail(Error{Code::usage, "--work looks at programs and models, and '" + path + "' is compiled already"});
    int exit = 0;
    std::optional<SourceProgram> program = load_program(path, &exit);
    if (!program) return exit;
    Progress progress("compiling");
    CompileOptions options = compile_options(arguments);
    options.progress = progress.reporter();
    Work work;
    options.lowered = [&](const Lowered& lowered, auto) { work = work_of(lowered); };
    const Result<Executable> exe = compile(std::move(program->module), options);
    progress.clear();
    if (!exe) return fail(exe.error(), program->sources);
    add_code(work, *exe);
    const bool places = !which.empty();
    if (arguments.has("json"))
        std::puts(JsonObject().add("path", path).add_raw("work", work_json(work, places)).text().c_str());
    else
        std::fputs(
            (path + ": one call, callees expanded, loop bodies once, every arm\n\n" + work_text(work, places)).c_str(),
            stdout);
    return 0;
}
} // namespace

int inspect_command(Words words) {
    std::vector<FlagSpec> flags(std::begin(compile_flags), std::end(compile_flags));
    flags.push_back(
        {"dim", true,
         "n=4[,m=2] compiles it, and says the peak of a call in which the size n is that; all=1: every other one"});
    flags.push_back({"lint", false, "only the warnings, a line each; exit 1 if there are any"});
    flags.push_back({"work", false,
                     "all how straight its code is: launches, calls, branches, reads, checks; with =all each place",
                     true});
    flags.push_back({"nodes", false, "only the nodes of a model: class, operator, name, and type of each output"});
    flags.push_back({"json", false, "one object on one line"});
    flags.push_back({"help", false, "this text"});
    Result<Arguments> arguments = parse_arguments(words, flags);
    if (!arguments) return fail(arguments.error());
    if (arguments->has("help")) return std::fputs((std::string(help_text) + flags_help(flags)).c_str(), stdout), 0;
    if (arguments->rest.size() != 1) return fail(Error{Code::usage, "expected one program or model", {}, "nereus inspect --help"});
    if (Status named = check_names_flag(*arguments); !named) return fail(named.error());
    ProgramFacts facts{.path = arguments->rest[0]};
    for (const char* of_models : {"lint", "nodes"})
        if (arguments->has(of_models) && !is_model(facts.path))
            return fail(Error{Code::usage,
                              "--" + std::string(of_models) + " looks at models, and '" + facts.path + "' is none"});
    if (arguments->has("work")) return inspect_work(*arguments, facts.path);
    std::error_code failed;
    const Result<ProgramFile> file = program_file(facts.path);
    if (!file) return fail(file.error());
    const uintmax_t bytes = std::filesystem::file_size(file->path, failed);
    if (!failed) facts.sizes.push_back({"file", int64_t(bytes)});
    const int exit = facts.path.ends_with(".nrx") ? inspect_artefact(*arguments, facts) : inspect_source(*arguments, facts);
    if (exit != 0) return exit;
    if (arguments->has("nodes"))
        return std::fputs((arguments->has("json") ? facts.nodes_json() : facts.nodes_text()).c_str(), stdout), 0;
    if (arguments->has("json")) std::fputs(facts.json().c_str(), stdout);
    else std::fputs(arguments->has("lint") ? facts.lint_text().c_str() : facts.text().c_str(), stdout);
    return arguments->has("lint") && !facts.warnings.empty() ? 1 : 0;
}
} // namespace nereus
