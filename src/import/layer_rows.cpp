// Layers of networks.
#include "import/node_text.h"
#include "import/text_writer.h"
#include <algorithm>
#include <limits>

namespace nereus::onnx {
namespace {
constexpr int64_t no_class = -std::numeric_limits<int64_t>::max();       // that is ignored: no index is this

// With training_mode, or before version 14 with more than one output, the moments are those of the batch; there they are outputs, too.
void batch_normalization(NodeText& n) {
    std::string all = n.in(0);
    for (size_t i = 1; i < 5; ++i) all += ", " + n.in(i);
    all += ", " + real_text(n.real("epsilon", 1e-5), true);
    const bool training = n.integer("training_mode", 0) || (n.version() < 14 && n.output_count() > 1);
    if (!training && n.output_count() > 1) return n.refuse("it has " + std::to_string(n.output_count()) + " outputs, but does not train");
    if (training && !n.integer("spatial", 1)) return n.refuse("its attribute 'spatial' is 0 where it trains, which is not offered");
    if (!training) return n.give((n.integer("spatial", 1) ? "onnx_batch_normalization(" : "onnx_element_normalization(") + all + ")");
    const std::string trained = n.named("trained", "onnx_batch_training(" + all + ", " + real_text(n.real("momentum", 0.9), true) + ")");
    n.give_each({trained + ".0", trained + ".1", trained + ".2", trained + ".3", trained + ".4"});
}

// Its other outputs are the mean, and one over the deviation. Runtimes had it before version 17, which made it a standard.
void layer_normalization(NodeText& n) {
    const std::string numbers = std::to_string(n.integer("axis", -1)) + ", " + real_text(n.real("epsilon", 1e-5), true);
    const std::string normal = n.named("normal", "onnx_layer_normalization(" + n.in(0) + ", " + n.in(1) + ", " + (n.has(2) ? n.in(2) : "0.0") + ", " + numbers + ")");
    const std::string_view kept = dtype_text(n.elem_type("stash_type", ElemType::float32));
    if (kept.empty()) return n.refuse("attribute 'stash_type' says a type that is not offered");
    auto stashed = [&](const std::string& one) { return kept == "f32" ? one : "cast(" + one + ", " + std::string(kept) + ")"; };
    const std::string y = n.version() < 17 ? "onnx_cast_like(" + normal + ".0, " + n.in(1) + ")" : normal + ".0";
    n.give_each({y, stashed(normal + ".1"), stashed(normal + ".2")});
}

void mean_variance_normalization(NodeText& n) {
    const bool across = n.integer("across_channels", 0) != 0, by_variance = n.integer("normalize_variance", 1) != 0;
    if (n.attribute("across_channels") || n.attribute("normalize_variance"))           // of version 1, which had no axes
        return n.give("onnx_early_mean_variance(" + n.in(0) + ", " + (across ? "tensor([0, 1, 2, 3])" : "tensor([0, 2, 3])") + (by_variance ? ", 1)" : ", 0)"));
    n.give("onnx_mean_variance_normalization(" + n.in(0) + ", " + vector_text(n.integers("axes").value_or(std::vector<int64_t>{0, 2, 3})) + ")");
}

// Two outputs: the loss, and the logarithms of the probabilities.
void softmax_cross_entropy(NodeText& n) {
    static constexpr std::string_view words[] = {"mean", "sum", "none"};
    const std::string_view reduction = n.word("reduction", "mean");
    const size_t place = size_t(std::ranges::find(words, reduction) - words);
    if (place == std::size(words)) return n.refuse("attribute 'reduction' is '" + std::string(reduction) + "', expected one of mean|sum|none");
    const std::string both = n.named("both", "onnx_cross_entropy(" + n.in(0) + ", " + n.in(1) + ", " + (n.has(2) ? n.in(2) : "tensor([1.0])") + ", " +
                                                 std::to_string(n.integer("ignore_index", no_class)) + ", " + std::to_string(place) + ")");
    n.give_each({both + ".0", both + ".1"});
}

// Without training it is what it is given. Since 12 the ratio and whether it trains are inputs.
void dropout(NodeText& n) {
    const std::string x = n.in(0);
    if (n.has(2)) {
        const std::string both = n.named("dropped", "onnx_dropout(" + x + ", " + (n.has(1) ? n.in(1) : "0.5") + ", " + n.in(2) + ", " + std::to_string(n.integer("seed", 0)) + ")");
        return n.give_each({both + ".0", both + ".1"});
    }
    if (n.version() < 7 && !n.integer("is_test", 0)) {
        const std::string both = n.named("dropped", "onnx_dropout(" + x + ", " + real_text(n.real("ratio", 0.5), true) + ", true, 0)");
        return n.give_each({both + ".0", "onnx_cast_like(" + both + ".1, " + x + ")"});
    }
    const std::string mask = "full(shape_of(" + x + "), " + (n.version() < 12 ? "false)" : "true)");
    n.give_each({x, n.version() < 10 ? "onnx_cast_like(" + mask + ", " + x + ")" : mask});
}
} // namespace

std::span<const OpRow> layer_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"MatMul",            1,    "a, b",     "",                      "matmul($a, $b)"},
        {"Gemm",              1,    "a, b, c=0", "alpha=1.0, beta=1.0, transA=0, transB=0",
                                                                         "onnx_gemm($a, $b, $c, $alpha, $beta, $transA, $transB)"},
        {"LayerNormalization", 1,   "",         "",                      "", layer_normalization},
        {"RMSNormalization",  23,   "x, scale", "axis=-1, epsilon=1e-05, stash_type=1", "onnx_rms_normalization($x, $scale, $axis, $epsilon)"},
        {"InstanceNormalization", 1, "x, scale, bias", "epsilon=1e-05",  "onnx_instance_normalization($x, $scale, $bias, $epsilon)"},
        {"GroupNormalization", 18,  "x, scale, bias", "num_groups, epsilon=1e-05",
                                                                         "onnx_group_normalization($x, $scale, $bias, $num_groups, $epsilon, 1)"},
        {"GroupNormalization", 21,  "x, scale, bias", "num_groups, epsilon=1e-05, stash_type=1",
                                                                         "onnx_group_normalization($x, $scale, $bias, $num_groups, $epsilon, 0)"},
        {"BatchNormalization", 1,   "",         "",                      "", batch_normalization},
        {"MeanVarianceNormalization", 1, "x",   "",                      "", mean_variance_normalization},
        {"LpNormalization",   1,    "x",        "axis=-1, p=2",          "onnx_lp_normalization($x, $axis, $p)"},
        {"LRN",               1,    "x",        "alpha=0.0001, beta=0.75, bias=1.0, size", "onnx_lrn($x, $alpha, $beta, $bias, $size)"},
        {"NegativeLogLikelihoodLoss", 12, "x, target, weight=tensor([1.0])", "ignore_index=(-9223372036854775807), reduction=mean|sum|none",
                                                                         "onnx_nll_loss($x, $target, $weight, $ignore_index, $reduction)"},
        {"SoftmaxCrossEntropyLoss", 12, "",     "",                      "", softmax_cross_entropy},
        {"Dropout",           1,    "",         "",                      "", dropout},
    };
    return rows;
}
} // namespace nereus::onnx
