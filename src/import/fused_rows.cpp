// Operators of ONNX Runtime that are several of ONNX in one, or one of them by another name.
#include "import/activation.h"
#include <algorithm>

namespace nereus::onnx {
namespace {
constexpr std::string_view microsoft = "com.microsoft";

struct Activation { std::string_view name, form; size_t numbers; };
constexpr Activation activations[] = {
    {"", "%v", 0},
    {"Relu", "maximum(%v, 0.0)", 0},
    {"Tanh", "tanh(%v)", 0},
    {"Sigmoid", "onnx_sigmoid(%v)", 0},
    {"Softplus", "onnx_softplus(%v)", 0},
    {"Softsign", "%v / (1.0 + abs(%v))", 0},
    {"LeakyRelu", "select(%v < 0.0, $0 * %v, %v)", 1},
    {"ThresholdedRelu", "select(%v > $0, %v, 0.0)", 1},
    {"Elu", "select(%v < 0.0, $0 * onnx_expm1(minimum(%v, 0.0)), %v)", 1},
    {"Clip", "minimum(maximum(%v, $0), $1)", 2},
    {"HardSigmoid", "maximum(minimum($0 * %v + $1, 1.0), 0.0)", 2},
    {"Affine", "$0 * %v + $1", 2},
    {"ScaledTanh", "$0 * tanh($1 * %v)", 2},
    {"ParametricSoftplus", "$0 * onnx_softplus($1 * %v)", 2},
};
void put(std::string& form, std::string_view hole, const std::string& text) {
    for (size_t at = form.find(hole); at != form.npos; at = form.find(hole, at + text.size())) form.replace(at, hole.size(), text);
}

void gemm(NodeText& n) {
    const std::string numbers = real_text(n.real("alpha", 1), true) + ", " + real_text(n.real("beta", 1), true) + ", " + std::to_string(n.integer("transA", 0)) + ", " +
                                std::to_string(n.integer("transB", 0));
    const std::string y = "onnx_gemm(" + n.in(0) + ", " + n.in(1) + ", " + (n.has(2) ? n.in(2) : "0") + ", " + numbers + ")";
    std::vector<float> given;
    for (std::string_view name : {"activation_alpha", "activation_beta", "activation_gamma"})
        if (n.attribute(name)) given.push_back(float(n.real(name, 0)));
    n.give(activated(n, n.named("y", y), given));
}

void expand_dims(NodeText& n) {
    const std::optional<std::vector<int64_t>> axis = n.constant_integers(1);
    if (axis && axis->size() == 1) return n.give("onnx_unsqueeze(" + n.in(0) + ", " + integer_text((*axis)[0]) + ")");
    n.give("onnx_unsqueeze_at(" + n.in(0) + ", " + n.in(1) + ")");
}
// Not in order: each where it is seen first.
void unique(NodeText& n) {
    const std::string found = n.named("found", "onnx_distinct_rows(onnx_rows_along(" + n.in(0) + ", 0), 0)");
    n.give_each({"gather(" + n.in(0) + ", " + found + ".0)", found + ".1", found + ".2"});
}
void unfold(NodeText& n) {
    const int64_t size = n.integer("size", 1), step = n.integer("step", 1);
    if (size <= 0 || step <= 0) return n.refuse("its windows are " + std::to_string(size) + " wide, with steps of " + std::to_string(step));
    n.give("onnx_unfolded(" + n.in(0) + ", " + integer_text(n.integer("dim", -1)) + ", " + std::to_string(size) + ", " + std::to_string(step) + ")");
}
void distances(NodeText& n) {
    const std::string_view metric = n.word("metric", "sqeuclidean");
    if (metric != "sqeuclidean" && metric != "euclidean") return n.refuse("attribute 'metric' is '" + std::string(metric) + "', expected sqeuclidean or euclidean");
    const std::string squares = "onnx_square_distances(" + n.in(0) + ", " + n.in(1) + ")";
    n.give(metric == "euclidean" ? "sqrt(" + squares + ")" : squares);
}
void crop_and_resize(NodeText& n) {
    const std::string_view mode = n.word("mode", "bilinear");
    if (mode != "bilinear" && mode != "nearest") return n.refuse("attribute 'mode' is '" + std::string(mode) + "', expected bilinear or nearest");
    n.give("onnx_crop_and_resize(" + n.in(0) + ", " + n.in(1) + ", " + n.in(2) + ", " + n.in(3) + ", " + (mode == "nearest" ? "1, " : "0, ") + real_text(n.real("extrapolation_value", 0), true) + ")");
}
} // namespace

// Numbers that are not given are 0.
std::string activated(NodeText& n, const std::string& y, const std::vector<float>& numbers) {
    const std::string_view name = n.word("activation", "");
    const Activation* row = std::ranges::find(activations, name, &Activation::name);
    if (row == std::end(activations)) return n.refuse("activation '" + std::string(name) + "' is not offered"), y;
    std::string form(row->form);
    put(form, "%v", y);
    for (size_t i = 0; i < row->numbers; ++i) put(form, "$" + std::to_string(i), real_text(i < numbers.size() ? double(numbers[i]) : 0, true));
    return form;
}

std::span<const OpRow> fused_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"FusedGemm",         1,    "",         "",                      "", gemm, microsoft},
        {"BiasAdd",           1,    "x, bias, skip", "",                 "$x + $bias + $skip", nullptr, microsoft},
        {"BiasSplitGelu",     1,    "x, bias",  "",                      "onnx_bias_split_gelu($x, $bias)", nullptr, microsoft},
        {"Trilu",             1,    "x, k=0",   "upper=1",               "onnx_trilu($x, $k, $upper)", nullptr, microsoft},
        {"GatherND",          1,    "x, ids",   "",                      "onnx_gather_nd($x, $ids, 0)", nullptr, microsoft},
        {"ExpandDims",        1,    "",         "",                      "", expand_dims, microsoft},
        {"Unique",            1,    "",         "",                      "", unique, microsoft},
        {"UnfoldTensor",      1,    "",         "",                      "", unfold, microsoft},
        {"CDist",             1,    "",         "",                      "", distances, microsoft},
        {"Inverse",           1,    "x",        "",                      "onnx_inverse($x)", nullptr, microsoft},
        {"CropAndResize",     1,    "",         "",                      "", crop_and_resize, microsoft},
    };
    return rows;
}
} // namespace nereus::onnx
