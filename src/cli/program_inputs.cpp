#include "cli/program_inputs.h"
#include "cli/model_cases.h"
#include "cli/program_file.h"
#include "import/host_data.h"
#include "import/read_model.h"
#include "value/npz.h"
#include <algorithm>
#include <filesystem>

namespace nereus {
namespace {
namespace fs = std::filesystem;

const onnx::TypeInfo* type_of(const SourceProgram& program, std::string_view parameter) {
    for (const auto& [name, mapped] : program.parameters)
        if (mapped == parameter)
            for (const onnx::ValueInfo& input : program.file->main().inputs)
                if (input.name == name) return &input.type;
    return nullptr;
}
Result<Value> read_pb(const std::string& path, const SourceProgram& program, const std::string& parameter) {
    const onnx::TypeInfo* type = program.file ? type_of(program, parameter) : nullptr;
    if (!type) return Error{Code::usage, "'" + path + "' is a file of ONNX, and %" + parameter + " is not an input of a model"};
    return onnx::read_value(path, *type);
}
// test_data_set_N: input_M.pb is the model's input M.
Result<NamedValues> read_folder(const fs::path& folder, const SourceProgram& program) {
    NamedValues call;
    const std::vector<std::string> inputs = inputs_by_place(folder, program.file->main());
    for (size_t i = 0; i < inputs.size(); ++i) {
        const fs::path path = folder / ("input_" + std::to_string(i) + ".pb");
        const auto parameter = program.parameters.find(inputs[i]);
        if (!fs::exists(path) || parameter == program.parameters.end()) continue;        // what is missing is said by its name
        call.push_back({parameter->second, TRY(read_pb(path.string(), program, parameter->second))});
    }
    if (call.empty()) return Error{Code::io, "'" + folder.string() + "' has no input_0.pb", {}, "--inputs takes a file, or a folder test_data_set_N of a model"};
    return call;
}
} // namespace

std::vector<std::string> replaced_inputs(const std::string& path, const Arguments& arguments) {
    std::vector<std::string> names;
    const bool gives = arguments.has("input") || arguments.has("inputs") || arguments.has("cases");
    const Result<ProgramFile> file = program_file(path);
    const Result<onnx::ModelFile> model = gives && file && file->is_model ? onnx::read_model(file->path) : Error{};
    if (!model) return names;                                    // what is wrong with it is said where it is compiled
    const onnx::Graph& main = model->main();
    const std::string from = arguments.value("inputs");
    std::error_code failed;
    std::vector<std::string> placed;
    NamedValues named;
    if (std::ranges::none_of(main.inputs, [&](const onnx::ValueInfo& input) { return main.initializer(input.name); })) return names;
    if (fs::is_directory(from, failed)) {
        placed = inputs_by_place(from, main);
    } else if (from.ends_with(".npz")) {
        if (Result<NamedValues> read = read_npz_arrays(from)) named = std::move(*read);
    } else if (!from.empty()) {
        if (Result<Inputs> read = read_inputs({.flags = {{"inputs", {from}}}},
                                              [](auto) { return DType::f64; })) // names alone
            for (NamedValues& call : read->calls) named.insert(named.end(), call.begin(), call.end());
    }
    if (Result<ModelCases> cases = ModelCases::open(arguments.value("cases"))) placed = cases->replaced(main);
    for (const onnx::ValueInfo& input : main.inputs) {
        const std::string name(input.name);
        const bool given = std::ranges::find(placed, name) != placed.end() || std::ranges::find(named, name, &Field::name) != named.end() ||
                           std::ranges::any_of(arguments.values("input"), [&](const std::string& spec) { return spec.starts_with(name + "="); });
        if (given && main.initializer(name)) names.push_back(name);
    }
    return names;
}

namespace {
// Inputs that other calls give, and this one does not.
Status add_defaults(const SourceProgram& program, NamedValues& call) {
    for (const std::string& input : program.inputs) {
        const std::string& parameter = program.parameters.at(input);
        const onnx::TensorData* data = program.file->main().initializer(input);
        if (data && std::ranges::find(call, parameter, &Field::name) == call.end()) call.push_back({parameter, Value::tensor(TRY(onnx::host_tensor(*data, program.file->storage)))});
    }
    return {};
}
} // namespace

Result<Inputs> read_program_inputs(const Arguments& arguments, const SourceProgram& program,
                                   const ScalarTypes& scalars) {
    if (!program.file) return read_inputs(arguments, scalars);
    auto renamed = [&](NamedValues call) {
        for (Field& field : call)
            if (auto it = program.parameters.find(field.name); it != program.parameters.end()) field.name = it->second;
        return call;
    };
    Arguments plain = arguments;                                 // what others read
    NamedValues extra;
    std::vector<std::string>& inputs = plain.flags["input"];
    for (const std::string& spec : arguments.values("input")) {
        const size_t at = spec.find("=@");
        if (at == spec.npos || !spec.ends_with(".pb")) continue;
        extra.push_back({spec.substr(0, at), TRY(read_pb(spec.substr(at + 2), program, spec.substr(0, at)))});
        std::erase(inputs, spec);
    }
    const std::string from = arguments.value("inputs");
    std::error_code failed;
    const bool is_folder = fs::is_directory(from, failed);
    if (is_folder || from.ends_with(".npz")) {
        for (Field& field : is_folder ? TRY(read_folder(from, program)) : renamed(TRY(read_npz_arrays(from)))) extra.push_back(std::move(field));
        plain.flags.erase("inputs");
    }
    auto by_input = [&](std::string_view name) {
        auto it = program.parameters.find(std::string(name));
        return scalars ? scalars(it == program.parameters.end() ? name : std::string_view(it->second)) : std::nullopt;
    };
    Inputs read = TRY(read_inputs(plain, by_input));
    for (NamedValues& call : read.calls) {
        call = renamed(std::move(call));
        for (const Field& field : extra) {
            if (std::ranges::find(call, field.name, &Field::name) != call.end()) return Error{Code::usage, "argument %" + field.name + " is given twice"};
            call.push_back(field);
        }
        TRY(add_defaults(program, call));
    }
    return read;
}
} // namespace nereus
