// import/scores.h - what classifiers and regressors of ai.onnx.ml have in common.
#pragma once
#include "import/node_text.h"

namespace nereus::onnx {
std::string post_transform(NodeText& n);               // its place in the list of onnx_scores_as; refuses an unknown word
} // namespace nereus::onnx
