// Parts of tensors, by indices.
#include "import/node_text.h"
#include <algorithm>
#include <limits>

namespace nereus::onnx {
namespace {
// One range of a slice: along a known axis, by a known step.
struct Range { int64_t axis; std::string start, end; int64_t step; bool to_the_end = false; };

// An end of a range, which may count from the end of the axis. One that is computed is written out: what a function is given is
// not always known in it.
std::string placed(NodeText& n, const std::string& end, const std::string& size) {
    if (!end.starts_with("cast(")) return "onnx_place(" + end + ", " + size + ")";
    const std::string at = n.named("at", end);
    return "min(max(if (" + at + " < 0) { " + at + " + " + size + " } else { " + at + " }, 0), " + size + ")";
}
// Whole ranges in one slice, the others by indices.
void give_slice(NodeText& n, const std::vector<Range>& ranges) {
    for (const Range& range : ranges) {
        if (std::ranges::count(ranges, range.axis, &Range::axis) > 1) return n.refuse("axis " + std::to_string(range.axis) + " is given twice");
        if (range.step == 0) return n.refuse("the step along axis " + std::to_string(range.axis) + " is 0");
    }
    std::string x = n.in(0), starts, ends, axes;
    for (const Range& range : ranges) {
        const std::string size = n.named("size", "onnx_size_at(" + n.in(0) + ", " + integer_text(range.axis) + ")");
        if (range.step != 1) {
            x = n.named("t", "gather(" + x + ", onnx_slice_indices(" + range.start + ", " + range.end + ", " + integer_text(range.step) + ", " + size + "), axis=" + integer_text(range.axis) + ")");
            continue;
        }
        const std::string from = n.named("from", placed(n, range.start, size)), comma = starts.empty() ? "" : ", ";
        starts += comma + from;
        ends += comma + (range.to_the_end ? size : "max(" + placed(n, range.end, size) + ", " + from + ")");
        axes += comma + std::to_string(range.axis);
    }
    n.give(starts.empty() ? x : "slice(" + x + ", [" + starts + "], [" + ends + "], axes=[" + axes + "])");
}

void slice_attributes(NodeText& n) {
    std::optional<std::vector<int64_t>> starts = n.integers("starts"), ends = n.integers("ends"), axes = n.integers("axes");
    if (!starts || !ends || starts->size() != ends->size() || (axes && axes->size() != starts->size())) return n.refuse("it has as many starts as ends and axes");
    std::vector<Range> ranges;
    for (size_t i = 0; i < starts->size(); ++i)
        ranges.push_back({axes ? (*axes)[i] : int64_t(i), integer_text((*starts)[i]), integer_text((*ends)[i]), 1, (*ends)[i] >= std::numeric_limits<int32_t>::max()});
    give_slice(n, ranges);
}

// How many ranges there are, if the file tells, and along which axes and by which steps.
void slice_inputs(NodeText& n) {
    const std::optional<std::vector<int64_t>> starts = n.constant_integers(1), ends = n.constant_integers(2);
    std::optional<std::vector<int64_t>> axes = n.constant_integers(3), steps = n.constant_integers(4);
    if (!n.has(3) && (starts || ends)) {
        axes.emplace();
        for (size_t i = 0; i < (starts ? starts : ends)->size(); ++i) axes->push_back(int64_t(i));
    }
    if (!n.has(4) && axes) steps.emplace(axes->size(), 1);
    if (axes && steps) {
        auto number = [&](size_t input, const std::optional<std::vector<int64_t>>& known, size_t i) {
            return known ? integer_text((*known)[i]) : "cast(" + n.in(input) + ", i64)[" + std::to_string(i) + "]";
        };
        std::vector<Range> ranges;
        for (size_t i = 0; i < axes->size(); ++i) {
            if (i >= steps->size() || (starts && i >= starts->size()) || (ends && i >= ends->size())) return n.refuse("it has as many starts as ends, axes and steps");
            ranges.push_back({(*axes)[i], number(1, starts, i), number(2, ends, i), (*steps)[i], ends && (*ends)[i] >= std::numeric_limits<int32_t>::max()});
        }
        return give_slice(n, ranges);
    }
    const std::string along = n.has(3) ? n.in(3) : "iota(onnx_size(" + n.in(1) + "))";
    const std::string of = n.in(0) + ", " + n.in(1) + ", " + n.in(2) + ", " + along;
    n.give(n.has(4) ? "onnx_slice_by(" + of + ", " + n.in(4) + ")" : "onnx_slice(" + of + ")");
}

void gather(NodeText& n) {
    const std::string axis = integer_text(n.integer("axis", 0)), indices = n.constant_integers(1) ? "onnx_indices(" : "onnx_given_indices(";
    n.give("gather(" + n.in(0) + ", " + indices + n.in(1) + ", shape_of(" + n.in(0) + "), " + axis + "), axis=" + axis + ")");
}
void compress(NodeText& n) {
    const bool flat = !n.attribute("axis");
    const std::string x = n.named("from", flat ? "reshape(" + n.in(0) + ", [-1])" : n.in(0)), axis = integer_text(n.integer("axis", 0));
    n.give("gather(" + x + ", onnx_chosen_of(" + n.in(1) + ", onnx_size_at(" + x + ", " + axis + ")), axis=" + axis + ")");
}

// What becomes of an element and the one that is given for it.
std::string scatter_by(NodeText& n) {
    const std::string_view how = n.word("reduction", "none");
    if (how == "none") return "scatter";
    if (how != "add" && how != "mul" && how != "max" && how != "min") n.refuse("attribute 'reduction' is '" + std::string(how) + "', expected one of none, add, mul, max, min");
    return "scatter_" + std::string(how);
}
void scatter_elements(NodeText& n) {
    const std::string places = "onnx_element_places(" + n.in(0) + ", " + n.in(1) + ", " + integer_text(n.integer("axis", 0)) + ")";
    n.give("reshape(" + scatter_by(n) + "(reshape(" + n.in(0) + ", [-1]), " + places + ", reshape(" + n.in(2) + ", [-1])), shape_of(" + n.in(0) + "))");
}
void scatter_nd(NodeText& n) {
    const std::string of = "(" + n.in(0) + ", " + n.in(1) + ")", rows = n.named("rows", "onnx_named_rows" + of), places = n.named("places", "onnx_row_places" + of);
    n.give("reshape(" + scatter_by(n) + "(" + rows + ", " + places + ", onnx_rows_like(" + n.in(2) + ", " + rows + ", " + places + ")), shape_of(" + n.in(0) + "))");
}

// The axes of time and batch are the first two, in either order.
void reverse_sequence(NodeText& n) {
    const int64_t time = n.integer("time_axis", 0), batch = n.integer("batch_axis", 1);
    if (time + batch != 1 || time * batch != 0) return n.refuse("its axes are " + std::to_string(time) + " and " + std::to_string(batch) + ", expected 0 and 1");
    n.give("onnx_reverse_sequence(" + n.in(0) + ", " + n.in(1) + ", " + std::to_string(time) + ")");
}

void top(NodeText& n) {
    const std::string k = n.version() < 10 ? integer_text(n.integer("k", 0)) : "onnx_number(" + n.in(1) + ")", axis = integer_text(n.integer("axis", -1));
    const bool least = n.integer("largest", 1) == 0;
    const std::string found = n.named("found", "topk(" + (least ? "onnx_reversed_order(" + n.in(0) + ")" : n.in(0)) + ", " + k + ", axis=" + axis + ")");
    n.give_each({least ? "onnx_reversed_order(" + found + ".0)" : found + ".0", found + ".1"});
}
} // namespace

std::span<const OpRow> index_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"Gather",            1,    "",         "",                      "", gather},
        {"GatherElements",    11,   "x, ids",   "axis=0",                "onnx_gather_elements($x, $ids, $axis)"},
        {"GatherND",          11,   "x, ids",   "batch_dims=0",          "onnx_gather_nd($x, $ids, $batch_dims)"},
        {"Scatter",           9,    "",         "",                      "", scatter_elements},
        {"ScatterElements",   11,   "",         "",                      "", scatter_elements},
        {"ScatterND",         11,   "",         "",                      "", scatter_nd},
        {"NonZero",           9,    "x",        "",                      "nonzero($x)"},
        {"Compress",          9,    "",         "",                      "", compress},
        {"Slice",             1,    "",         "",                      "", slice_attributes},
        {"Slice",             10,   "",         "",                      "", slice_inputs},
        {"DynamicSlice",      1,    "",         "",                      "", slice_inputs},
        {"ReverseSequence",   10,   "",         "",                      "", reverse_sequence},
        {"TopK",              1,    "",         "",                      "", top},
    };
    return rows;
}
} // namespace nereus::onnx
