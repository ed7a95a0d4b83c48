// import/onnx_model.h - what an ONNX model says, as it says it: nothing is checked against the operators or made ours; nodes are
// behind those they read (node_order.h).
// Names are string_views into ModelFile::storage. Subgraphs lie side by side, however deep they nest. Not kept: doc strings,
// training_info, quantization_annotation, device configurations.
#pragma once
#include "import/onnx_data.h"
#include <optional>

namespace nereus::onnx {
using GraphId = Id<struct GraphTag>;                   // index in ModelFile::graphs

// On how a model is taken that is not as ONNX asks for: under which rule, in words, and what is done.
struct ModelNote {
    std::string rule, what, done;
    std::string text() const { return what + (done.empty() ? "" : "; " + done); }
};
struct KeyValue { std::string_view key, value; };
struct OpsetImport { std::string_view domain; int64_t version = 0; };          // "" is ai.onnx

using Dim = std::variant<std::monostate, int64_t, std::string_view>;           // unknown, a number (even -1), a dim_param
struct TypeLayer {
    enum class Kind : uint8_t { sequence, optional, map } kind;
    ElemType key = ElemType::undefined;                // of a map
};
struct TypeInfo {                                      // sequence(optional(tensor)): two layers around a leaf
    enum class Leaf : uint8_t { none, tensor, sparse_tensor, opaque };         // none: the file does not say
    std::vector<TypeLayer> layers;                     // outermost first
    Leaf leaf = Leaf::none;
    ElemType elem = ElemType::undefined;
    std::optional<std::vector<Dim>> shape;             // absent: not even the rank is said
};
struct ValueInfo {
    std::string_view name;
    TypeInfo type;
    std::vector<KeyValue> metadata_props;
};

enum class AttributeType : uint8_t {                   // the numbers of AttributeProto.AttributeType
    undefined, float_, int_, string, tensor, graph, floats, ints, strings, tensors, graphs, sparse_tensor, sparse_tensors,
    type, types,
};
std::string_view attribute_type_name(AttributeType type);                      // FLOAT, INTS, TYPE_PROTO

struct Attribute {
    std::string_view name;
    std::string_view ref_name;                         // in a function: that attribute of its whose value this has
    AttributeType type = AttributeType::undefined;     // undefined only with a ref_name
    // What `type` says; tensor, graph, sparse_tensor and type are vectors of one. Nothing if there is a ref_name.
    std::variant<std::monostate, float, int64_t, std::string_view, std::vector<float>, std::vector<int64_t>,
                 std::vector<std::string_view>, std::vector<TensorData>, std::vector<GraphId>, std::vector<SparseTensor>,
                 std::vector<TypeInfo>>
        value;
};

struct Node {
    std::string_view name, op_type, domain, overload;  // a function's overload
    std::vector<std::string_view> inputs, outputs;     // "": left out
    std::vector<Attribute> attributes;
    std::vector<KeyValue> metadata_props;
};

struct Graph {
    std::string_view name;
    std::vector<Node> nodes;
    std::vector<TensorData> initializers;
    std::vector<SparseTensor> sparse_initializers;
    std::vector<ValueInfo> inputs, outputs;
    std::vector<ValueInfo> value_info;                 // hints: to name, never to believe (K5)
    std::vector<KeyValue> metadata_props;
    GraphId parent;                                    // not valid: the main graph, or directly in a function
    int depth = 0;                                     // how many graphs are around; as deep as the file likes
    const TensorData* initializer(std::string_view of) const {         // of an input: its default; null: there is none
        for (const TensorData& each : initializers)
            if (each.name == of) return &each;
        return nullptr;
    }
};

struct Function {
    std::string_view domain, name, overload;
    std::vector<std::string_view> inputs, outputs;
    std::vector<std::string_view> attributes;          // without a default
    std::vector<Attribute> default_attributes;
    std::vector<Node> nodes;
    std::vector<OpsetImport> opset_imports;
    std::vector<ValueInfo> value_info;
    std::vector<KeyValue> metadata_props;
};

struct ModelFile {
    std::shared_ptr<const Storage> storage;
    int64_t ir_version = 0, model_version = 0;
    std::string_view producer_name, producer_version, domain;
    std::vector<OpsetImport> opset_imports;
    std::vector<KeyValue> metadata_props;
    std::vector<Graph> graphs;                         // the first is the main one, parents before what is in them
    std::vector<Function> functions;
    std::vector<ModelNote> notes;                      // that were made while it was read
    const Graph& main() const { return graphs[0]; }
    const Graph& operator[](GraphId id) const { return graphs[id.index]; }
};
} // namespace nereus::onnx
