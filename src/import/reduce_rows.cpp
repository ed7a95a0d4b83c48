// Reductions and what is made of them.
#include "import/node_text.h"
#include "import/text_writer.h"
#include <cstring>

namespace nereus::onnx {
namespace {
// Without axes: along all of them, however many there are.
std::string reduced(std::string form, const std::string& x, const std::string& axes, bool keepdims) {
    const std::string along = axes.empty() ? "" : "axes=" + axes + ", ", of_all = axes.empty() ? "_of_all" : "";
    for (auto [hole, text] : {std::pair{"$x", x}, {"axes=$axes, ", along}, {"$of_all", of_all}, {", $axes", axes.empty() ? "" : ", " + axes},
                              {"$keepdims", std::string(keepdims ? "true" : "false")}})
        for (size_t at = form.find(hole); at != form.npos; at = form.find(hole)) form.replace(at, std::string_view(hole).size(), text);
    return form;
}
// What is computed in: its own dtype, or f32 for an f16 or bf16 whose sums would be beyond it, or a float in any case.
enum class In : uint8_t { own, number, real };
std::string reduced_in(In in, const std::string& form, const std::string& x, const std::string& axes, bool keepdims) {
    auto as = [&](const char* dtype) { return "onnx_cast_like(" + reduced(form, "cast(" + x + ", " + dtype + ")", axes, keepdims) + ", " + x + ")"; };
    switch (in) {
    case In::own: break;
    case In::number: return "if (onnx_is_short(" + x + ")) { " + as("f32") + " } else { " + reduced(form, x, axes, keepdims) + " }";
    case In::real: return "if (onnx_is_wide(" + x + ")) { " + as("f64") + " } else { " + as("f32") + " }";
    }
    return reduced(form, x, axes, keepdims);
}
// Axes as an attribute, since 13 or 18 as an input. None: all of them, or with noop_with_empty_axes none at all.
template <const char* form, In in = In::own> void reduce(NodeText& n) {
    const bool keepdims = n.integer("keepdims", 1), noop = n.integer("noop_with_empty_axes", 0);
    std::optional<std::vector<int64_t>> axes = n.integers("axes");
    if (!axes && n.has(1)) axes = n.constant_integers(1);
    const std::string x = n.in(0);
    if (!axes && n.has(1)) {
        const std::string flag = noop ? "1" : "0", go = n.named("go", "onnx_axes_that_go(" + n.in(1) + ", onnx_rank(" + x + "), " + flag + ")");
        const std::string parts = n.named("parts", "onnx_split_axes(" + x + ", " + go + ")");
        const std::string kept = n.named("kept", reduced_in(in, form, parts, "onnx_second_axes(" + x + ")", false));
        return n.give(keepdims ? kept : "onnx_drop_axes(" + kept + ", " + go + ", " + n.in(1) + ", " + flag + ")");
    }
    const bool all = (!axes || axes->empty()) && !noop;
    n.give(reduced_in(in, form, x, all ? "" : vector_text(axes.value_or(std::vector<int64_t>())), keepdims));
}
constexpr char sum[] = "sum($x, axes=$axes, keepdims=$keepdims)", max[] = "max($x, axes=$axes, keepdims=$keepdims)",
               min[] = "min($x, axes=$axes, keepdims=$keepdims)", prod[] = "prod($x, axes=$axes, keepdims=$keepdims)",
               mean[] = "if (onnx_is_small_whole($x)) { onnx_cast_like(onnx_mean$of_all(cast($x, i64), sum(cast($x, i64), axes=$axes, keepdims=$keepdims), $axes), $x) } "
                        "else { onnx_mean$of_all($x, sum($x, axes=$axes, keepdims=$keepdims), $axes) }", l1[] = "sum(abs($x), axes=$axes, keepdims=$keepdims)",
               sum_square[] = "sum($x * $x, axes=$axes, keepdims=$keepdims)", l2[] = "sqrt(sum($x * $x, axes=$axes, keepdims=$keepdims))",
               log_sum[] = "log(sum($x, axes=$axes, keepdims=$keepdims))",
               log_sum_exp[] = "log(sum(exp($x - onnx_above(max($x, axes=$axes, keepdims=true))), axes=$axes, keepdims=$keepdims)) + "
                               "onnx_above(max($x, axes=$axes, keepdims=$keepdims))";

// The place is that of the first of several, unless select_last_index says otherwise. An axis is no number of the program.
template <const char* op> void place(NodeText& n) {
    n.give(std::string(op) + "(" + n.in(0) + ", axis=" + std::to_string(n.integer("axis", 0)) + ", keepdims=" + (n.integer("keepdims", 1) ? "true" : "false") +
           ", select_last_index=" + (n.integer("select_last_index", 0) ? "true)" : "false)"));
}
constexpr char argmax[] = "argmax", argmin[] = "argmin";

// A number that is written is known to what is computed from it.
void constant_of_shape(NodeText& n) {
    const TensorData* value = n.tensor("value");
    std::string number = "cast(0.0, f32)";
    if (value && value->type == ElemType::int64 && value->bytes.size() == sizeof(int64_t)) {
        int64_t whole = 0;
        std::memcpy(&whole, value->bytes.data(), sizeof whole);
        number = "cast(" + std::to_string(whole) + ", i64)";
    } else if (value) {
        number = "reshape(" + n.weight(*value, n.node().outputs[0]) + ", [])";
    }
    n.give("full(" + n.in(0) + ", " + number + ")");
}

void eye_like(NodeText& n) {
    const std::string ones = "onnx_diagonals(" + n.in(0) + ") == " + std::to_string(n.integer("k", 0));
    const ElemType to = n.elem_type("dtype", ElemType::undefined);
    if (!n.attribute("dtype")) return n.give("onnx_cast_like(" + ones + ", " + n.in(0) + ")");
    const std::string_view dtype = dtype_text(to);
    if (dtype.empty()) return n.refuse("its elements would be " + std::string(onnx_type_name(to)));
    n.give("cast(" + ones + ", " + std::string(dtype) + ")");
}
// How many there are is written here and not in a function: the sizes that go through floats are known there alone.
// A delta of 0 gives no numbers, or no end of them.
bool checked_delta(NodeText& n, const std::string& by) {
    const std::optional<std::vector<int64_t>> whole = n.constant_integers(2);
    const std::optional<std::vector<double>> real = n.constant_reals(2);
    const bool is_known = (whole && whole->size() == 1) || (real && real->size() == 1);
    if (!is_known) n.line("assert(reshape(" + by + ", []) != onnx_number_like(0, " + by + "), \"its delta is 0\")");
    else if (whole ? whole->front() == 0 : real->front() == 0) return n.refuse("its delta is 0"), false;
    return true;
}
void range(NodeText& n) {
    const std::string from = n.in(0), to = n.in(1), by = n.has(2) ? n.in(2) : n.named("by", "onnx_cast_like(1, " + from + ")");
    if (n.has(2) && !checked_delta(n, by)) return;
    auto scalar = [](const std::string& x) { return "reshape(" + x + ", [])"; };
    auto wide = [](const std::string& x) { return "cast(" + x + ", f32)"; };
    const std::string count = n.named("count", "if (onnx_is_short(" + from + ")) { onnx_range_count(" + wide(from) + ", " + wide(to) + ", " + wide(by) + ") } else { cast(-((" + scalar(from) + " - " + scalar(to) +
                                                   ") // " + scalar(by) + "), i64) }");
    n.give("onnx_range_of(" + from + ", " + by + ", " + count + ")");
}
} // namespace

std::span<const OpRow> reduce_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"ReduceSum",         1,    "",         "",                      "", reduce<sum>},
        {"ReduceMax",         1,    "",         "",                      "", reduce<max>},
        {"ReduceMin",         1,    "",         "",                      "", reduce<min>},
        {"ReduceProd",        1,    "",         "",                      "", reduce<prod>},
        {"ReduceMean",        1,    "",         "",                      "", reduce<mean, In::number>},
        {"ReduceSumSquare",   1,    "",         "",                      "", reduce<sum_square, In::number>},
        {"ReduceL1",          1,    "",         "",                      "", reduce<l1>},
        {"ReduceL2",          1,    "",         "",                      "", reduce<l2, In::real>},
        {"ReduceLogSum",      1,    "",         "",                      "", reduce<log_sum, In::real>},
        {"ReduceLogSumExp",   1,    "",         "",                      "", reduce<log_sum_exp, In::real>},
        {"ArgMax",            1,    "",         "",                      "", place<argmax>},
        {"ArgMin",            1,    "",         "",                      "", place<argmin>},
        {"Softmax",           1,    "x",        "axis=1",                "onnx_softmax_from($x, $axis)"},
        {"Softmax",           13,   "x",        "axis=-1",               "onnx_softmax($x, $axis)"},
        {"LogSoftmax",        1,    "x",        "axis=1",                "onnx_log_softmax_from($x, $axis)"},
        {"LogSoftmax",        13,   "x",        "axis=-1",               "onnx_log_softmax($x, $axis)"},
        {"Hardmax",           1,    "x",        "axis=1",                "onnx_hardmax_from($x, $axis)"},
        {"Hardmax",           13,   "x",        "axis=-1",               "onnx_hardmax($x, $axis)"},
        {"CumSum",            11,   "x, axis",  "exclusive=0, reverse=0", "onnx_cumsum($x, $axis, $exclusive, $reverse)"},
        {"CumProd",           26,   "x, axis",  "exclusive=0, reverse=0", "onnx_cumprod($x, $axis, $exclusive, $reverse)"},
        {"ConstantOfShape",   9,    "",         "",                      "", constant_of_shape},
        {"Range",             11,   "",         "",                      "", range},
        {"Range",             1,    "",         "",                      "", range, "com.microsoft"},
        {"EyeLike",           9,    "",         "",                      "", eye_like},
        {"Trilu",             14,   "x, k=0",   "upper=1",               "onnx_trilu($x, $k, $upper)"},
        {"OneHot",            9,    "indices, depth, values", "axis=-1", "onnx_one_hot($indices, $depth, $values, $axis)"},
    };
    return rows;
}
} // namespace nereus::onnx
