// TensorProto: its elements lie in raw_data, in the list that its type calls for, or in another file. Whatever the place,
// what comes out has the layout of raw_data; it is a part of the file wherever the file has that layout.
#include "import/reading.h"
#include <bit>
#include <charconv>
#include <cstring>

namespace nereus::onnx {
static_assert(std::endian::native == std::endian::little, "elements are taken as they lie in the file");

struct TensorFields {
    std::vector<int64_t> dims;
    int64_t data_type = 0, data_location = 0;
    std::string_view name, raw_data;
    Embedded segment;
    Numbers<WireKind::fixed32> float_data;
    Numbers<WireKind::fixed64> double_data;
    Numbers<WireKind::varint> int32_data, int64_data, uint64_data;
    std::vector<std::string_view> string_data;
    std::vector<KeyValue> external_data;
};
template <> std::span<const FieldRow<KeyValue>> field_rows() {
    static constexpr FieldRow<KeyValue> rows[] = {field<&KeyValue::key>(1, "key"), field<&KeyValue::value>(2, "value")};
    return rows;
}
template <> std::span<const FieldRow<TensorFields>> field_rows() {
    static constexpr FieldRow<TensorFields> rows[] = {
        field<&TensorFields::dims>(1, "dims"),
        field<&TensorFields::data_type>(2, "data_type"),
        field<&TensorFields::segment>(3, "segment"),
        field<&TensorFields::float_data>(4, "float_data"),
        field<&TensorFields::int32_data>(5, "int32_data"),
        field<&TensorFields::string_data>(6, "string_data"),
        field<&TensorFields::int64_data>(7, "int64_data"),
        field<&TensorFields::name>(8, "name"),
        field<&TensorFields::raw_data>(9, "raw_data"),
        field<&TensorFields::double_data>(10, "double_data"),
        field<&TensorFields::uint64_data>(11, "uint64_data"),
        field<&TensorFields::external_data>(13, "external_data"),
        field<&TensorFields::data_location>(14, "data_location"),
    };
    return rows;
}

namespace {
constexpr int64_t external_location = 1;

enum class List : uint8_t { none, float_data, int32_data, string_data, int64_data, double_data, uint64_data };
constexpr std::string_view list_names[] = {"no list", "float_data", "int32_data", "string_data", "int64_data", "double_data",
                                           "uint64_data"};
constexpr int list_count = 7;

List list_of(ElemType type) {
    switch (type) {
    case ElemType::undefined: return List::none;
    case ElemType::float32: case ElemType::complex64: return List::float_data;
    case ElemType::float64: case ElemType::complex128: return List::double_data;
    case ElemType::int64: return List::int64_data;
    case ElemType::uint32: case ElemType::uint64: return List::uint64_data;
    case ElemType::string: return List::string_data;
    default: return List::int32_data;                  // whatever is smaller
    }
}

std::span<const std::byte> as_bytes(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

// Floats and doubles lie in the file as in raw_data.
std::span<const std::byte> join(Reading& reading, const std::vector<std::string_view>& pieces) {
    if (pieces.empty()) return {};
    if (pieces.size() == 1) return as_bytes(pieces[0]);
    std::vector<std::byte> joined;
    for (std::string_view piece : pieces) joined.insert(joined.end(), as_bytes(piece).begin(), as_bytes(piece).end());
    return reading.keep(std::move(joined));
}

// Integers are written with as many bytes as an element has; a number holds all elements of a byte where several fit, but of
// six bits it holds one.
Result<std::span<const std::byte>> pack(Reading& reading, const std::vector<std::string_view>& pieces, ElemType type) {
    std::vector<int64_t> numbers;
    for (std::string_view piece : pieces) TRY(decode_integers(piece, numbers));
    const int bits = element_bits(type);
    const size_t width = size_t(std::max(bits, 8)) / 8;
    std::vector<std::byte> packed;
    if (bits == 6) {
        packed.resize((numbers.size() * 6 + 7) / 8);
        for (size_t i = 0; i < numbers.size(); ++i)
            for (size_t bit = 0; bit < 6; ++bit)
                packed[(i * 6 + bit) / 8] |= std::byte(numbers[i] >> bit & 1) << (i * 6 + bit) % 8;
    } else {
        packed.resize(numbers.size() * width);
        for (size_t i = 0; i < numbers.size(); ++i) {
            const int64_t number = type == ElemType::boolean ? numbers[i] != 0 : numbers[i];
            std::memcpy(packed.data() + i * width, &number, width);
        }
    }
    return reading.keep(std::move(packed));
}

Result<int64_t> parse_size(const KeyValue& entry) {
    int64_t number = 0;
    const char* end = entry.value.data() + entry.value.size();
    const std::from_chars_result parsed = std::from_chars(entry.value.data(), end, number);
    if (parsed.ec == std::errc() && parsed.ptr == end && number >= 0) return number;
    return wrong("the " + std::string(entry.key) + " of external data is '" + std::string(entry.value) +
                 "', expected a number of bytes");
}

Result<std::span<const std::byte>> external(Reading& reading, const std::vector<KeyValue>& entries, int64_t wanted) {
    std::string_view location;
    int64_t offset = 0, length = wanted;
    for (const KeyValue& entry : entries) {
        if (entry.key == "location") location = entry.value;
        if (entry.key == "offset") offset = TRY(parse_size(entry));
        if (entry.key == "length") length = TRY(parse_size(entry));
    }
    if (location.empty()) return wrong("its data is external, but no location is given");
    const std::string_view file = TRY(reading.external(location));
    if (uint64_t(offset) > file.size() || uint64_t(length) > file.size() - uint64_t(offset))
        return Error{Code::parse,
                     "its data is " + std::to_string(length) + " bytes from byte " + std::to_string(offset) + " of '" +
                         std::string(location) + "', which has " + std::to_string(file.size()),
                     {},
                     "the file belongs to another model, or was not copied whole"};
    return as_bytes(file.substr(size_t(offset), size_t(length)));
}

// Elements are in one place only: anything in another list would be lost without a word.
Status check_lists(const TensorFields& fields, ElemType type) {
    const bool filled[list_count] = {
        false, !fields.float_data.pieces.empty(), !fields.int32_data.pieces.empty(), !fields.string_data.empty(),
        !fields.int64_data.pieces.empty(), !fields.double_data.pieces.empty(), !fields.uint64_data.pieces.empty(),
    };
    for (int i = 0; i < list_count; ++i)
        if (filled[i] && List(i) != list_of(type))
            return wrong("elements of type " + std::string(onnx_type_name(type)) + " in " + std::string(list_names[i]) +
                         ", expected in " + std::string(list_names[int(list_of(type))]) + " or raw_data");
    return {};
}

Result<std::span<const std::byte>> elements(Reading& reading, const TensorFields& fields, ElemType type, int64_t wanted) {
    if (fields.data_location == external_location) return external(reading, fields.external_data, wanted);
    TRY(check_lists(fields, type));
    if (!fields.raw_data.empty()) return as_bytes(fields.raw_data);
    switch (list_of(type)) {
    case List::float_data: return join(reading, fields.float_data.pieces);
    case List::double_data: return join(reading, fields.double_data.pieces);
    case List::int32_data: return pack(reading, fields.int32_data.pieces, type);
    case List::int64_data: return pack(reading, fields.int64_data.pieces, type);
    case List::uint64_data: return pack(reading, fields.uint64_data.pieces, type);
    case List::none: case List::string_data: break;
    }
    return std::span<const std::byte>();
}

Result<TensorData> assemble(Reading& reading, TensorFields fields) {
    TensorData tensor;
    tensor.name = fields.name;
    tensor.type = TRY(elem_type_of_number(fields.data_type));
    tensor.external = fields.data_location == external_location;
    if (tensor.type == ElemType::undefined) return wrong("it has no element type");
    if (fields.segment.bytes) return Error{Code::unsupported, "it is a segment of a larger tensor"};
    const int64_t wanted = TRY(byte_count(tensor.type, fields.dims));
    tensor.bytes = TRY(elements(reading, fields, tensor.type, wanted));
    int64_t found = int64_t(tensor.bytes.size()), expected = wanted;
    std::string_view unit = " bytes";
    if (tensor.type == ElemType::string) {
        if (tensor.external || found) return wrong("its elements are strings, which lie in string_data alone");
        found = int64_t(fields.string_data.size()), expected = TRY(element_count(fields.dims)), unit = " strings";
    }
    if (found != expected)
        return wrong("its shape and type " + std::string(onnx_type_name(tensor.type)) + " take " + std::to_string(expected) +
                     std::string(unit) + ", but it has " + std::to_string(found));
    tensor.dims = std::move(fields.dims);
    tensor.strings = std::move(fields.string_data);
    return tensor;
}
} // namespace

Result<TensorData> read_tensor(Reading& reading, std::string_view bytes) {
    TensorFields fields;
    TRY(reading.message(bytes, fields));
    const std::string name(fields.name);
    Result<TensorData> tensor = assemble(reading, std::move(fields));
    if (tensor) return tensor;
    Error error = std::move(tensor).error();
    error.message = (name.empty() ? "a tensor: " : "tensor '" + name + "': ") + error.message;
    return error;
}

struct SparseFields { Embedded values, indices; std::vector<int64_t> dims; };
template <> std::span<const FieldRow<SparseFields>> field_rows() {
    static constexpr FieldRow<SparseFields> rows[] = {
        field<&SparseFields::values>(1, "values"),
        field<&SparseFields::indices>(2, "indices"),
        field<&SparseFields::dims>(3, "dims"),
    };
    return rows;
}

Result<SparseTensor> read_sparse_tensor(Reading& reading, std::string_view bytes) {
    SparseFields fields;
    TRY(reading.message(bytes, fields));
    if (!fields.values.bytes || !fields.indices.bytes) return wrong("a sparse tensor has values and indices; one is missing");
    SparseTensor sparse;
    sparse.values = TRY(read_tensor(reading, *fields.values.bytes));
    sparse.indices = TRY(read_tensor(reading, *fields.indices.bytes));
    TRY(element_count(fields.dims));
    sparse.dims = std::move(fields.dims);
    return sparse;
}
} // namespace nereus::onnx
