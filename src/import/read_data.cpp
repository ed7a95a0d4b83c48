#include "import/read_data.h"
#include "import/reading.h"

namespace nereus::onnx {
// SequenceProto and OptionalProto number their fields alike: a field per kind of item. An optional has one item at most.
struct ItemFields {
    std::string_view name;
    int64_t item_kind = 0;
    std::vector<std::string_view> tensors, sparse_tensors, sequences, maps, optionals;
};
template <> std::span<const FieldRow<ItemFields>> field_rows() {
    static constexpr FieldRow<ItemFields> rows[] = {
        field<&ItemFields::name>(1, "name"),
        field<&ItemFields::item_kind>(2, "elem_type"),
        field<&ItemFields::tensors>(3, "tensor_values"),
        field<&ItemFields::sparse_tensors>(4, "sparse_tensor_values"),
        field<&ItemFields::sequences>(5, "sequence_values"),
        field<&ItemFields::maps>(6, "map_values"),
        field<&ItemFields::optionals>(7, "optional_values"),
    };
    return rows;
}
struct MapDataFields {
    std::string_view name;
    int64_t key_type = 0;
    std::vector<int64_t> keys;
    std::vector<std::string_view> string_keys;
    Embedded values;
};
template <> std::span<const FieldRow<MapDataFields>> field_rows() {
    static constexpr FieldRow<MapDataFields> rows[] = {
        field<&MapDataFields::name>(1, "name"),
        field<&MapDataFields::key_type>(2, "key_type"),
        field<&MapDataFields::keys>(3, "keys"),
        field<&MapDataFields::string_keys>(4, "string_keys"),
        field<&MapDataFields::values>(5, "values"),
    };
    return rows;
}

namespace {
constexpr int data_kind_count = 6;
constexpr const char* kind_names[] = {"undefined", "tensor", "sparse tensor", "sequence", "map", "optional"};

struct Items { std::string_view name; DataKind kind; std::vector<DataId> ids; };

Result<Items> read_items(Reading& reading, std::string_view bytes) {
    ItemFields fields;
    TRY(reading.message(bytes, fields));
    if (fields.item_kind < 0 || fields.item_kind >= data_kind_count)
        return Error{Code::unsupported, "elem_type " + std::to_string(fields.item_kind) + " is not one that ONNX has"};
    const DataKind kind = DataKind(fields.item_kind);
    const std::vector<std::string_view>* lists[] = {&fields.tensors, &fields.sparse_tensors, &fields.sequences, &fields.maps,
                                                    &fields.optionals};
    Items items{fields.name, kind, {}};
    for (int i = 1; i < data_kind_count; ++i) {
        const std::vector<std::string_view>& list = *lists[i - 1];
        if (!list.empty() && DataKind(i) != kind)
            return wrong("elem_type says " + std::string(kind_names[int(kind)]) + ", but an item is a " + kind_names[i]);
        for (size_t at = 0; at < list.size(); ++at)
            TRY(reading.in_field("item", at, [&]() -> Status {
                items.ids.push_back(DataId(reading.put_off({list[at], kind})));
                return {};
            }));
    }
    return items;
}

Result<Data> read_sequence(Reading& reading, std::string_view bytes) {
    Items items = TRY(read_items(reading, bytes));
    return Data{items.name, SequenceData{items.kind, std::move(items.ids)}};
}
Result<Data> read_optional(Reading& reading, std::string_view bytes) {
    const Items items = TRY(read_items(reading, bytes));
    if (items.ids.size() > 1) return wrong("an optional holds one value at most, found " + std::to_string(items.ids.size()));
    return Data{items.name, OptionalData{items.kind, items.ids.empty() ? DataId() : items.ids[0]}};
}
Result<Data> read_map(Reading& reading, std::string_view bytes) {
    MapDataFields fields;
    TRY(reading.message(bytes, fields));
    if (!fields.keys.empty() && !fields.string_keys.empty())
        return wrong("a map has either strings or integers as keys, found both");
    MapData map{TRY(elem_type_of_number(fields.key_type)), std::move(fields.keys), std::move(fields.string_keys), {}};
    TRY(reading.in_field("values", std::nullopt, [&]() -> Status {
        map.values = DataId(reading.put_off({fields.values.bytes.value_or(""), DataKind::sequence}));
        return {};
    }));
    return Data{fields.name, std::move(map)};
}
Result<Data> read_tensor_data(Reading& reading, std::string_view bytes) {
    TensorData tensor = TRY(read_tensor(reading, bytes));
    return Data{tensor.name, std::move(tensor)};
}
Result<Data> read_sparse_data(Reading& reading, std::string_view bytes) {
    SparseTensor sparse = TRY(read_sparse_tensor(reading, bytes));
    return Data{sparse.values.name, std::move(sparse)};
}

Result<Data> read_one(Reading& reading, const Reading::Later& message) {
    switch (message.kind) {
    case DataKind::tensor: return read_tensor_data(reading, message.bytes);
    case DataKind::sparse_tensor: return read_sparse_data(reading, message.bytes);
    case DataKind::sequence: return read_sequence(reading, message.bytes);
    case DataKind::map: return read_map(reading, message.bytes);
    case DataKind::optional: return read_optional(reading, message.bytes);
    case DataKind::undefined: break;
    }
    return Error{Code::usage, "a value is read as a tensor, sparse tensor, sequence, map or optional"};
}

// Only now are the values of each map there to be counted.
Status check_maps(const DataFile& file) {
    for (const Data& data : file.values) {
        const MapData* map = std::get_if<MapData>(&data.value);
        if (!map) continue;
        const size_t keys = map->int_keys.size() + map->string_keys.size();
        const size_t values = std::get<SequenceData>(file[map->values].value).items.size();
        if (keys != values)
            return wrong("a map of " + std::to_string(keys) + " keys and " + std::to_string(values) + " values");
    }
    return {};
}

Result<DataFile> read(Reading reading, DataKind kind) {
    DataFile file;
    reading.put_off({reading.file(), kind});
    while (const std::optional<Reading::Later> next = reading.begin_put_off()) {
        Result<Data> data = read_one(reading, *next);
        if (!data) return reading.placed(std::move(data).error());
        file.values.push_back(std::move(data).take());
    }
    if (Status fit = check_maps(file); !fit) return reading.placed(std::move(fit).error());
    file.storage = reading.storage();
    return file;
}
} // namespace

Result<DataFile> read_data(const std::string& path, DataKind kind) { return read(TRY(Reading::of_file(path)), kind); }

Result<DataFile> read_data(std::span<const std::byte> bytes, DataKind kind) {
    return read(Reading({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, std::nullopt), kind);
}
} // namespace nereus::onnx
