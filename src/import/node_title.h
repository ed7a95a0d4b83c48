// import/node_title.h - what a node is called in what people read.
#pragma once
#include "import/onnx_model.h"

namespace nereus::onnx {
// "Conv 'stem'", of one without a name "Conv that gives 'h'"; on one line whatever the file calls it.
std::string node_title(const Node& node);
} // namespace nereus::onnx
