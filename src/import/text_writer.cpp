#include "import/text_writer.h"
#include "import/node_text.h"
#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

namespace nereus::onnx {
namespace {
constexpr int deepest = 64;                            // graphs in graphs; the language takes far fewer loops

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

struct TypeRow { ElemType type; std::string_view name; };
constexpr TypeRow types[] = {
    {ElemType::boolean, "bool"}, {ElemType::int8, "i8"},      {ElemType::int16, "i16"},   {ElemType::int32, "i32"},
    {ElemType::int64, "i64"},    {ElemType::uint8, "u8"},     {ElemType::uint16, "u16"},  {ElemType::uint32, "u32"},
    {ElemType::uint64, "u64"},   {ElemType::float16, "f16"},  {ElemType::bfloat16, "bf16"}, {ElemType::float32, "f32"},
    {ElemType::float64, "f64"},
    {ElemType::float8e4m3fn, "f8e4m3fn"},
    {ElemType::float8e4m3fnuz, "f8e4m3fnuz"},
    {ElemType::float8e5m2, "f8e5m2"},
    {ElemType::float8e5m2fnuz, "f8e5m2fnuz"},
    {ElemType::float8e8m0, "f8e8m0"},
    {ElemType::float4e2m1, "f4e2m1"},
    {ElemType::int4, "i4"},
    {ElemType::uint4, "u4"},
    {ElemType::int2, "i2"},
    {ElemType::uint2, "u2"},
};
} // namespace

std::string_view dtype_text(ElemType type) {
    for (const TypeRow& row : types)
        if (row.type == type) return row.name;
    return {};
}

std::string Names::fresh(std::string_view wish, std::string_view otherwise) {
    std::string name;
    for (char c : wish.substr(0, 60)) {
        const bool stays = is_letter(c) || is_digit(c);
        if (stays || (!name.empty() && name.back() != '_')) name += stays ? c : '_';
    }
    while (name.ends_with('_')) name.pop_back();
    if (name.empty() || !std::islower(static_cast<unsigned char>(name[0]))) name = std::string(otherwise) + (name.empty() ? "" : "_" + name);
    auto [it, is_new] = used_.try_emplace(name, 1);
    while (!is_new) {                                  // name_2 may be a name of its own
        std::string next = name + "_" + std::to_string(++it->second);
        if (used_.try_emplace(next, 1).second) return next;
    }
    return name;
}

int64_t TextWriter::version_of(std::string_view domain) const {
    if (domain == "ai.onnx") domain = "";
    for (const OpsetImport& import : model_.opset_imports)
        if (import.domain == domain || (domain.empty() && import.domain == "ai.onnx")) return import.version;
    return 1;
}

// Missing operators by name and version, with the nodes that ask for them.
Status TextWriter::supported() {
    std::map<std::string, std::vector<std::string_view>> missing;
    for (const Graph& graph : model_.graphs) {
        if (graph.depth > deepest) return Error{Code::limit, "graphs are nested more than " + std::to_string(deepest) + " deep"};
        for (const Node& node : graph.nodes)
            if (!find_row(node.domain, node.op_type, version_of(node.domain)))
                missing[(node.domain.empty() ? "" : std::string(node.domain) + ".") + std::string(node.op_type) + " (opset " + std::to_string(version_of(node.domain)) + ")"].push_back(node.name);
    }
    if (missing.empty()) return {};
    std::string text = missing.size() == 1 ? "an operator is not offered" : std::to_string(missing.size()) + " operators are not offered";
    for (const auto& [op, nodes] : missing) {
        text += "\n  " + op + ", " + std::to_string(nodes.size()) + (nodes.size() == 1 ? " node" : " nodes");
        if (!nodes[0].empty()) text += ", the first is '" + std::string(nodes[0]) + "'";
    }
    return Error{Code::unsupported, text};
}

std::string TextWriter::dim_text(const Dim& dim) {
    if (options_.symbolic) return dims_.fresh("d", "d");
    if (const int64_t* number = std::get_if<int64_t>(&dim); number && *number >= 0) return std::to_string(*number);
    const std::string_view* param = std::get_if<std::string_view>(&dim);
    if (!param || param->empty()) return "?";
    auto [it, is_new] = dim_names_.try_emplace(*param);
    if (is_new) it->second = dims_.fresh(*param, "d");
    return it->second;
}

Result<std::string> TextWriter::type_text(const TypeInfo& type) {
    std::string before, after;
    for (const TypeLayer& layer : type.layers) {
        if (layer.kind == TypeLayer::Kind::map) return Error{Code::unsupported, "it is a map"};
        before += layer.kind == TypeLayer::Kind::sequence ? "Seq[" : "Option[";
        after += "]";
    }
    if (type.leaf != TypeInfo::Leaf::tensor) return Error{Code::unsupported, "its type is not that of a tensor"};
    const std::string_view dtype = dtype_text(type.elem);
    if (dtype.empty()) return Error{Code::unsupported, "its elements are " + std::string(onnx_type_name(type.elem))};
    return before + "Tensor[" + shape_text(type) + ", " + std::string(dtype) + "]" + after;
}
std::string TextWriter::shape_text(const TypeInfo& type) {
    if (!type.shape) return "..";
    std::string out = "(";
    for (const Dim& dim : *type.shape) out += (out.size() > 1 ? ", " : "") + dim_text(dim);
    return out + ")";
}

std::string TextWriter::look_up(std::string_view name) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
        if (auto it = scope->names.find(name); it != scope->names.end()) return it->second;
    if (missing_) missing_ = Error{Code::name, "nothing gives '" + std::string(name) + "', which a node reads"};
    return "%" + std::string(name);
}
const TensorData* TextWriter::constant(std::string_view name) const {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
        if (auto it = scope->constants.find(name); it != scope->constants.end()) return it->second;
        if (scope->names.contains(name)) return nullptr;
    }
    return nullptr;
}
std::string TextWriter::bind(std::string_view name) { return scopes_.back().names[name] = "%" + values_.fresh(name, "v"); }

