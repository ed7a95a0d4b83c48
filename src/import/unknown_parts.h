// import/unknown_parts.h - what a model asks for that the specification of ONNX does not know, and that nobody looks at.
#pragma once
#include "import/onnx_model.h"
#include <string>

namespace nereus::onnx {
struct Unknown {
    const Node* node;
    std::string what, hint;
};
std::vector<Unknown> unknown_parts(const ModelFile& model);
} // namespace nereus::onnx
