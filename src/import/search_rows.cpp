// What is found among elements.
#include "import/node_text.h"

namespace nereus::onnx {
namespace {
// The elements themselves, or what lies along an axis.
void unique(NodeText& n) {
    const bool flat = !n.attribute("axis");
    const std::string axis = flat ? "0" : "(" + std::to_string(n.integer("axis", 0)) + ")", x = flat ? n.named("flat", "reshape(" + n.in(0) + ", [onnx_size(" + n.in(0) + ")])") : n.in(0);
    const std::string found = n.named("found", "onnx_distinct_rows(onnx_rows_along(" + x + ", " + axis + "), " + (n.integer("sorted", 1) ? "1)" : "0)"));
    n.give_each({"gather(" + x + ", " + found + ".0, axis=" + axis + ")", found + ".0", found + ".1", found + ".2"});
}

void non_max_suppression(NodeText& n) {
    const std::string candidates = n.has(4) ? n.in(1) + " > reshape(" + n.in(4) + ", [])" : "full(shape_of(" + n.in(1) + "), true)";
    n.give("onnx_non_max_suppression(" + n.in(0) + ", " + n.in(1) + ", " + (n.has(2) ? n.in(2) : "0") + ", " + (n.has(3) ? n.in(3) : "0.0") + ", " + candidates + ", " +
           std::to_string(n.integer("center_point_box", 0)) + ")");
}
} // namespace

std::span<const OpRow> search_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"Unique",            11,   "",         "",                      "", unique},
        {"NonMaxSuppression", 10,   "",         "",                      "", non_max_suppression},
    };
    return rows;
}
} // namespace nereus::onnx
