#include "cli/names_apart.h"
#include <algorithm>

namespace nereus {
Status check_names_flag(const Arguments& arguments) {
    const std::string how = arguments.value("names", "apart");
    return how == "apart" ? Status() : Error{Code::usage, "--names takes apart, found '" + how + "'"};
}
onnx::TextOptions with_names_flag(onnx::TextOptions how, const Arguments& arguments) {
    how.apart |= arguments.value("names") == "apart";
    return how;
}

std::optional<std::string> names_differ(const onnx::ModelFile& model, std::span<const GivenInput> given) {
    struct Seen { int64_t size; std::string_view input; };
    std::map<std::string_view, Seen> seen;
    for (const GivenInput& each : given) {
        const auto input = std::ranges::find(model.main().inputs, each.name, &onnx::ValueInfo::name);
        if (input == model.main().inputs.end() || !each.value->is(Value::Kind::tensor)) continue;
        const onnx::TypeInfo& type = input->type;
        const Extents& shape = each.value->tensor().shape();
        if (!type.layers.empty() || !type.shape) continue;
        const std::string input_name = "'" + std::string(each.name) + "'", axes = shape.size() == 1 ? " axis" : " axes";
        if (type.shape->empty() && !shape.empty())
            return input_name + " has " + std::to_string(shape.size()) + axes + ", and is declared with none";
        if (type.shape->size() != shape.size()) continue;
        for (size_t axis = 0; axis < shape.size(); ++axis) {
            const auto* name = std::get_if<std::string_view>(&(*type.shape)[axis]);
            if (!name || onnx::is_placeholder(*name)) continue;
            const auto [it, is_new] = seen.try_emplace(*name, Seen{shape[axis], each.name});
            if (is_new || it->second.size == shape[axis]) continue;
            return "the size '" + std::string(*name) + "' is " + std::to_string(it->second.size) + " in '" +
                   std::string(it->second.input) + "' and " + std::to_string(shape[axis]) + " in " + input_name;
        }
    }
    return std::nullopt;
}
std::optional<std::string> names_differ(const onnx::ModelFile& model, std::span<const std::string> inputs,
                                        std::span<const Value> values) {
    std::vector<GivenInput> given;
    for (size_t i = 0; i < std::min(inputs.size(), values.size()); ++i) given.push_back({inputs[i], &values[i]});
    return names_differ(model, given);
}
std::string compiled_apart(const std::string& why) { return why + ": compiled again with --names=apart"; }
} // namespace nereus
