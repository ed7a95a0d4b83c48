// Layers of networks.
#include "import/node_text.h"

namespace nereus::onnx {
std::span<const OpRow> layer_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"MatMul",            1,    "a, b",     "",                      "matmul($a, $b)"},
        {"Gemm",              7,    "a, b, c=0", "alpha=1.0, beta=1.0, transA=0, transB=0",
                                                                         "onnx_gemm($a, $b, $c, $alpha, $beta, $transA, $transB)"},
        {"LayerNormalization", 17,  "x, scale, bias=0.0", "axis=-1, epsilon=1e-05, stash_type=1",
                                                                         "onnx_layer_normalization($x, $scale, $bias, $axis, $epsilon)"},
    };
    return rows;
}
} // namespace nereus::onnx
