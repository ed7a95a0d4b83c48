// Parts of tensors, by indices.
#include "import/node_text.h"

namespace nereus::onnx {
std::span<const OpRow> index_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"Gather",            1,    "x, ids",   "axis=0",                "gather($x, onnx_indices($ids, shape_of($x), $axis), axis=$axis)"},
        {"NonZero",           9,    "x",        "",                      "nonzero($x)"},
    };
    return rows;
}
} // namespace nereus::onnx
