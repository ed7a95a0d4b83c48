// import/host_data.h - tensors of an ONNX file as tensors of ours.
#pragma once
#include "import/onnx_model.h"
#include "value/value.h"

namespace nereus::onnx {
std::optional<DType> dtype_of(ElemType type);          // nothing: the language has no such elements
// Borrows the file's bytes where they are aligned as elements must be and need no change; `storage` stays alive then.
Result<HostTensor> host_tensor(const TensorData& data, const std::shared_ptr<const Storage>& storage);
Result<Value> value_of(const DataFile& file, DataId id = DataId(0));     // tensors, sequences and optionals of them
Result<Value> read_value(const std::string& path, const TypeInfo& type);   // of a .pb file, which does not say what it holds
} // namespace nereus::onnx
