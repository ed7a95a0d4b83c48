// Numbers of fields are those of onnx.proto, which read_model.cpp, read_tensor.cpp and read_type.cpp read by name.
#include "import/write_model.h"
#include "import/message.h"
#include <algorithm>

namespace nereus::onnx {
namespace {
std::string_view text_of(std::span<const std::byte> bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

void add_texts(Message& to, uint32_t field, const std::vector<std::string_view>& texts) {
    for (std::string_view text : texts) to.text(field, text);
}
void add_if(Message& to, uint32_t field, std::string_view text) {
    if (!text.empty()) to.text(field, text);
}
void add(Message& to, uint32_t field, const std::vector<KeyValue>& pairs) {
    for (const KeyValue& pair : pairs) to.message(field, Message().text(1, pair.key).text(2, pair.value));
}
void add(Message& to, uint32_t field, const std::vector<OpsetImport>& imports) {
    for (const OpsetImport& import : imports) to.message(field, Message().text(1, import.domain).number(2, import.version));
}

Message message_of(const TensorData& tensor) {
    Message out;
    out.numbers(1, tensor.dims).number(2, int64_t(tensor.type));
    add_if(out, 8, tensor.name);
    if (tensor.type == ElemType::string) add_texts(out, 6, tensor.strings);
    else out.text(9, text_of(tensor.bytes));
    return out;
}
Message message_of(const SparseTensor& sparse) {
    return Message().message(1, message_of(sparse.values)).message(2, message_of(sparse.indices)).numbers(3, sparse.dims);
}

Message message_of(const std::vector<Dim>& shape) {
    Message out;
    for (const Dim& dim : shape) {
        Message each;
        if (const int64_t* number = std::get_if<int64_t>(&dim)) each.number(1, *number);
        if (const std::string_view* name = std::get_if<std::string_view>(&dim)) each.text(2, *name);
        out.message(1, each);
    }
    return out;
}
Message message_of(const TypeInfo& type) {             // from the inside out
    Message out;
    if (type.leaf == TypeInfo::Leaf::opaque) out.message(7, {});
    if (type.leaf == TypeInfo::Leaf::tensor || type.leaf == TypeInfo::Leaf::sparse_tensor) {
        Message leaf;
        leaf.number(1, int64_t(type.elem));
        if (type.shape) leaf.message(2, message_of(*type.shape));
        out.message(type.leaf == TypeInfo::Leaf::tensor ? 1 : 8, leaf);
    }
    for (auto layer = type.layers.rbegin(); layer != type.layers.rend(); ++layer) {
        Message around;
        switch (layer->kind) {
        case TypeLayer::Kind::sequence: around.message(4, Message().message(1, out)); break;
        case TypeLayer::Kind::optional: around.message(9, Message().message(1, out)); break;
        case TypeLayer::Kind::map: around.message(5, Message().number(1, int64_t(layer->key)).message(2, out)); break;
        }
        out = std::move(around);
    }
    return out;
}
void add(Message& to, uint32_t field, const std::vector<ValueInfo>& infos) {
    for (const ValueInfo& info : infos) {
        Message each;
        each.text(1, info.name);
        if (!info.type.layers.empty() || info.type.leaf != TypeInfo::Leaf::none) each.message(2, message_of(info.type));
        add(each, 4, info.metadata_props);
        to.message(field, each);
    }
}

class ModelWriter {
 public:
    explicit ModelWriter(const ModelFile& model) : model_(model), graphs_(model.graphs.size()) {}
    std::string run() {
        Message out;
        out.number(1, model_.ir_version);
        add_if(out, 2, model_.producer_name), add_if(out, 3, model_.producer_version), add_if(out, 4, model_.domain);
        out.number(5, model_.model_version);
        for (size_t i = model_.graphs.size(); i-- > 0;) graphs_[i] = graph(model_.graphs[i]);      // those inside come behind
        out.message(7, graphs_[0]);
        add(out, 8, model_.opset_imports), add(out, 14, model_.metadata_props);
        for (const Function& each : model_.functions) out.message(25, function(each));
        return std::move(out.data);
    }

 private:
    Message graph(const Graph& graph) {
        Message out;
        for (const Node& each : graph.nodes) out.message(1, node(each));
        add_if(out, 2, graph.name);
        for (const TensorData& each : graph.initializers) out.message(5, message_of(each));
        add(out, 11, graph.inputs), add(out, 12, graph.outputs), add(out, 13, graph.value_info);
        for (const SparseTensor& each : graph.sparse_initializers) out.message(15, message_of(each));
        add(out, 16, graph.metadata_props);
        return out;
    }
    Message node(const Node& node) {
        Message out;
        add_texts(out, 1, node.inputs), add_texts(out, 2, node.outputs);
        add_if(out, 3, node.name);
        out.text(4, node.op_type);
        for (const Attribute& each : node.attributes) out.message(5, attribute(each));
        add_if(out, 7, node.domain), add_if(out, 8, node.overload);
        add(out, 9, node.metadata_props);
        return out;
    }
    Message function(const Function& function) {
        Message out;
        out.text(1, function.name);
        add_texts(out, 4, function.inputs), add_texts(out, 5, function.outputs), add_texts(out, 6, function.attributes);
        for (const Node& each : function.nodes) out.message(7, node(each));
        add(out, 9, function.opset_imports);
        add_if(out, 10, function.domain);
        for (const Attribute& each : function.default_attributes) out.message(11, attribute(each));
        add(out, 12, function.value_info);
        add_if(out, 13, function.overload);
        add(out, 14, function.metadata_props);
        return out;
    }
    Message attribute(const Attribute& attribute) {
        Message out;
        out.text(1, attribute.name);
        std::visit([&](const auto& value) { put(out, attribute.type, value); }, attribute.value);
        if (attribute.type != AttributeType::undefined) out.number(20, int64_t(attribute.type));
        add_if(out, 21, attribute.ref_name);
        return out;
    }
    static void put(Message&, AttributeType, std::monostate) {}
    static void put(Message& out, AttributeType, float value) { out.real(2, value); }
    static void put(Message& out, AttributeType, int64_t value) { out.number(3, value); }
    static void put(Message& out, AttributeType, std::string_view value) { out.text(4, value); }
    static void put(Message& out, AttributeType, const std::vector<float>& values) { out.reals(7, values); }
    static void put(Message& out, AttributeType, const std::vector<int64_t>& values) { out.numbers(8, values); }
    static void put(Message& out, AttributeType, const std::vector<std::string_view>& values) { add_texts(out, 9, values); }
    static void put(Message& out, AttributeType type, const std::vector<TensorData>& values) {
        for (const TensorData& each : values) out.message(type == AttributeType::tensor ? 5 : 10, message_of(each));
    }
    void put(Message& out, AttributeType type, const std::vector<GraphId>& values) {
        for (GraphId each : values) out.message(type == AttributeType::graph ? 6 : 11, graphs_[each.index]);
    }
    static void put(Message& out, AttributeType type, const std::vector<SparseTensor>& values) {
        for (const SparseTensor& each : values) out.message(type == AttributeType::sparse_tensor ? 22 : 23, message_of(each));
    }
    static void put(Message& out, AttributeType type, const std::vector<TypeInfo>& values) {
        for (const TypeInfo& each : values) out.message(type == AttributeType::type ? 14 : 15, message_of(each));
    }

    const ModelFile& model_;
    std::vector<Message> graphs_;                      // that are written; each goes into the graph around it
};
} // namespace

std::string write_model(const ModelFile& model) { return ModelWriter(model).run(); }
} // namespace nereus::onnx
