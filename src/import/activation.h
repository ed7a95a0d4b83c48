// import/activation.h - what ONNX Runtime's fused operators do to what they have made, by the name of an operator and its numbers.
#pragma once
#include "import/node_text.h"

namespace nereus::onnx {
std::string activated(NodeText& n, const std::string& y, const std::vector<float>& numbers);    // by the attribute `activation`
} // namespace nereus::onnx
