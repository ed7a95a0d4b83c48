#include "cli/program_inputs.h"
#include "import/host_data.h"
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
    for (size_t i = 0; i < program.inputs.size(); ++i) {
        const fs::path path = folder / ("input_" + std::to_string(i) + ".pb");
        if (!fs::exists(path)) continue;                         // what is missing is said by its name
        const std::string& parameter = program.parameters.at(program.inputs[i]);
        call.push_back({parameter, TRY(read_pb(path.string(), program, parameter))});
    }
    if (call.empty()) return Error{Code::io, "'" + folder.string() + "' has no input_0.pb", {}, "--inputs takes a file, or a folder test_data_set_N of a model"};
    return call;
}
} // namespace

Result<Inputs> read_program_inputs(const Arguments& arguments, const SourceProgram& program) {
    if (!program.file) return read_inputs(arguments);
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
    Inputs read = TRY(read_inputs(plain));
    for (NamedValues& call : read.calls) {
        call = renamed(std::move(call));
        for (const Field& field : extra) {
            if (std::ranges::find(call, field.name, &Field::name) != call.end()) return Error{Code::usage, "argument %" + field.name + " is given twice"};
            call.push_back(field);
        }
    }
    return read;
}
} // namespace nereus
