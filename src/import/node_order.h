// import/node_order.h - nodes behind those they read. ONNX asks for that order; files without it are read all the same.
#pragma once
#include "base/result.h"
#include "import/onnx_model.h"

namespace nereus::onnx {
// Sorts the nodes of every graph and function; the order of the file stays where it can. Adds a note to the model if it
// moved any. Nodes that read each other in a circle are an error.
Status order_nodes(ModelFile& model);
} // namespace nereus::onnx
