// import/onnx_data.h - tensors and other values as an ONNX file holds them. Spans and string_views point into Storage.
#pragma once
#include "base/id.h"
#include "base/mapped_file.h"
#include "import/elem_type.h"
#include <cstddef>
#include <deque>
#include <variant>
#include <vector>

namespace nereus::onnx {
// Where names, strings and elements lie: mapped files and, for what a file holds in another layout, buffers. To keep some
// bytes longer than the model, keep a shared_ptr to this.
struct Storage {
    std::vector<std::shared_ptr<const MappedFile>> files;          // each once
    std::deque<std::vector<std::byte>> packed;
};

struct TensorData {
    std::string_view name;                             // may be empty
    ElemType type = ElemType::undefined;               // never undefined in what was read
    std::vector<int64_t> dims;                         // none negative
    std::span<const std::byte> bytes;                  // row-major, little-endian, exactly byte_count(type, dims); aligned to
                                                       // nothing; of bool, any byte but 0 is true
    std::vector<std::string_view> strings;             // the elements, of type string alone
    bool external = false;                             // bytes lie in a file of their own
};

struct SparseTensor {                                  // whether indices and values fit dims is not checked
    TensorData values, indices;                        // values has the name
    std::vector<int64_t> dims;
};

enum class DataKind : uint8_t { undefined, tensor, sparse_tensor, sequence, map, optional };  // SequenceProto.DataType
using DataId = Id<struct DataTag>;                     // index in DataFile::values

struct SequenceData { DataKind item_kind; std::vector<DataId> items; };        // of an empty one the kind may be undefined
struct OptionalData { DataKind item_kind; DataId item; };                      // not valid: holds nothing
struct MapData {                                                               // as many keys of one sort as values
    ElemType key_type;
    std::vector<int64_t> int_keys;
    std::vector<std::string_view> string_keys;
    DataId values;                                                             // a sequence
};
struct Data {
    std::string_view name;
    std::variant<TensorData, SparseTensor, SequenceData, MapData, OptionalData> value;
};

struct DataFile {                                      // a .pb file; values lie side by side however deep they nest
    std::shared_ptr<const Storage> storage;
    std::vector<Data> values;                          // the first is the file's own
    const Data& operator[](DataId id) const { return values[id.index]; }
};
} // namespace nereus::onnx