std::string TextWriter::weight(const TensorData& data, std::string_view stem) {
    auto [it, is_new] = weight_names_.try_emplace(&data);
    if (is_new) {
        weights_.push_back({values_.fresh(stem, "w"), &data});
        it->second = "%" + weights_.back().parameter;
    }
    return it->second;
}

void TextWriter::line(const std::string& statement) { out_ += std::string(2 * size_t(indent_), ' ') + statement + "\n"; }

Result<std::string> TextWriter::block(const std::function<Result<std::string>()>& body) {
    std::string outer = std::exchange(out_, {});
    ++indent_;
    scopes_.emplace_back();
    Result<std::string> end = body();
    scopes_.pop_back();
    --indent_;
    std::string inner = std::exchange(out_, std::move(outer));
    if (!end) return end;
    return "{\n" + inner + std::string(2 * size_t(indent_ + 1), ' ') + *end + "\n" + std::string(2 * size_t(indent_), ' ') + "}";
}

Status TextWriter::enter(const Graph& graph) {
    if (!graph.sparse_initializers.empty()) return Error{Code::unsupported, "sparse initializers are not offered"};
    for (const TensorData& data : graph.initializers) {
        scopes_.back().names[data.name] = weight(data, data.name);
        know_constant(data.name, &data);
    }
    return {};
}

Status TextWriter::nodes(std::span<const Node> nodes) {
    for (const Node& node : nodes) {
        const int64_t version = version_of(node.domain);
        const OpRow* row = find_row(node.domain, node.op_type, version);
        Status written = NodeText(*this, node, *row, version).run();
        if (written && !missing_) written = missing_.error();
        if (written) continue;
        Error error = std::move(written).error();
        error.message = std::string(node.op_type) + (node.name.empty() ? "" : " '" + std::string(node.name) + "'") + ": " + error.message;
        return error;
    }
    return {};
}

Status TextWriter::parameters(ModelText& out, std::string& out_header) {
    const Graph& main = model_.main();
    for (const ValueInfo& input : main.inputs) {
        if (scopes_.back().names.contains(input.name)) continue;         // a default for it: an initializer
        Result<std::string> type = type_text(input.type);
        if (!type) return Error{Code::unsupported, "input '" + std::string(input.name) + "': " + type.error().message};
        const std::string name = bind(input.name);
        out.inputs.push_back({input.name, name.substr(1), &input.type});
        out_header += (out_header.empty() ? "" : ", ") + name + ": " + *type;
    }
    return {};
}

Result<ModelText> TextWriter::run() {
    TRY(supported());
    const Graph& main = model_.main();
    ModelText out;
    std::string header, result;
    scopes_.emplace_back();
    TRY(enter(main));
    TRY(parameters(out, header));
    TRY(nodes(main.nodes));
    for (const ValueInfo& output : main.outputs) {
        const std::string value = look_up(output.name);
        out.outputs.push_back({output.name, value.substr(1), &output.type});
        result += (result.empty() ? "" : ", ") + value;
    }
    TRY(std::move(missing_));
    if (main.outputs.empty()) return Error{Code::unsupported, "the model has no output"};
    for (const Weight& weight : weights_) {
        const std::string_view dtype = dtype_text(weight.data->type);
        if (dtype.empty()) return Error{Code::unsupported, "initializer '" + std::string(weight.data->name) + "': its elements are " + std::string(onnx_type_name(weight.data->type))};
        std::string shape;
        for (int64_t size : weight.data->dims) shape += (shape.empty() ? "" : ", ") + std::to_string(size);
        header += (header.empty() ? "%" : ", %") + weight.parameter + ": Tensor[(" + shape + "), " + std::string(dtype) + "]";
    }
    line(main.outputs.size() == 1 ? result : "(" + result + ")");
    out.text = "def @main(" + header + ") {\n" + out_ + "}\n";
    out.weights = std::move(weights_);
    return out;
}

Result<ModelText> write_text(const ModelFile& model, const TextOptions& options) { return TextWriter(model, options).run(); }
} // namespace nereus::onnx
