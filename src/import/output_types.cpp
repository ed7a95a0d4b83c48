#include "import/output_types.h"
#include "import/node_title.h"
#include "import/places.h"
#include <algorithm>
#include <unordered_map>

namespace nereus::onnx {
namespace {
constexpr std::string_view of_the_first[] = {
    "Abs",    "Add",     "AveragePool",   "Ceil",       "Clip",    "Concat",    "Conv",       "ConvTranspose",
    "Cos",    "Div",     "Dropout",       "Elu",        "Erf",     "Exp",       "Expand",     "Flatten",
    "Floor",  "Gather",  "Gelu",          "Gemm",       "HardSwish", "Identity", "LeakyRelu", "Log",
    "MatMul", "Max",     "MaxPool",       "Mean",       "Min",     "Mul",       "Neg",        "Pad",
    "Pow",    "PRelu",   "Reciprocal",    "ReduceMax",  "ReduceMean", "ReduceMin", "ReduceSum", "Relu",
    "Reshape", "Resize", "Round",         "Sigmoid",    "Sign",    "Sin",       "Slice",      "Softmax",
    "Softplus", "Split", "Sqrt",          "Squeeze",    "Sub",     "Sum",       "Tanh",       "Tile",
    "Transpose", "Unsqueeze", "LogSoftmax", "GlobalAveragePool"};
constexpr std::string_view whole[] = {"ArgMax", "ArgMin", "NonZero", "Shape", "Size"};
constexpr std::string_view yes_or_no[] = {"And",   "Equal", "Greater",     "GreaterOrEqual", "IsInf", "IsNaN",
                                          "Less",  "LessOrEqual", "Not",   "Or",             "Xor"};

bool is_tensor(const TypeInfo& type) { return type.leaf == TypeInfo::Leaf::tensor && type.layers.empty(); }

class Elements {
 public:
    explicit Elements(const ModelFile& model) : model_(model) {
        for (const ValueInfo& input : model.main().inputs)
            if (is_tensor(input.type)) known_[input.name] = input.type.elem;
        for (const TensorData& data : model.main().initializers) known_[data.name] = data.type;
        for (const Node& node : model.main().nodes)
            if (!function_of(model, node) && !node.outputs.empty()) add(node);
    }
    // Undefined: nothing tells.
    ElemType of(std::string_view name) const {
        auto it = known_.find(name);
        return it == known_.end() ? ElemType::undefined : it->second;
    }
    const Node* giver(std::string_view name) const {
        auto it = giver_.find(name);
        return it == giver_.end() ? nullptr : it->second;
    }

 private:
    void add(const Node& node) {
        auto is_among = [&](const auto& names) {
            return node.domain.empty() && std::ranges::find(names, node.op_type) != std::end(names);
        };
        ElemType made = ElemType::undefined;
        if (is_among(of_the_first) && !node.inputs.empty()) made = of(node.inputs[0]);
        else if (is_among(whole)) made = ElemType::int64;
        else if (is_among(yes_or_no)) made = ElemType::boolean;
        else if (node.domain.empty() && node.op_type == "Cast")
            for (const Attribute& a : node.attributes)
                if (const auto* to = std::get_if<int64_t>(&a.value); to && a.name == "to")
                    if (const Result<ElemType> type = elem_type_of_number(*to)) made = *type;
        const bool has_others = node.op_type == "Dropout" || node.op_type == "MaxPool";        // a mask, places
        for (size_t i = 0; i < (has_others ? 1 : node.outputs.size()); ++i)
            known_[node.outputs[i]] = made, giver_[node.outputs[i]] = &node;
    }

    const ModelFile& model_;
    std::unordered_map<std::string_view, ElemType> known_;
    std::unordered_map<std::string_view, const Node*> giver_;
};
} // namespace

Status check_output_types(const ModelFile& model) {
    const Elements elements(model);
    for (const ValueInfo& output : model.main().outputs) {
        const TypeInfo& type = output.type;
        const ElemType found = elements.of(output.name);
        const bool is_said = is_tensor(type) && type.elem != ElemType::undefined;
        if (!is_said || found == ElemType::undefined || found == type.elem) continue;
        const Node* by = elements.giver(output.name);
        const std::string who = by ? node_title(*by) + ": " : "";
        return Error{Code::type, who + "output '" + std::string(output.name) + "' is declared with elements " +
                                     std::string(onnx_type_name(type.elem)) + ", found " + std::string(onnx_type_name(found))};
    }
    return {};
}
} // namespace nereus::onnx
