#include "cli/check_nan.h"
#include "cli/first_bad_node.h"
#include "cli/names_apart.h"
#include "cli/program_inputs.h"
#include "cli/ready_program.h"
#include "run/progress.h"
#include <algorithm>
#include <cstdio>

namespace nereus {
namespace {
// All that nodes give, wherever they are, in order.
std::vector<onnx::Places::Value> values_of(const onnx::Places& places) {
    std::vector<onnx::Places::Value> values;
    for (int place = 0; place < places.size(); ++place)
        for (const onnx::Node& node : places.nodes(place))
            for (std::string_view output : node.outputs)
                if (!output.empty()) values.push_back({place, output});
    return values;
}
// What a value is where it stands, of the type that comes out of the bodies around it.
TypeId type_inside(const Module& module, TypeId type, std::span<const onnx::Place::Kind> layers) {
    for (onnx::Place::Kind layer : layers) {
        const Type& outer = module.types[type];
        type = layer == onnx::Place::Kind::trips ? outer.parts[0] : std::get<TypeId>(outer.args[0]);
    }
    return type;
}
// Which of them are tensors of floats: found by compiling as far as types with all of them as outputs.
std::optional<std::vector<std::string>> floats_of(const std::string& path, const Arguments& arguments, int* out_exit) {
    const CompileOptions options = compile_options(arguments);
    std::optional<SourceProgram> program = load_program(path, out_exit, with_names_flag({}, arguments));
    if (!program) return std::nullopt;
    const onnx::Places places(*program->file);
    const std::vector<onnx::Places::Value> values = values_of(places);
    std::vector<std::string> names;
    for (const onnx::Places::Value& value : values) names.push_back(places.path(value));
    const size_t own = program->outputs.size();
    std::optional<SourceProgram> tapped = load_program(path, out_exit, with_names_flag({.taps = names}, arguments));
    if (!tapped) return std::nullopt;
    Result<Module> typed = run_until(std::move(tapped->module), "specialise", options);
    if (!typed) {
        *out_exit = fail(typed.error(), tapped->sources);
        return std::nullopt;
    }
    const Function& main = (*typed)[typed->find_id(options.entry)];
    const std::vector<TypeId> parts = typed->types[main[main[main.body].results[0]].type].parts;
    std::vector<std::string> floats;
    for (size_t i = 0; i < names.size(); ++i) {
        const Type& type = typed->types[type_inside(*typed, parts[own + i], places.layers(values[i].place))];
        if (type.kind == TypeKind::tensor && type.element.dtype && is_computed_float(*type.element.dtype)) floats.push_back(names[i]);
    }
    return floats;
}

// One call; true: a node is to blame.
Result<bool> look_at(const ReadyProgram& program, size_t floats, const std::vector<Value>& args, const std::string& call) {
    Progress progress("running");
    std::unique_ptr<Context> context = TRY(Context::make(program.loaded, {.print = [&](std::string_view line) { progress.print(line); }}));
    progress.show(call, 0, 0);
    const Value result = TRY(context->run(program.entry(), args));
    progress.clear();
    const size_t own = result.children().size() - program.source.counted.size();
    FirstBadNode search(*program.source.file, program.source.counted, std::span(result.children()).subspan(own));
    std::string given;
    for (size_t i = 0; i < args.size(); ++i) {
        const BadElements bad = count_in(args[i]);
        search.know(program.source.inputs[i], bad);
        if (bad.any()) given += "\n  input '" + program.source.inputs[i] + "' holds " + text_of(bad);
    }
    const std::optional<std::string> found = search.find();
    std::printf("%s%s%s\n", call.c_str(), found ? found->c_str() : ("no node makes a NaN or an infinity; looked at " + std::to_string(floats) + " values").c_str(), given.c_str());
    return found.has_value();
}
} // namespace

int check_nan(const std::string& path, Arguments arguments) {
    int exit = 0;
    const std::optional<std::vector<std::string>> floats = floats_of(path, arguments, &exit);
    if (!floats) return exit;
    std::optional<ReadyProgram> program = make_ready(path, arguments, &exit, {.counted = *floats, .given = replaced_inputs(path, arguments)});
    if (!program) return exit;
    name_parameters(arguments, program->source.parameters);
    auto look = [&]() -> Result<bool> {
        const GivenSizes sizes = TRY(given_sizes(arguments, program->source.parameters, program->source.symbols));
        Inputs inputs = TRY(read_program_inputs(arguments, program->source, scalars_of(program->exe())));
        if (sizes.any()) inputs = TRY(with_random(inputs, sizes, program->exe(), uint64_t(TRY(arguments.whole("seed", 0, 0)))));
        std::vector<std::string> params;
        for (const DoorParam& param : program->entry().params) params.push_back(param.name);
        bool found = false;
        for (size_t i = 0; i < inputs.calls.size(); ++i)
            found |= TRY(look_at(*program, floats->size(), TRY(order_inputs(params, inputs.calls[i])), inputs.is_list ? "input " + std::to_string(i + 1) + ": " : ""));
        return found;
    };
    Result<bool> found = look();
    if (!found) return fail(found.error(), program->source.sources);
    return *found ? 1 : 0;
}
} // namespace nereus
