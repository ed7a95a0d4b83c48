#include "import/host_data.h"
#include "import/aligned_copies.h"
#include "import/read_data.h"
#include "import/text_writer.h"
#include "tensor/text_tensor.h"
#include <algorithm>

namespace nereus::onnx {
std::optional<DType> dtype_of(ElemType type) { return dtype_from_name(dtype_text(type)); }

Result<HostTensor> host_tensor(const TensorData& data, const std::shared_ptr<const Storage>& storage) {
    const std::optional<DType> dtype = dtype_of(data.type);
    if (!dtype) return Error{Code::unsupported, "its elements are " + std::string(onnx_type_name(data.type))};
    if (*dtype == DType::str) return text_tensor(data.dims, data.strings);
    if (*dtype == DType::boolean) {                      // any byte but 0 is true there
        HostTensor made = TRY(HostTensor::make(*dtype, data.dims));
        std::byte* out = TRY(made.mutable_bytes());
        std::transform(data.bytes.begin(), data.bytes.end(), out, [](std::byte b) { return std::byte(b != std::byte{0}); });
        return made;
    }
    if (const int bits = element_bits(data.type); bits < 8) {        // a byte each in ours
        HostTensor made = TRY(HostTensor::make(*dtype, data.dims));
        std::byte* out = TRY(made.mutable_bytes());
        const std::byte mask{uint8_t((1 << bits) - 1)};
        for (int64_t i = 0; i < made.count(); ++i) out[i] = data.bytes[size_t(i * bits / 8)] >> (i * bits % 8) & mask;
        return made;
    }
    const bool aligned = reinterpret_cast<uintptr_t>(data.bytes.data()) % size_t(size_of(*dtype)) == 0;
    if (data.bytes.empty()) return HostTensor::make(*dtype, data.dims);
    if (!aligned) return aligned_copy(*dtype, data.dims, data.bytes, storage);
    return HostTensor::view(*dtype, data.dims, std::shared_ptr<const std::byte>(storage, data.bytes.data()), int64_t(data.bytes.size()));
}

namespace {
// The one elements of tensors that are all of one type.
Result<HostTensor> joined(const DataFile& file, const SequenceData& items) {
    std::vector<std::string_view> texts;
    std::vector<HostTensor> numbers;
    for (DataId id : items.items) {
        const TensorData* item = std::get_if<TensorData>(&file[id].value);
        if (!item || TRY(element_count(item->dims)) != 1) return Error{Code::unsupported, "a map to something other than one number or text"};
        if (item->type == ElemType::string) texts.push_back(item->strings[0]);
        else numbers.push_back(TRY(host_tensor(*item, file.storage)));
        if (!texts.empty() == !numbers.empty() || (!numbers.empty() && numbers.back().dtype() != numbers[0].dtype()))
            return Error{Code::type, "a map to values of several types"};
    }
    const int64_t count = std::ssize(items.items);
    if (!texts.empty()) return text_tensor({count}, texts);
    HostTensor made = TRY(HostTensor::make(numbers.empty() ? DType::f32 : numbers[0].dtype(), {count}));
    std::byte* out = TRY(made.mutable_bytes());
    for (const HostTensor& number : numbers) out = std::copy_n(number.bytes(), size_of(number.dtype()), out);
    return made;
}
// A pair of vectors, the keys and what each stands for.
Result<Value> map_value(const DataFile& file, const MapData& map) {
    HostTensor values = TRY(joined(file, std::get<SequenceData>(file[map.values].value)));
    const int64_t count = std::ssize(map.int_keys);
    if (!map.string_keys.empty() || map.key_type == ElemType::string)
        return Value::tuple({Value::tensor(TRY(text_tensor({std::ssize(map.string_keys)}, map.string_keys))), Value::tensor(std::move(values))});
    HostTensor keys = TRY(HostTensor::make(DType::i64, {count}));
    std::byte* out = TRY(keys.mutable_bytes());
    std::ranges::copy(std::as_bytes(std::span(map.int_keys)), out);
    return Value::tuple({Value::tensor(std::move(keys)), Value::tensor(std::move(values))});
}
} // namespace

Result<Value> value_of(const DataFile& file, DataId id) {
    const Data& data = file[id];
    if (const TensorData* tensor = std::get_if<TensorData>(&data.value)) return Value::tensor(TRY(host_tensor(*tensor, file.storage)));
    if (const SequenceData* sequence = std::get_if<SequenceData>(&data.value)) {
        std::vector<Value> items;
        for (DataId item : sequence->items) items.push_back(TRY(value_of(file, item)));
        return Value::seq(std::move(items));
    }
    if (const OptionalData* optional = std::get_if<OptionalData>(&data.value)) {
        if (!optional->item.valid()) return Value::ctor("None");
        return Value::ctor("Some", {TRY(value_of(file, optional->item))});
    }
    if (const MapData* map = std::get_if<MapData>(&data.value)) return map_value(file, *map);
    return Error{Code::unsupported, "a value that is neither a tensor nor a sequence or map of them"};
}

namespace {
DataKind kind_of(const TypeInfo& type) {
    if (type.layers.empty()) return type.leaf == TypeInfo::Leaf::sparse_tensor ? DataKind::sparse_tensor : DataKind::tensor;
    switch (type.layers[0].kind) {
    case TypeLayer::Kind::sequence: return DataKind::sequence;
    case TypeLayer::Kind::optional: return DataKind::optional;
    case TypeLayer::Kind::map: return DataKind::map;
    }
    return DataKind::tensor;
}
} // namespace
Result<Value> read_value(const std::string& path, const TypeInfo& type) {
    DataFile file = TRY(read_data(path, kind_of(type)));
    if (type.elem == ElemType::bfloat16)                 // of which writers that had no such type have left the bits
        for (Data& data : file.values)
            if (TensorData* tensor = std::get_if<TensorData>(&data.value); tensor && tensor->type == ElemType::uint16) tensor->type = ElemType::bfloat16;
    return value_of(file);
}
} // namespace nereus::onnx
