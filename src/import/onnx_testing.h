// import/onnx_testing.h - ONNX messages as bytes, field by field, and what must hold of whatever was read.
#pragma once
#include "import/message.h"
#include "import/read_data.h"
#include "import/read_model.h"

namespace nereus::onnx {
inline Message tensor_message(std::string_view name, ElemType type, const std::vector<int64_t>& dims) {
    return Message().numbers(1, dims).number(2, int64_t(type)).text(8, name);
}
inline Message model_message(const Message& graph) {
    return Message().number(1, 10).message(7, graph).message(8, Message().number(2, 21));
}
// A model with this initializer and nothing else.
inline Message model_of_tensor(const Message& tensor) { return model_message(Message().message(5, tensor)); }
// A model with a node that has this attribute and nothing else.
inline Message model_of_attribute(const Message& attribute) {
    return model_message(Message().message(1, Message().message(5, attribute)));
}

// Whether every name and every element lies in `file` or in what the storage owns.
class StaysInside {
 public:
    StaysInside(const Storage& storage, std::span<const std::byte> file) {
        rooms_.push_back(text_of(file));
        for (const std::shared_ptr<const MappedFile>& each : storage.files) rooms_.push_back(each->bytes());
        for (const std::vector<std::byte>& each : storage.packed) rooms_.push_back(text_of(each));
    }
    bool holds(const ModelFile& model) {
        add(model.producer_name), add(model.producer_version), add(model.domain);
        add(model.opset_imports), add(model.metadata_props);
        for (const Function& f : model.functions) {
            add(f.domain), add(f.name), add(f.overload), add(f.inputs), add(f.outputs), add(f.attributes);
            add(f.default_attributes), add(f.nodes), add(f.opset_imports), add(f.value_info), add(f.metadata_props);
        }
        for (const Graph& g : model.graphs) {
            add(g.name), add(g.nodes), add(g.initializers), add(g.sparse_initializers), add(g.inputs), add(g.outputs);
            add(g.value_info), add(g.metadata_props);
            inside_ &= !g.parent.valid() || g.parent.index < model.graphs.size();
        }
        return inside_ && largest_graph_ < model.graphs.size();
    }
    bool holds(const DataFile& file) {
        for (const Data& data : file.values) {
            add(data.name);
            std::visit([this](const auto& value) { add(value); }, data.value);
        }
        return inside_ && largest_value_ < file.values.size();
    }

 private:
    static std::string_view text_of(std::span<const std::byte> bytes) {
        return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
    }
    void add(std::string_view text) {
        bool found = text.empty();
        for (std::string_view room : rooms_)
            found |= text.data() >= room.data() && text.data() + text.size() <= room.data() + room.size();
        inside_ &= found;
    }
    void add(std::monostate) {}
    void add(float) {}
    void add(int64_t) {}
    void add(GraphId id) { largest_graph_ = std::max<size_t>(largest_graph_, id.index); }
    void add(DataId id) { largest_value_ = std::max<size_t>(largest_value_, id.index); }
    void add(const TensorData& tensor) {
        add(tensor.name), add(tensor.strings), add(text_of(tensor.bytes));
        inside_ &= int64_t(tensor.bytes.size()) == *byte_count(tensor.type, tensor.dims);
    }
    void add(const SparseTensor& sparse) { add(sparse.values), add(sparse.indices); }
    void add(const SequenceData& sequence) { add(sequence.items); }
    void add(const OptionalData& optional) { if (optional.item.valid()) add(optional.item); }
    void add(const MapData& map) { add(map.string_keys), add(map.values); }
    void add(const KeyValue& pair) { add(pair.key), add(pair.value); }
    void add(const OpsetImport& opset) { add(opset.domain); }
    void add(const Dim& dim) { if (const std::string_view* name = std::get_if<std::string_view>(&dim)) add(*name); }
    void add(const TypeInfo& type) { if (type.shape) add(*type.shape); }
    void add(const ValueInfo& info) { add(info.name), add(info.type), add(info.metadata_props); }
    void add(const Attribute& attribute) {
        add(attribute.name), add(attribute.ref_name);
        std::visit([this](const auto& value) { add(value); }, attribute.value);
    }
    void add(const Node& node) {
        add(node.name), add(node.op_type), add(node.domain), add(node.overload), add(node.inputs), add(node.outputs);
        add(node.attributes), add(node.metadata_props);
    }
    template <class T> void add(const std::vector<T>& list) {
        for (const T& each : list) add(each);
    }
    std::vector<std::string_view> rooms_;
    bool inside_ = true;
    size_t largest_graph_ = 0, largest_value_ = 0;
};
} // namespace nereus::onnx
