// cli/against_onnxruntime.h - a compiled model against ONNX Runtime, which the user's Python runs in a process of its own, with
// the graph as it is written: on recorded cases, else on random inputs.
#pragma once
#include "cli/recorded_check.h"

namespace nereus {
struct AgainstOnnxRuntime {
    HowToCompile how;
    std::string python = "python3";          // an interpreter that has onnxruntime and NumPy
    uint64_t seed = 0;
    int64_t runs = 10;                       // random inputs, where no case is recorded
    bool by_node = false;                    // every value of the main graph is compared, too
    std::function<void(Nearness&)> adjust;
};
struct ValueDifference {
    std::string name, node;                  // node: that gives it; empty: an output of the model
    double greatest = 0; // |found - expected|, over all inputs; infinite where shapes or NaNs differ
    bool is_near = true;
};
struct OnnxRuntimeTally {
    int64_t compared = 0, refused = 0;       // refused: by onnxruntime
    std::vector<ValueDifference> outputs, nodes;         // nodes: in the order in which they run
    std::string difference;                  // empty: all outputs are near
};
Result<OnnxRuntimeTally> check_against_onnxruntime(const ModelPlace& place, const AgainstOnnxRuntime& against);
} // namespace nereus
