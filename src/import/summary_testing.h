// import/summary_testing.h - everything that was read of a file as text, one line per thing; test/oracle/onnx_summary.py writes
// the same text from what the package `onnx` reads.
#pragma once
#include "import/onnx_model.h"
#include <bit>
#include <cstdio>
#include <sstream>

namespace nereus::onnx {
class Summary {
 public:
    explicit Summary(const ModelFile& model) {
        out_ << "model " << model.ir_version << ' ' << quoted(model.producer_name) << ' ' << quoted(model.producer_version)
             << ' ' << quoted(model.domain) << ' ' << model.model_version << '\n';
        opsets(model.opset_imports), pairs(model.metadata_props);
        for (const Function& function : model.functions) add(function);
        for (const Graph& graph : model.graphs) add(graph);
    }
    explicit Summary(const DataFile& file) {
        for (const Data& data : file.values) {
            out_ << "value " << quoted(data.name) << ' ';
            std::visit([this](const auto& value) { add(value); }, data.value);
            out_ << '\n';
        }
    }
    std::string text() const { return out_.str(); }

 private:
    static std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }
    static std::string hash(std::string_view bytes) {              // FNV-1a
        uint64_t h = 0xcbf29ce484222325;
        for (unsigned char c : bytes) h = (h ^ c) * 0x100000001b3;
        char text[24];
        std::snprintf(text, sizeof text, "%016llx", static_cast<unsigned long long>(h));
        return text;
    }
    static std::string hash(std::span<const std::byte> bytes) {
        return hash(std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
    }
    void opsets(const std::vector<OpsetImport>& imports) {
        for (const OpsetImport& each : imports) out_ << "opset " << quoted(each.domain) << ' ' << each.version << '\n';
    }
    void pairs(const std::vector<KeyValue>& all) {
        for (const KeyValue& each : all) out_ << "meta " << hash(each.key) << ' ' << hash(each.value) << '\n';
    }
    void names(std::string_view what, const std::vector<std::string_view>& all) {
        out_ << ' ' << what;
        for (std::string_view name : all) out_ << ' ' << quoted(name);
    }
    void sizes(const std::vector<int64_t>& dims) {
        out_ << '[';
        for (int64_t dim : dims) out_ << dim << ' ';
        out_ << ']';
    }
    void add(const TensorData& tensor) {
        out_ << quoted(tensor.name) << ' ' << onnx_type_name(tensor.type);
        sizes(tensor.dims);
        if (tensor.type != ElemType::string) out_ << ' ' << hash(tensor.bytes);
        for (std::string_view text : tensor.strings) out_ << ' ' << hash(text);
    }
    void add(const SparseTensor& sparse) {
        out_ << "sparse";
        sizes(sparse.dims);
        out_ << ' ', add(sparse.values), out_ << ' ', add(sparse.indices);
    }
    void add(const SequenceData& sequence) {
        out_ << "sequence of " << int(sequence.item_kind);
        for (DataId id : sequence.items) out_ << ' ' << id.index;
    }
    void add(const OptionalData& optional) {
        out_ << "optional of " << int(optional.item_kind);
        if (optional.item.valid()) out_ << ' ' << optional.item.index;
    }
    void add(const MapData& map) {
        out_ << "map of " << onnx_type_name(map.key_type);
        for (int64_t key : map.int_keys) out_ << ' ' << key;
        names("", map.string_keys);
        out_ << " to " << map.values.index;
    }
    void add(const Dim& dim) {
        if (const int64_t* number = std::get_if<int64_t>(&dim)) out_ << *number;
        else if (const std::string_view* name = std::get_if<std::string_view>(&dim)) out_ << quoted(*name);
        else out_ << '?';
        out_ << ' ';
    }
    void add(const TypeInfo& type) {
        for (const TypeLayer& layer : type.layers) {
            constexpr const char* layers[] = {"sequence", "optional", "map"};
            out_ << layers[int(layer.kind)] << ' ';
            if (layer.kind == TypeLayer::Kind::map) out_ << onnx_type_name(layer.key) << ' ';
        }
        constexpr const char* leaves[] = {"none", "tensor", "sparse_tensor", "opaque"};
        out_ << leaves[int(type.leaf)] << ' ' << onnx_type_name(type.elem);
        if (!type.shape) return;
        out_ << '(';
        for (const Dim& dim : *type.shape) add(dim);
        out_ << ')';
    }
    void add(std::string_view what, const std::vector<ValueInfo>& infos) {
        for (const ValueInfo& info : infos) {
            out_ << what << ' ' << quoted(info.name) << ' ';
            add(info.type);
            out_ << '\n';
            pairs(info.metadata_props);
        }
    }
    void add(std::monostate) {}
    void add(float value) { out_ << ' ' << std::bit_cast<uint32_t>(value); }
    void add(int64_t value) { out_ << ' ' << value; }
    void add(std::string_view text) { out_ << ' ' << hash(text); }
    void add(GraphId id) { out_ << ' ' << id.index; }
    template <class T> void add(const std::vector<T>& list) {
        for (const T& each : list) out_ << " | ", add(each);
    }
    void add(const Attribute& attribute) {
        out_ << "attribute " << quoted(attribute.name) << ' ' << quoted(attribute.ref_name) << ' '
             << attribute_type_name(attribute.type);
        std::visit([this](const auto& value) { add(value); }, attribute.value);
        out_ << '\n';
    }
    void add(const Node& node) {
        out_ << "node " << quoted(node.name) << ' ' << quoted(node.op_type) << ' ' << quoted(node.domain) << ' '
             << quoted(node.overload);
        names("in", node.inputs), names("out", node.outputs);
        out_ << '\n';
        for (const Attribute& attribute : node.attributes) add(attribute);
        pairs(node.metadata_props);
    }
    void add(const Function& function) {
        out_ << "function " << quoted(function.domain) << ' ' << quoted(function.name) << ' ' << quoted(function.overload);
        names("in", function.inputs), names("out", function.outputs), names("attributes", function.attributes);
        out_ << '\n';
        for (const Attribute& attribute : function.default_attributes) add(attribute);
        opsets(function.opset_imports);
        add("value", function.value_info);
        for (const Node& node : function.nodes) add(node);
        pairs(function.metadata_props);
    }
    void add(const Graph& graph) {
        out_ << "graph " << quoted(graph.name) << " in " << (graph.parent.valid() ? int64_t(graph.parent.index) : -1)
             << " depth " << graph.depth << '\n';
        add("input", graph.inputs), add("output", graph.outputs), add("value", graph.value_info);
        for (const TensorData& tensor : graph.initializers) out_ << "initializer ", add(tensor), out_ << '\n';
        for (const SparseTensor& sparse : graph.sparse_initializers) out_ << "initializer ", add(sparse), out_ << '\n';
        for (const Node& node : graph.nodes) add(node);
        pairs(graph.metadata_props);
    }

    std::ostringstream out_;
};
} // namespace nereus::onnx
