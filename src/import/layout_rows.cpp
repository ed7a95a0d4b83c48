// Shapes and the order of elements.
#include "import/node_text.h"
#include "import/text_writer.h"
#include <algorithm>

namespace nereus::onnx {
namespace {
// Axes as an attribute, later as an input. None: there are none that are known, or they count from both ends, which only the
// rank puts in order.
std::optional<std::vector<int64_t>> axes_of(NodeText& n) {
    std::optional<std::vector<int64_t>> axes = n.integers("axes");
    if (!axes) axes = n.constant_integers(1);
    if (!axes) return std::nullopt;
    std::sort(axes->begin(), axes->end());
    const bool both_ends = !axes->empty() && (*axes)[0] < 0 && axes->back() >= 0;
    return both_ends ? std::nullopt : axes;
}
// The same as a vector.
std::string axes_text(NodeText& n) {
    std::optional<std::vector<int64_t>> axes = n.integers("axes");
    return axes ? vector_text(*axes) : n.in(1);
}
std::string axis_text(int64_t axis) { return axis < 0 ? "(" + std::to_string(axis) + ")" : std::to_string(axis); }

// Axes of the result: put in one after the other, the first one first.
void unsqueeze(NodeText& n) {
    std::optional<std::vector<int64_t>> axes = axes_of(n);
    if (!axes) return n.give("onnx_unsqueeze_at(" + n.in(0) + ", " + axes_text(n) + ")");
    const bool from_end = !axes->empty() && (*axes)[0] < 0;
    std::string x = n.in(0);
    for (size_t i = 0; i < axes->size(); ++i) {         // those from the end count in the last result
        const int64_t later = from_end ? int64_t(axes->size() - 1 - i) : 0;
        x = n.named("t", "onnx_unsqueeze(" + x + ", " + axis_text((*axes)[i] + later) + ")");
    }
    n.give(x);
}
// The last one first, of those from the end the first one, so that the others keep their places. An empty list of axes says as
// little as none.
void squeeze(NodeText& n) {
    std::optional<std::vector<int64_t>> axes = axes_of(n);
    if ((!n.attribute("axes") && !n.has(1)) || (axes && axes->empty())) return n.give("onnx_squeeze_all(" + n.in(0) + ")");
    if (!axes) return n.give("onnx_squeeze_at(" + n.in(0) + ", " + axes_text(n) + ")");
    axes->erase(std::unique(axes->begin(), axes->end()), axes->end());
    if ((*axes)[0] >= 0) std::reverse(axes->begin(), axes->end());
    std::string x = n.in(0);
    for (int64_t axis : *axes) x = n.named("t", "onnx_squeeze(" + x + ", " + axis_text(axis) + ")");
    n.give(x);
}

// Of a Concat with zeros that the file tells: 1 for each of them, 0 for all other sizes. Empty: there are none.
std::string zeros_among(NodeText& n) {
    const Node* from = n.has(1) ? n.producer(n.node().inputs[1]) : nullptr;
    if (!from || from->op_type != "Concat") return {};
    bool any = false;
    std::string list;
    for (std::string_view part : from->inputs) {
        std::optional<std::vector<int64_t>> sizes = n.constant_integers(part);
        list += list.empty() ? "" : ", ";
        if (!sizes) {
            list += "full(shape_of(" + n.value(part) + "), 0)";
            continue;
        }
        for (int64_t& size : *sizes) any = (size = size == 0) || any;
        list += vector_text(*sizes);
    }
    return any ? "concat([" + list + "], axis=0)" : std::string();
}

// Sizes that the model computes from sizes keep their names: only what a caller gives is looked at for 0 and -1.
void reshape(NodeText& n) {
    std::optional<std::vector<int64_t>> sizes = n.version() < 5 ? n.integers("shape") : n.constant_integers(1);
    const int64_t zeros_are_sizes = n.integer("allowzero", 0);
    if (!sizes && n.decided_by_elements(1)) return n.give("onnx_reshape(" + n.in(0) + ", " + n.in(1) + ", " + std::to_string(zeros_are_sizes) + ")");
    const std::string zeros = sizes || zeros_are_sizes ? std::string() : zeros_among(n);
    if (!zeros.empty()) return n.give("reshape(" + n.in(0) + ", onnx_copied_sizes(" + n.in(0) + ", " + n.in(1) + ", " + zeros + "))");
    if (!sizes) return n.give("reshape(" + n.in(0) + ", " + n.in(1) + ")");
    std::string list;
    for (size_t i = 0; i < sizes->size(); ++i) {
        const bool copied = (*sizes)[i] == 0 && zeros_are_sizes == 0;
        list += (i ? ", " : "") + (copied ? "shape_of(" + n.in(0) + ")[" + std::to_string(i) + "]" : std::to_string((*sizes)[i]));
    }
    n.give("reshape(" + n.in(0) + ", [" + list + "])");
}

void transpose(NodeText& n) {
    std::optional<std::vector<int64_t>> perm = n.integers("perm");
    if (!perm) return n.give("onnx_reverse_axes(" + n.in(0) + ")");
    std::string list;
    for (int64_t axis : *perm) list += (list.empty() ? "" : ", ") + std::to_string(axis);
    n.give("transpose(" + n.in(0) + ", perm=[" + list + "])");
}

void concat(NodeText& n) {
    std::string list;
    for (size_t i = 0; i < n.input_count(); ++i) list += (i ? ", " : "") + n.in(i);
    n.give("concat([" + list + "], axis=" + axis_text(n.integer("axis", 1)) + ")");
}

void split(NodeText& n) {
    const std::string axis = axis_text(n.integer("axis", 0)), parts = std::to_string(n.output_count());
    if (n.output_count() == 1) return n.give(n.in(0));
    std::optional<std::vector<int64_t>> sizes = n.integers("split");
    if (!sizes) sizes = n.constant_integers(1);
    if (sizes && sizes->size() != n.output_count()) return n.refuse("it has " + parts + " outputs for " + std::to_string(sizes->size()) + " sizes");
    std::string list, each;
    if (!sizes && !n.has(1)) each = n.named("part", "onnx_part(" + n.in(0) + ", " + axis + ", " + parts + ")");
    for (size_t i = 0; i < n.output_count(); ++i) {
        if (i > 0) list += ", ";
        if (sizes) list += std::to_string((*sizes)[i]);
        else if (n.has(1)) list += n.in(1) + "[" + std::to_string(i) + "]";
        else list += i + 1 < n.output_count() ? each : "onnx_last_part(" + n.in(0) + ", " + axis + ", " + parts + ")";
    }
    n.give("split(" + n.in(0) + ", [" + list + "], axis=" + axis + ")");
}

void tile(NodeText& n) {
    std::optional<std::vector<int64_t>> repeats = n.constant_integers(1);
    n.give("onnx_tile(" + n.in(0) + ", " + (repeats ? vector_text(*repeats) : n.in(1)) + ")");
}

// Pads, from an attribute or an input: those before all axes, then those behind them.
struct Pads { std::string before, after; bool only_more = false, known = true; };
Pads pads_of(NodeText& n) {
    std::optional<std::vector<int64_t>> pads = n.integers(n.version() < 2 ? "paddings" : "pads");
    if (!pads) pads = n.constant_integers(1);
    const std::string rank = "onnx_rank(" + n.in(0) + ")";
    if (pads && !n.has(3)) {
        const std::span<const int64_t> all = *pads;
        return {vector_text(all.first(all.size() / 2)), vector_text(all.last(all.size() / 2)), std::all_of(all.begin(), all.end(), [](int64_t pad) { return pad >= 0; })};
    }
    const std::string list = n.node().domain == "com.microsoft" ? "reshape(" + n.in(1) + ", [-1])" : n.in(1);      // there it may be a row
    if (!n.has(3)) {
        const std::string before = "slice(" + list + ", [0], [" + rank + "])", after = "slice(" + list + ", [" + rank + "], [2 * " + rank + "])";
        return {n.named("before", before), n.named("after", after), false, false};
    }
    const std::string of = "(" + list + ", " + n.named("axes", "onnx_axes(" + n.in(3) + ", " + rank + ")") + ", " + n.in(0) + ")";
    return {n.named("before", "onnx_before" + of), n.named("after", "onnx_after" + of), false, false};
}
void pad(NodeText& n) {
    const std::string_view mode = n.word("mode", "constant");
    const Pads pads = pads_of(n);
    const std::string of = n.in(0) + ", " + pads.before + ", " + pads.after + ", ";
    constexpr std::string_view by_index[] = {"reflect", "edge", "wrap"};
    for (size_t i = 0; i < std::size(by_index); ++i)
        if (mode == by_index[i]) return n.give((pads.only_more ? "onnx_pad_by_index(" : "onnx_cut_and_pad_by_index(") + of + std::to_string(i + 1) + ")");
    if (mode != "constant") return n.refuse("attribute 'mode' is '" + std::string(mode) + "', expected one of constant, reflect, edge, wrap");
    const std::string value = n.has(2) ? "reshape(" + n.in(2) + ", [])" : "onnx_cast_like(" + real_text(n.real("value", 0), true) + ", " + n.in(0) + ")";
    n.give((pads.only_more ? "onnx_extend(" : pads.known ? "onnx_pad(" : "onnx_pad_or_cut(") + of + value + ")");
}
void center_crop_pad(NodeText& n) {
    std::optional<std::vector<int64_t>> axes = n.integers("axes");
    n.give("onnx_center_crop_pad(" + n.in(0) + ", " + n.in(1) + ", " + (axes ? vector_text(*axes) : "iota(onnx_rank(" + n.in(0) + "))") + ")");
}

void bit_cast(NodeText& n) {
    const ElemType to = n.elem_type("to", ElemType::undefined);
    const std::string_view dtype = dtype_text(to);
    if (dtype.empty()) return n.refuse("its elements would be " + std::string(onnx_type_name(to)));
    n.give("bit_cast(" + n.in(0) + ", " + std::string(dtype) + ")");
}
} // namespace

std::span<const OpRow> layout_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"Shape",             1,    "x",        "start=0, end=9223372036854775807", "onnx_shape($x, $start, $end)"},
        {"Size",              1,    "x",        "",                      "onnx_size($x)"},
        {"Flatten",           1,    "x",        "axis=1",                "onnx_flatten($x, $axis)"},
        {"Expand",            8,    "x, shape", "",                      "onnx_expand($x, $shape)"},
        {"Reshape",           1,    "",         "",                      "", reshape},
        {"Unsqueeze",         1,    "",         "",                      "", unsqueeze},
        {"Squeeze",           1,    "",         "",                      "", squeeze},
        {"Transpose",         1,    "",         "",                      "", transpose},
        {"Concat",            1,    "",         "",                      "", concat},
        {"BitCast",           26,   "",         "",                      "", bit_cast},
        {"Split",             1,    "",         "",                      "", split},
        {"Tile",              6,    "",         "",                      "", tile},
        {"Pad",               1,    "",         "",                      "", pad},
        {"Pad",               1,    "",         "",                      "", pad, "com.microsoft"},
        {"CenterCropPad",     18,   "",         "",                      "", center_crop_pad},
        {"DepthToSpace",      1,    "x",        "blocksize, mode=DCR|CRD", "onnx_depth_to_space($x, $blocksize, $mode)"},
        {"SpaceToDepth",      1,    "x",        "blocksize, mode=DCR|CRD", "onnx_space_to_depth($x, $blocksize, $mode)"},
    };
    return rows;
}
} // namespace nereus::onnx
