// Reductions and what is made of them.
#include "import/node_text.h"

namespace nereus::onnx {
namespace {
// Axes as an attribute, since 13 or 18 as an input. None: all of them, or with noop_with_empty_axes none at all.
template <const char* form> void reduce(NodeText& n) {
    const std::string keepdims = n.integer("keepdims", 1) ? "true" : "false";
    std::optional<std::vector<int64_t>> axes = n.integers("axes");
    std::string list;
    if (axes) list = vector_text(*axes);
    else if (n.has(1)) list = n.in(1);
    if (list.empty() && n.integer("noop_with_empty_axes", 0)) return n.give(n.in(0));
    if (list.empty()) list = "iota(onnx_rank(" + n.in(0) + "))";
    n.give(std::string(form) + "(" + n.in(0) + ", onnx_axes(" + list + ", onnx_rank(" + n.in(0) + ")), " + keepdims + ")");
}
constexpr char sum[] = "onnx_sum", max[] = "onnx_max", mean[] = "onnx_mean", sum_square[] = "onnx_sum_square", l2[] = "onnx_l2";
constexpr char log_sum[] = "onnx_log_sum", log_sum_exp[] = "onnx_log_sum_exp";
} // namespace

std::span<const OpRow> reduce_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"ReduceSum",         1,    "",         "",                      "", reduce<sum>},
        {"ReduceMax",         1,    "",         "",                      "", reduce<max>},
        {"ReduceMean",        1,    "",         "",                      "", reduce<mean>},
        {"ReduceSumSquare",   1,    "",         "",                      "", reduce<sum_square>},
        {"ReduceL2",          1,    "",         "",                      "", reduce<l2>},
        {"ReduceLogSum",      1,    "",         "",                      "", reduce<log_sum>},
        {"ReduceLogSumExp",   1,    "",         "",                      "", reduce<log_sum_exp>},
        {"Softmax",           13,   "x",        "axis=-1",               "onnx_softmax($x, $axis)"},
        {"LogSoftmax",        13,   "x",        "axis=-1",               "onnx_log_softmax($x, $axis)"},
    };
    return rows;
}
} // namespace nereus::onnx
