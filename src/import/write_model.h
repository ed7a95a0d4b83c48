// import/write_model.h - the structs of onnx_model.h as the bytes of a file: what read_model reads as the same model. All of
// it lies in one file, external data too.
#pragma once
#include "import/onnx_model.h"

namespace nereus::onnx {
std::string write_model(const ModelFile& model);
} // namespace nereus::onnx
