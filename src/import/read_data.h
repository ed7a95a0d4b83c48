// import/read_data.h - bytes of a .pb file, as tests of ONNX have them, to the structs of onnx_data.h; as careful as
// read_model.h. The file does not say what kind it is: the type of the graph's input or output does.
#pragma once
#include "import/onnx_data.h"

namespace nereus::onnx {
Result<DataFile> read_data(const std::string& path, DataKind kind);
Result<DataFile> read_data(std::span<const std::byte> bytes, DataKind kind);       // they outlive what is read
} // namespace nereus::onnx
