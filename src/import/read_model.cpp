#include "import/read_model.h"
#include "import/node_order.h"
#include "import/reading.h"

namespace nereus::onnx {
std::string_view attribute_type_name(AttributeType type) {
    constexpr std::string_view names[] = {"UNDEFINED",      "FLOAT",      "INT",        "STRING",  "TENSOR", "GRAPH",
                                          "FLOATS",         "INTS",       "STRINGS",    "TENSORS", "GRAPHS", "SPARSE_TENSOR",
                                          "SPARSE_TENSORS", "TYPE_PROTO", "TYPE_PROTOS"};
    return names[int(type)];
}

struct AttributeFields {
    std::string_view name, ref_name;
    int64_t type = 0;
    std::optional<float> f;
    std::optional<int64_t> i;
    std::optional<std::string_view> s;
    Embedded t, g, sparse, tp;
    std::vector<float> floats;
    std::vector<int64_t> ints;
    std::vector<std::string_view> strings, tensors, graphs, sparse_tensors, types;       // messages as they lie in the file
};
static Status take(Reading&, Wire& wire, std::optional<std::string_view>& out) {
    out = TRY(wire.bytes());
    return {};
}
template <> std::span<const FieldRow<AttributeFields>> field_rows() {
    static constexpr FieldRow<AttributeFields> rows[] = {
        field<&AttributeFields::name>(1, "name"),
        field<&AttributeFields::f>(2, "f"),
        field<&AttributeFields::i>(3, "i"),
        field<&AttributeFields::s>(4, "s"),
        field<&AttributeFields::t>(5, "t"),
        field<&AttributeFields::g>(6, "g"),
        field<&AttributeFields::floats>(7, "floats"),
        field<&AttributeFields::ints>(8, "ints"),
        field<&AttributeFields::strings>(9, "strings"),
        field<&AttributeFields::tensors>(10, "tensors"),
        field<&AttributeFields::graphs>(11, "graphs"),
        field<&AttributeFields::tp>(14, "tp"),
        field<&AttributeFields::types>(15, "type_protos"),
        field<&AttributeFields::type>(20, "type"),
        field<&AttributeFields::ref_name>(21, "ref_attr_name"),
        field<&AttributeFields::sparse>(22, "sparse_tensor"),
        field<&AttributeFields::sparse_tensors>(23, "sparse_tensors"),
    };
    return rows;
}

namespace {
constexpr int attribute_type_count = 15;

// The type, or that of the one field that is there: files of the first version do not say it.
Result<AttributeType> type_of(const AttributeFields& fields) {
    const bool given[attribute_type_count] = {
        false, fields.f.has_value(), fields.i.has_value(), fields.s.has_value(), fields.t.bytes.has_value(),
        fields.g.bytes.has_value(), !fields.floats.empty(), !fields.ints.empty(), !fields.strings.empty(),
        !fields.tensors.empty(), !fields.graphs.empty(), fields.sparse.bytes.has_value(), !fields.sparse_tensors.empty(),
        fields.tp.bytes.has_value(), !fields.types.empty(),
    };
    if (fields.type < 0 || fields.type >= attribute_type_count)
        return Error{Code::unsupported, "attribute type number " + std::to_string(fields.type) + " is not one that ONNX has"};
    if (given[fields.type]) return AttributeType(fields.type);
    AttributeType found = AttributeType::undefined;
    for (int i = 1; i < attribute_type_count; ++i) {
        if (!given[i]) continue;
        if (found != AttributeType::undefined) return wrong("it has several values and no type that says which counts");
        found = AttributeType(i);
    }
    if (fields.type == 0) return found;
    if (found != AttributeType::undefined)
        return wrong("its type is " + std::string(attribute_type_name(AttributeType(fields.type))) + ", but its value is " +
                     std::string(attribute_type_name(found)));
    return AttributeType(fields.type);                 // empty, or a zero that the writer left out
}

// The messages of a field, each read by `read`.
template <class T, class Read>
Result<std::vector<T>> read_each(Reading& reading, const char* name, const std::vector<std::string_view>& messages,
                                 Read read) {
    std::vector<T> all;
    for (size_t i = 0; i < messages.size(); ++i)
        TRY(reading.in_field(name, i, [&]() -> Status {
            all.push_back(TRY(read(reading, messages[i])));
            return {};
        }));
    return all;
}
template <class T, class Read>
Result<std::vector<T>> read_one(Reading& reading, const char* name, const Embedded& message, Read read) {
    if (!message.bytes) return wrong("its type says that it has a value, but it has none");
    std::vector<T> one;
    TRY(reading.in_field(name, std::nullopt, [&]() -> Status {
        one.push_back(TRY(read(reading, *message.bytes)));
        return {};
    }));
    return one;
}
Result<GraphId> read_later(Reading& reading, std::string_view bytes) {
    return GraphId(reading.put_off({bytes, DataKind::undefined}));
}

Result<Attribute> assemble(Reading& reading, AttributeFields fields) {
    Attribute attribute;
    attribute.name = fields.name;
    attribute.ref_name = fields.ref_name;
    attribute.type = TRY(type_of(fields));
    if (!fields.ref_name.empty()) return attribute;
    switch (attribute.type) {
    case AttributeType::undefined: return wrong("it has neither type nor value");
    case AttributeType::float_: attribute.value = fields.f.value_or(0); break;
    case AttributeType::int_: attribute.value = fields.i.value_or(0); break;
    case AttributeType::string: attribute.value = fields.s.value_or(""); break;
    case AttributeType::floats: attribute.value = std::move(fields.floats); break;
    case AttributeType::ints: attribute.value = std::move(fields.ints); break;
    case AttributeType::strings: attribute.value = std::move(fields.strings); break;
    case AttributeType::tensor: attribute.value = TRY(read_one<TensorData>(reading, "t", fields.t, read_tensor)); break;
    case AttributeType::tensors:
        attribute.value = TRY(read_each<TensorData>(reading, "tensors", fields.tensors, read_tensor));
        break;
    case AttributeType::graph: attribute.value = TRY(read_one<GraphId>(reading, "g", fields.g, read_later)); break;
    case AttributeType::graphs:
        attribute.value = TRY(read_each<GraphId>(reading, "graphs", fields.graphs, read_later));
        break;
    case AttributeType::sparse_tensor:
        attribute.value = TRY(read_one<SparseTensor>(reading, "sparse_tensor", fields.sparse, read_sparse_tensor));
        break;
    case AttributeType::sparse_tensors:
        attribute.value = TRY(read_each<SparseTensor>(reading, "sparse_tensors", fields.sparse_tensors, read_sparse_tensor));
        break;
    case AttributeType::type: attribute.value = TRY(read_one<TypeInfo>(reading, "tp", fields.tp, read_type)); break;
    case AttributeType::types:
        attribute.value = TRY(read_each<TypeInfo>(reading, "type_protos", fields.types, read_type));
        break;
    }
    return attribute;
}
} // namespace

static Status take(Reading& reading, Wire& wire, std::vector<Attribute>& out) {
    AttributeFields fields;
    TRY(reading.message(TRY(wire.bytes()), fields));
    const std::string name(fields.name);
    Result<Attribute> attribute = assemble(reading, std::move(fields));
    if (!attribute) {
        Error error = std::move(attribute).error();
        error.message = "attribute '" + name + "': " + error.message;
        return error;
    }
    out.push_back(std::move(attribute).take());
    return {};
}

template <> std::span<const FieldRow<OpsetImport>> field_rows() {
    static constexpr FieldRow<OpsetImport> rows[] = {
        field<&OpsetImport::domain>(1, "domain"),
        field<&OpsetImport::version>(2, "version"),
    };
    return rows;
}
template <> std::span<const FieldRow<ValueInfo>> field_rows() {
    static constexpr FieldRow<ValueInfo> rows[] = {
        field<&ValueInfo::name>(1, "name"),
        field<&ValueInfo::type>(2, "type"),
        field<&ValueInfo::metadata_props>(4, "metadata_props"),
    };
    return rows;
}
template <> std::span<const FieldRow<Node>> field_rows() {
    static constexpr FieldRow<Node> rows[] = {
        field<&Node::inputs>(1, "input"),
        field<&Node::outputs>(2, "output"),
        field<&Node::name>(3, "name"),
        field<&Node::op_type>(4, "op_type"),
        field<&Node::attributes>(5, "attribute"),
        field<&Node::domain>(7, "domain"),
        field<&Node::overload>(8, "overload"),
        field<&Node::metadata_props>(9, "metadata_props"),
    };
    return rows;
}
template <> std::span<const FieldRow<Graph>> field_rows() {
    static constexpr FieldRow<Graph> rows[] = {
        field<&Graph::nodes>(1, "node"),
        field<&Graph::name>(2, "name"),
        field<&Graph::initializers>(5, "initializer"),
        field<&Graph::inputs>(11, "input"),
        field<&Graph::outputs>(12, "output"),
        field<&Graph::value_info>(13, "value_info"),
        field<&Graph::sparse_initializers>(15, "sparse_initializer"),
        field<&Graph::metadata_props>(16, "metadata_props"),
    };
    return rows;
}
template <> std::span<const FieldRow<Function>> field_rows() {
    static constexpr FieldRow<Function> rows[] = {
        field<&Function::name>(1, "name"),
        field<&Function::inputs>(4, "input"),
        field<&Function::outputs>(5, "output"),
        field<&Function::attributes>(6, "attribute"),
        field<&Function::nodes>(7, "node"),
        field<&Function::opset_imports>(9, "opset_import"),
        field<&Function::domain>(10, "domain"),
        field<&Function::default_attributes>(11, "attribute_proto"),
        field<&Function::value_info>(12, "value_info"),
        field<&Function::overload>(13, "overload"),
        field<&Function::metadata_props>(14, "metadata_props"),
    };
    return rows;
}

struct ModelFields {
    ModelFile model;
    Embedded graph;
    std::vector<std::string_view> functions;           // as they lie in the file: their subgraphs come after the main graph
};
template <auto member> static constexpr FieldRow<ModelFields> model_field(uint32_t number, const char* name) {
    return {number, name, MemberPointer<decltype(member)>::is_list, false,
            [](Reading& reading, Wire& wire, ModelFields& out) { return take(reading, wire, out.model.*member); }};
}
template <> std::span<const FieldRow<ModelFields>> field_rows() {
    static constexpr FieldRow<ModelFields> rows[] = {
        model_field<&ModelFile::ir_version>(1, "ir_version"),
        model_field<&ModelFile::producer_name>(2, "producer_name"),
        model_field<&ModelFile::producer_version>(3, "producer_version"),
        model_field<&ModelFile::domain>(4, "domain"),
        model_field<&ModelFile::model_version>(5, "model_version"),
        field<&ModelFields::graph>(7, "graph"),
        model_field<&ModelFile::opset_imports>(8, "opset_import"),
        model_field<&ModelFile::metadata_props>(14, "metadata_props"),
        field<&ModelFields::functions>(25, "functions"),
    };
    return rows;
}

namespace {
Status read_fields(Reading& reading, ModelFile& model) {
    if (reading.file().starts_with("version https://git-lfs"))
        return Error{Code::parse, "this is a pointer that Git LFS left in the place of the model", {},
                     "fetch the model: git lfs pull"};
    ModelFields fields;
    TRY(reading.message(reading.file(), fields));
    if (!fields.graph.bytes) return Error{Code::parse, "there is no graph in it", {}, "is this an ONNX model?"};
    model = std::move(fields.model);
    TRY(read_one<GraphId>(reading, "graph", fields.graph, read_later));        // so that it is the first
    for (size_t i = 0; i < fields.functions.size(); ++i) {
        Function& function = model.functions.emplace_back();
        TRY(reading.in_field("functions", i, [&] { return reading.message(fields.functions[i], function); }));
    }
    while (const std::optional<Reading::Later> next = reading.begin_put_off()) {
        Graph& graph = model.graphs.emplace_back();
        graph.parent = reading.parent() == UINT32_MAX ? GraphId() : GraphId(reading.parent());
        if (graph.parent.valid()) graph.depth = model[graph.parent].depth + 1;
        TRY(reading.message(next->bytes, graph));
    }
    return order_nodes(model);
}

Result<ModelFile> read(Reading reading) {
    ModelFile model;
    if (Status done = read_fields(reading, model); !done) {
        Error error = reading.placed(std::move(done).error());
        if (error.hint.empty() && error.code == Code::parse) error.hint = "the file is damaged, or no ONNX model";
        return error;
    }
    model.storage = reading.storage();
    return model;
}
} // namespace

Result<ModelFile> read_model(const std::string& path) { return read(TRY(Reading::of_file(path))); }

Result<ModelFile> read_model(std::span<const std::byte> bytes, std::optional<std::string> folder) {
    return read(Reading({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, std::move(folder)));
}
} // namespace nereus::onnx
