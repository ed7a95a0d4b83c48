// import/offered.h - whether there is a row for every operator that a model needs.
#pragma once
#include "base/result.h"
#include "import/onnx_model.h"

namespace nereus::onnx {
// All operators that have none are in the error, with versions and nodes, those of called functions and of bodies too.
Status all_offered(const ModelFile& model);
} // namespace nereus::onnx
