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
    std::string reduced = form;
    for (auto [hole, text] : {std::pair{"$x", n.in(0)}, {"$axes", list}, {"$keepdims", keepdims}})
        for (size_t at = reduced.find(hole); at != reduced.npos; at = reduced.find(hole)) reduced.replace(at, std::string_view(hole).size(), text);
    n.give(reduced);
}
constexpr char sum[] = "sum($x, axes=$axes, keepdims=$keepdims)", max[] = "max($x, axes=$axes, keepdims=$keepdims)",
               mean[] = "onnx_mean($x, sum($x, axes=$axes, keepdims=$keepdims))",
               sum_square[] = "sum($x * $x, axes=$axes, keepdims=$keepdims)", l2[] = "sqrt(sum($x * $x, axes=$axes, keepdims=$keepdims))",
               log_sum[] = "log(sum($x, axes=$axes, keepdims=$keepdims))";
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
        {"Softmax",           13,   "x",        "axis=-1",               "onnx_softmax($x, $axis)"},
        {"LogSoftmax",        13,   "x",        "axis=-1",               "onnx_log_softmax($x, $axis)"},
    };
    return rows;
}
} // namespace nereus::onnx
