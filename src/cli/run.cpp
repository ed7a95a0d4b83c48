#include "base/resident.h"
#include "cli/both_ways.h"
#include "cli/check_nan.h"
#include "cli/commands.h"
#include "cli/names_apart.h"
#include "cli/program_file.h"
#include "cli/program_inputs.h"
#include "cli/ready_program.h"
#include "cli/strict.h"
#include "cli/taps.h"
#include "vm/range.h"
#include <algorithm>
#include <cstdio>
#include <sys/resource.h>

namespace nereus {
namespace {
constexpr std::string_view help_text =
    "nereus run PROGRAM.nr|MODEL.onnx [flags]\n"
    "Compiles the program or model once, before any input is read, then calls its entry point. Arguments have the names of its\n"
    "parameters or of the model's inputs. With --shapes or --dim, those that are not given are random (integers 0 or 1).\n"
    "\n"
    "  nereus run mlp.nr --input x=4x8xf32=random\n"
    "  nereus run encoder.nr --entry encode --inputs trees.json --json\n"
    "  nereus run encoder.onnx --input ids=@ids.npy --save out.npz\n"
    "  nereus run encoder.onnx --inputs test_data_set_0 --tap layer1/out=@layer1.npy     # a value inside, too\n"
    "  nereus run encoder.onnx --dim all=1 --tap-all values.npz                          # every value of its main graph\n"
    "  nereus run encoder.onnx --dim all=1 --output logits --save logits.npy             # one of its outputs\n"
    "  nereus run decoder.onnx --dim batch=4 --tap decode/body/h=@h.npy                  # in a body: node/attribute/value\n"
    "  nereus run encoder.onnx --dim batch=4 --dim seq=16 --check-nan                    # which node makes the first NaN\n"
    "\n"
    "Of a model, --inputs also takes a folder test_data_set_N and an .npz of the model's own names, --input x=@x.pb a file of ONNX.\n"
    "An optional input is {\"ctor\": \"None\", \"args\": []} in JSON, or Some with its value in args.\n"
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

namespace {
// The dtypes of parameters that are declared as scalars; the module outlives them.
ScalarTypes scalars_of(const Module& module, const std::string& entry) {
    return [&module, id = module.find_id(entry)](std::string_view parameter) -> std::optional<DType> {
        if (!id.valid()) return std::nullopt;
        const Function& function = module[id];
        for (ValueId param : function.params) {
            if (function[param].name != parameter || !function[param].type.valid()) continue;
            const Type& type = module.types[function[param].type];
            const bool scalar = type.kind == TypeKind::tensor && type.shape.ranked && type.shape.dims.empty();
            if (scalar) return type.element.dtype;
        }
        return std::nullopt;
    };
}

// Prints a call that interprets, and gives the exit code.
int interpret(const Arguments& arguments, SourceProgram& program, CallHooks hooks) {
    const CompileOptions options = compile_options(arguments);
    CompileReport report;
    Result<AsWritten> judged = as_written(program.module, options, &report);
    if (!judged) return fail(judged.error(), program.sources);
    warn(report, program.sources);
    const Function& entry = judged->shaped.functions[0];
    std::vector<std::string> params;
    for (ValueId param : entry.params) params.push_back(entry[param].name);
    Result<int64_t> limit = arguments.whole("memory-limit", 1, available_memory());
    if (!limit) return fail(limit.error());
    Progress progress("interpreting");
    hooks.progress = &progress;
    limit_memory(*limit);
    const EvalOptions how{.print = [&](std::string_view line) { progress.print(line); }, .memory_limit = *limit};
    return call_all(
        arguments, params,
        [&](std::span<const Value> args) { return eval_or_refuse(*judged, FunctionId(0), args, how); },
        [&](const Error& error) { return describe(error, program.sources); }, hooks);
}

// Of a model: where sizes of one name differ in what is given; nothing: they do not.
std::optional<std::string> names_differ(const SourceProgram& program, const Result<Inputs>& inputs) {
    if (!program.file || !inputs) return std::nullopt;
    for (const NamedValues& call : inputs->calls) {
        std::vector<GivenInput> given;
        for (const Field& field : call)
            for (const auto& [name, parameter] : program.parameters)
                if (parameter == field.name) given.push_back({name, &field.value});
        if (std::optional<std::string> differ = names_differ(*program.file, given)) return differ;
    }
    return std::nullopt;
}

// The arguments of all calls. `exe` knows the sizes of random ones; null: none are asked for.
Result<Inputs> inputs_of(const Arguments& arguments, const SourceProgram& program, const Executable* exe,
                         const ScalarTypes& scalars) {
    const GivenSizes sizes = TRY(given_sizes(arguments, program.parameters, program.symbols));
    Inputs inputs = TRY(read_program_inputs(arguments, program, scalars));
    if (sizes.any() && exe) inputs = TRY(with_random(inputs, sizes, *exe, uint64_t(TRY(arguments.whole("seed", 0, 0)))));
    for (const char* flag : {"tap", "tap-all"})
        if (arguments.has(flag) && inputs.is_list)
            return Error{Code::usage,
                         "--" + std::string(flag) + " writes values of one call, and the inputs are a list of them"};
    return inputs;
}
// Says so where it is.
bool is_to_be_apart(const Arguments& arguments, const SourceProgram& program, const Result<Inputs>& inputs, onnx::TextOptions& how) {
    const std::optional<std::string> differ = how.apart ? std::nullopt : names_differ(program, inputs);
    if (!differ) return false;
    std::fputs((arguments.rest[0] + ": note: " + compiled_apart(*differ) + "\n").c_str(), stderr);
    return how.apart = true;
}
} // namespace

int run_command(Words words) {
    std::vector<FlagSpec> flags(std::begin(compile_flags), std::end(compile_flags));
    flags.insert(flags.end(), call_flags().begin(), call_flags().end());
    flags.insert(flags.end(), std::begin(size_flags), std::end(size_flags));
    flags.push_back(
        {"tap", true,
         "NAME=@FILE.npy a value inside a model, or what the node of that name gives, goes there, of a loop's body stacked over its trips; may be given several times"});
    flags.push_back({"tap-all", true, "FILE.npz every value of the model's main graph goes there"});
    flags.push_back({"check-nan", false, "of a model: the first node that makes a NaN or an infinity, instead of results; exit 1 if one does"});
    flags.push_back(strict_flag);
    flags.push_back({"eval", false, "interpret instead of compiling: slow, the judge of compiled code"});
    flags.push_back({"help", false, "this text"});
    Result<Arguments> arguments = parse_arguments(words, flags);
    if (!arguments) return fail(arguments.error());
    if (arguments->has("help")) {
        std::fputs((std::string(help_text) + flags_help(flags)).c_str(), stdout);
        return 0;
    }
    if (arguments->rest.size() != 1) return fail(Error{Code::usage, "expected one program", {}, "nereus run --help"});
    const std::string& path = arguments->rest[0];
    for (const char* of_models : {"tap", "tap-all", "check-nan"})
        if (arguments->has(of_models) && !is_model(path))
            return fail(
                Error{Code::usage, "--" + std::string(of_models) + " is about models, and '" + path + "' is none"});
    if (Status named = check_names_flag(*arguments); !named) return fail(named.error());
    if (arguments->has("strict"))
        if (int refused = check_strict(path, compile_options(*arguments), with_names_flag({}, *arguments)); refused != 0) return refused;
    if (arguments->has("check-nan")) return check_nan(path, *arguments);
    Result<Taps> taps = Taps::parse(arguments->values("tap"), arguments->value("tap-all"), path);
    if (!taps) return fail(taps.error());
    onnx::TextOptions how = taps->options();
    how.given = replaced_inputs(path, *arguments);
    how = with_names_flag(std::move(how), *arguments);
    int exit = 0;
    if (path.ends_with(".nrx")) return load_program(path, &exit), exit;              // which says with what to run it
    std::optional<ReadyProgram> program;
    const bool needs_sizes = arguments->has("shapes") || arguments->has("dim");
    if (!arguments->has("eval") || needs_sizes) program = make_ready(path, *arguments, &exit, how);
    if (exit != 0) return exit;
    if (arguments->has("eval")) {
        std::optional<SourceProgram> source = load_program(path, &exit, how);
        if (!source) return exit;
        name_parameters(*arguments, source->parameters);
        Result<Inputs> inputs = inputs_of(*arguments, *source, program ? &program->exe() : nullptr,
                                          scalars_of(source->module, compile_options(*arguments).entry));
        if (is_to_be_apart(*arguments, *source, inputs, how)) {
            source = load_program(path, &exit, how);
            if (!source) return exit;
        }
        return interpret(*arguments, *source,
                         {.read = [&](const Arguments&, const ScalarTypes&) { return std::move(inputs); },
                          .finish = taps->writer(source->file),
                          .names = names_of(*source),
                          .outputs = taps->without(source->outputs)});
    }
    name_parameters(*arguments, program->source.parameters);
    Result<Inputs> inputs = inputs_of(*arguments, program->source, &program->exe(), scalars_of(program->exe()));
    if (is_to_be_apart(*arguments, program->source, inputs, how)) {
        program = make_ready(path, *arguments, &exit, how);
        if (!program) return exit;
    }
    const CallHooks hooks{.read = [&](const Arguments&, const ScalarTypes&) { return std::move(inputs); },
                          .finish = taps->writer(program->source.file),
                          .names = names_of(program->source),
                          .outputs = taps->without(program->source.outputs)};
    const int code = run_loaded(*arguments, program->loaded, program->source.sources, hooks);
    if (arguments->has("stats")) {
        const Resident memory = resident();
        std::fprintf(stderr, "compiles %ld\nresident bytes: %ld now, %ld at most\n", long(compiles()), long(memory.now), long(memory.most));
    }
    return code;
}
} // namespace nereus
