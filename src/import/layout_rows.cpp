// Shapes and the order of elements.
#include "import/node_text.h"
#include <algorithm>

namespace nereus::onnx {
namespace {
// Axes as an attribute, later as an input that may be left out.
std::optional<std::vector<int64_t>> axes_of(NodeText& n, size_t input) {
    if (std::optional<std::vector<int64_t>> axes = n.integers("axes")) return axes;
    if (!n.has(input)) return std::nullopt;
    if (std::optional<std::vector<int64_t>> axes = n.constant_integers(input)) return axes;
    n.refuse("axes that only running tells are not offered");
    return std::vector<int64_t>();
}
std::string axis_text(int64_t axis) { return axis < 0 ? "(" + std::to_string(axis) + ")" : std::to_string(axis); }

// Axes of the result: put in one after the other, the first one first.
void unsqueeze(NodeText& n) {
    std::optional<std::vector<int64_t>> axes = axes_of(n, 1);
    if (!axes) return n.refuse("it has no axes");
    std::sort(axes->begin(), axes->end());
    const bool from_end = !axes->empty() && (*axes)[0] < 0;
    if (from_end && axes->back() >= 0) return n.refuse("axes that count from both ends are not offered");
    std::string x = n.in(0);
    for (size_t i = 0; i < axes->size(); ++i) {         // those from the end count in the last result
        const int64_t later = from_end ? int64_t(axes->size() - 1 - i) : 0;
        x = n.named("t", "onnx_unsqueeze(" + x + ", " + axis_text((*axes)[i] + later) + ")");
    }
    n.give(x);
}
// The last one first, so that the others keep their places.
void squeeze(NodeText& n) {
    std::optional<std::vector<int64_t>> axes = axes_of(n, 1);
    if (!axes) return n.refuse("without axes it is not offered: the rank would depend on sizes");
    std::sort(axes->begin(), axes->end());
    const bool from_end = !axes->empty() && (*axes)[0] < 0;
    if (from_end && axes->back() >= 0) return n.refuse("axes that count from both ends are not offered");
    if (!from_end) std::reverse(axes->begin(), axes->end());
    std::string x = n.in(0);
    for (size_t i = 0; i < axes->size(); ++i) x = n.named("t", "onnx_squeeze(" + x + ", " + axis_text((*axes)[i] + (from_end ? int64_t(i) : 0)) + ")");
    n.give(x);
}

void reshape(NodeText& n) {
    std::optional<std::vector<int64_t>> sizes = n.version() < 5 ? n.integers("shape") : n.constant_integers(1);
    if (!sizes) return n.give("reshape(" + n.in(0) + ", " + n.in(1) + ")");
    std::string list;
    for (size_t i = 0; i < sizes->size(); ++i) {
        const bool copied = (*sizes)[i] == 0 && n.integer("allowzero", 0) == 0;
        list += (i ? ", " : "") + (copied ? "shape_of(" + n.in(0) + ")[" + std::to_string(i) + "]" : std::to_string((*sizes)[i]));
    }
    n.give("reshape(" + n.in(0) + ", [" + list + "])");
}

void transpose(NodeText& n) {
    std::optional<std::vector<int64_t>> perm = n.integers("perm");
    if (!perm) return n.refuse("without perm it is not offered");
    std::string list;
    for (int64_t axis : *perm) list += (list.empty() ? "" : ", ") + std::to_string(axis);
    n.give("transpose(" + n.in(0) + ", perm=[" + list + "])");
}

void concat(NodeText& n) {
    std::string list;
    for (size_t i = 0; i < n.input_count(); ++i) list += (i ? ", " : "") + n.in(i);
    n.give("concat([" + list + "], axis=" + axis_text(n.integer("axis", 1)) + ")");
}
} // namespace

std::span<const OpRow> layout_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"Shape",             1,    "x",        "start=0, end=9223372036854775807", "onnx_shape($x, $start, $end)"},
        {"Size",              1,    "x",        "",                      "onnx_size($x)"},
        {"Flatten",           1,    "x",        "axis=1",                "onnx_flatten($x, $axis)"},
        {"Expand",            8,    "x, shape", "",                      "onnx_expand($x, $shape)"},
        {"Range",             11,   "start, limit, delta", "",           "onnx_range($start, $limit, $delta)"},
        {"Reshape",           1,    "",         "",                      "", reshape},
        {"Unsqueeze",         1,    "",         "",                      "", unsqueeze},
        {"Squeeze",           1,    "",         "",                      "", squeeze},
        {"Transpose",         1,    "",         "",                      "", transpose},
        {"Concat",            4,    "",         "",                      "", concat},
    };
    return rows;
}
} // namespace nereus::onnx
