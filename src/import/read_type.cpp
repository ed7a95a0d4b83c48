// TypeProto: a chain, since a sequence, an optional and a map hold one type each. It is followed link by link.
#include "import/reading.h"

namespace nereus::onnx {
struct TypeLink { Embedded tensor, sequence, map, opaque, sparse_tensor, optional; };
template <> std::span<const FieldRow<TypeLink>> field_rows() {
    static constexpr FieldRow<TypeLink> rows[] = {
        field<&TypeLink::tensor>(1, "tensor_type"),
        field<&TypeLink::sequence>(4, "sequence_type"),
        field<&TypeLink::map>(5, "map_type"),
        field<&TypeLink::opaque>(7, "opaque_type"),
        field<&TypeLink::sparse_tensor>(8, "sparse_tensor_type"),
        field<&TypeLink::optional>(9, "optional_type"),
    };
    return rows;
}

struct WrapperFields { Embedded elem; };               // of a sequence and of an optional
template <> std::span<const FieldRow<WrapperFields>> field_rows() {
    static constexpr FieldRow<WrapperFields> rows[] = {field<&WrapperFields::elem>(1, "elem_type")};
    return rows;
}
struct MapFields { int64_t key = 0; Embedded elem; };
template <> std::span<const FieldRow<MapFields>> field_rows() {
    static constexpr FieldRow<MapFields> rows[] = {
        field<&MapFields::key>(1, "key_type"),
        field<&MapFields::elem>(2, "value_type"),
    };
    return rows;
}
struct TensorTypeFields { int64_t elem = 0; Embedded shape; };     // of a sparse tensor too
template <> std::span<const FieldRow<TensorTypeFields>> field_rows() {
    static constexpr FieldRow<TensorTypeFields> rows[] = {
        field<&TensorTypeFields::elem>(1, "elem_type"),
        field<&TensorTypeFields::shape>(2, "shape"),
    };
    return rows;
}
struct DimFields { Dim dim; };
static Status take(Reading&, Wire& wire, Dim& out) {               // a number or a name: the last counts
    if (wire.number() == 1) out = TRY(wire.integer());
    else out = TRY(wire.bytes());
    return {};
}
template <> std::span<const FieldRow<DimFields>> field_rows() {
    static constexpr FieldRow<DimFields> rows[] = {
        field<&DimFields::dim>(1, "dim_value"),
        field<&DimFields::dim>(2, "dim_param"),
    };
    return rows;
}
struct ShapeFields { std::vector<DimFields> dims; };
template <> std::span<const FieldRow<ShapeFields>> field_rows() {
    static constexpr FieldRow<ShapeFields> rows[] = {field<&ShapeFields::dims>(1, "dim")};
    return rows;
}

namespace {
Status read_leaf(Reading& reading, std::string_view bytes, TypeInfo::Leaf leaf, TypeInfo& type) {
    type.leaf = leaf;
    TensorTypeFields fields;
    TRY(reading.message(bytes, fields));
    type.elem = TRY(elem_type_of_number(fields.elem));
    if (!fields.shape.bytes) return {};
    ShapeFields shape;
    TRY(reading.message(*fields.shape.bytes, shape));
    std::vector<Dim>& dims = type.shape.emplace();
    for (const DimFields& dim : shape.dims) dims.push_back(dim.dim);
    return {};
}

// Reads one link of the chain; what it holds is the next.
Result<Embedded> read_link(Reading& reading, std::string_view bytes, TypeInfo& type) {
    TypeLink link;
    TRY(reading.message(bytes, link));
    const Embedded all[] = {link.tensor, link.sequence, link.map, link.opaque, link.sparse_tensor, link.optional};
    int given = 0;
    for (const Embedded& each : all) given += each.bytes.has_value();
    if (given > 1) return wrong("a type is of two kinds, as tensor and sequence");
    if (link.sequence.bytes || link.optional.bytes) {
        WrapperFields fields;
        TRY(reading.message(link.sequence.bytes ? *link.sequence.bytes : *link.optional.bytes, fields));
        type.layers.push_back({link.sequence.bytes ? TypeLayer::Kind::sequence : TypeLayer::Kind::optional});
        return fields.elem;
    }
    if (link.map.bytes) {
        MapFields fields;
        TRY(reading.message(*link.map.bytes, fields));
        type.layers.push_back({TypeLayer::Kind::map, TRY(elem_type_of_number(fields.key))});
        return fields.elem;
    }
    if (link.opaque.bytes) type.leaf = TypeInfo::Leaf::opaque;
    if (link.tensor.bytes) TRY(read_leaf(reading, *link.tensor.bytes, TypeInfo::Leaf::tensor, type));
    if (link.sparse_tensor.bytes) TRY(read_leaf(reading, *link.sparse_tensor.bytes, TypeInfo::Leaf::sparse_tensor, type));
    return Embedded{};
}
} // namespace

Result<TypeInfo> read_type(Reading& reading, std::string_view bytes) {
    TypeInfo type;
    for (Embedded next{bytes}; next.bytes;) next = TRY(read_link(reading, *next.bytes, type));
    return type;
}
} // namespace nereus::onnx
