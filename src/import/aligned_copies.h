// import/aligned_copies.h - elements that a mapped file has where none of their type may lie, copied once for all who use
// them at a time: models that are compiled twice in one process share them. The pages they came from are let go.
#pragma once
#include "import/onnx_data.h"
#include "value/value.h"

namespace nereus::onnx {
Result<HostTensor> aligned_copy(DType dtype, const Extents& shape, std::span<const std::byte> bytes, const std::shared_ptr<const Storage>& storage);
} // namespace nereus::onnx
