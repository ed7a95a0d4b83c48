// import/output_types.h - whether the outputs of a model have the elements that it says they have, as far as its nodes
// tell without their shapes.
#pragma once
#include "base/result.h"
#include "import/onnx_model.h"

namespace nereus::onnx {
Status check_output_types(const ModelFile& model);
} // namespace nereus::onnx
