// Operators of ONNX Runtime that models of optimised or quantised networks have.
#include "import/node_text.h"

namespace nereus::onnx {
namespace {
constexpr std::string_view microsoft = "com.microsoft";

// Heads of queries, keys and values; the last two begin with what was before.
struct Heads { std::string q, k, v; };

// Which inputs mask and bias are, 0: none has that place; how many keys were before.
struct Around { size_t mask, bias; std::string past; };

struct Attended { std::string y, scores; };
Attended attended(NodeText& n, const Heads& heads, const Around& around) {
    const std::string keys = n.named("keys", "shape_of(" + heads.k + ")[2]");
    const std::string scale = n.real("scale", 0) != 0 ? real_text(n.real("scale", 0), true) : "onnx_head_scale(" + heads.q + ")";
    const std::string behind = heads.q + ", " + keys + ", " + around.past;
    std::string hidden;
    if (n.has(around.mask)) hidden = "onnx_filtered(" + n.in(around.mask) + ", " + behind + ", " + real_text(n.real("mask_filter_value", -10000), true) + ")";
    if (n.integer("unidirectional", 0)) hidden = "onnx_causal_filter(" + (hidden.empty() ? "0.0" : hidden) + ", " + behind + ")";
    std::string scores = n.named("scores", "onnx_scaled_scores(" + heads.q + ", " + heads.k + ", " + scale + ")");
    if (!hidden.empty()) scores = n.named("scores", scores + " + " + hidden);
    if (n.has(around.bias)) scores = n.named("scores", scores + " + cast(" + n.in(around.bias) + ", f32)");
    return {n.named("joined", "onnx_joined_heads(matmul(onnx_softmax(" + scores + ", (-1)), " + heads.v + "))"), scores};
}
std::string like(const std::string& made, const std::string& x) { return "onnx_cast_like(" + made + ", " + x + ")"; }

// Queries, keys and values are one product.
void attention(NodeText& n) {
    if (n.integer("do_rotary", 0)) return n.refuse("its attribute 'do_rotary' is 1, which is not offered");
    if (n.integer("past_present_share_buffer", 0)) return n.refuse("its attribute 'past_present_share_buffer' is 1, which is not offered");
    const std::string x = n.in(0), count = std::to_string(n.integer("num_heads", 0));
    const std::string all = n.named("all", "matmul(cast(" + x + ", f32), cast(" + n.in(1) + ", f32))" + (n.has(2) ? " + cast(" + n.in(2) + ", f32)" : ""));
    std::string sizes;
    if (const std::optional<std::vector<int64_t>> given = n.integers("qkv_hidden_sizes"); given && !given->empty()) {
        if (given->size() != 3) return n.refuse("attribute 'qkv_hidden_sizes' has " + std::to_string(given->size()) + " numbers, expected 3");
        for (int64_t size : *given) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    } else {
        const std::string third = n.named("third", "shape_of(" + n.in(1) + ")[1] / 3");
        sizes = third + ", " + third + ", " + third;
    }
    const std::string parts = n.named("parts", "split(" + all + ", [" + sizes + "], axis=2)");
    auto part = [&](const char* name, int place) { return n.named(name, "onnx_as_heads(" + parts + "." + std::to_string(place) + ", " + count + ")"); };
    Heads heads = {part("q", 0), part("k", 1), part("v", 2)};
    if (n.has(4)) {
        heads.k = n.named("k", "concat([onnx_past(" + n.in(4) + ", 0), " + heads.k + "], axis=2)");
        heads.v = n.named("v", "concat([onnx_past(" + n.in(4) + ", 1), " + heads.v + "], axis=2)");
    }
    const Attended made = attended(n, heads, {3, 5, n.has(4) ? "shape_of(" + n.in(4) + ")[3]" : "0"});
    n.give_each({like(made.y, x), like("concat([onnx_unsqueeze(" + heads.k + ", 0), onnx_unsqueeze(" + heads.v + ", 0)], axis=0)", x)});
}

// Keys and values may be heads already; a bias is of all three.
void multi_head_attention(NodeText& n) {
    if (!n.has(1) || !n.has(2)) return n.refuse("its queries, keys and values are one tensor, which is not offered");
    if (n.has(6) != n.has(7)) return n.refuse("past_key and past_value are given together");
    if (n.has(8) || n.has(9)) return n.refuse("past_sequence_length or cache_indirection is given, which is not offered");
    const std::string x = n.in(0), count = std::to_string(n.integer("num_heads", 0));
    auto part = [&](const char* name, size_t i) {
        if (!n.has(3)) return n.named(name, "onnx_as_heads(cast(" + n.in(i) + ", f32), " + count + ")");
        return n.named(name, "onnx_biased_heads(" + n.in(i) + ", " + n.in(3) + ", " + (i == 2 ? "2 * shape_of(" + x + ")[2]" : i == 1 ? "shape_of(" + x + ")[2]" : "0") + ", " + count + ")");
    };
    Heads heads = {part("q", 0), part("k", 1), part("v", 2)};
    if (n.has(6)) {
        heads.k = n.named("k", "concat([cast(" + n.in(6) + ", f32), " + heads.k + "], axis=2)");
        heads.v = n.named("v", "concat([cast(" + n.in(7) + ", f32), " + heads.v + "], axis=2)");
    }
    const Attended made = attended(n, heads, {4, 5, n.has(6) ? "shape_of(" + n.in(6) + ")[2]" : "0"});
    n.give_each({like(made.y, x), like(heads.k, x), like(heads.v, x), like(made.scores, x)});
}

// What is normalised is the last output.
void skip_layer_normalization(NodeText& n) {
    auto or_none = [&](size_t i) { return n.has(i) ? n.in(i) : std::string("0.0"); };
    const std::string all = n.in(0) + ", " + n.in(1) + ", " + or_none(4) + ", " + n.in(2) + ", " + or_none(3) + ", " + real_text(n.real("epsilon", 1e-12f), true);
    const std::string normal = n.named("normal", "onnx_skip_normalization(" + all + ")");
    n.give_each({normal + ".0", normal + ".1", normal + ".2", normal + ".3"});
}
void skip_simplified_layer_normalization(NodeText& n) {
    if (n.wants(1)) return n.refuse("its output 'mean' is wanted, which it does not have");
    const std::string all = n.in(0) + ", " + n.in(1) + ", " + (n.has(3) ? n.in(3) : "0.0") + ", " + n.in(2) + ", " + real_text(n.real("epsilon", 1e-12f), true);
    const std::string normal = n.named("normal", "onnx_skip_simple_normalization(" + all + ")");
    n.give_each({normal + ".0", "()", normal + ".1", normal + ".2"});
}
void simplified_layer_normalization(NodeText& n) {
    const std::string numbers = integer_text(n.integer("axis", -1)) + ", " + real_text(n.real("epsilon", 1e-5f), true);
    const std::string normal = n.named("normal", "onnx_simple_normalization(" + n.in(0) + ", " + n.in(1) + ", " + numbers + ")");
    n.give_each({normal + ".0", normal + ".1"});
}

void matmul_bits(NodeText& n) {
    const int64_t bits = n.integer("bits", 4), block = n.integer("block_size", 0), rows = n.integer("N", 0), columns = n.integer("K", 0);
    if (bits != 2 && bits != 4 && bits != 8) return n.refuse("attribute 'bits' is " + std::to_string(bits) + ", expected 2, 4 or 8");
    if (block <= 0 || rows <= 0 || columns <= 0) return n.refuse("its attributes 'K', 'N' and 'block_size' are not all above 0");
    if (n.has(4)) return n.refuse("it has an input 'g_idx', which is not offered");
    const std::string middle = std::to_string(1 << (bits - 1));
    n.give("onnx_matmul_bits(" + n.in(0) + ", " + n.in(1) + ", " + n.in(2) + ", " + (n.has(3) ? n.in(3) : middle + ".0") + ", " + (n.has(5) ? n.in(5) : "0.0") + ", " +
           std::to_string(columns) + ", " + std::to_string(rows) + ", " + std::to_string(bits) + ", " + std::to_string(block) + ")");
}

void fused_matmul(NodeText& n) {
    if (n.integer("transBatchA", 0) || n.integer("transBatchB", 0)) return n.refuse("its attribute 'transBatchA' or 'transBatchB' is 1, which is not offered");
    auto side = [&](size_t i, const char* flip) { return n.integer(flip, 0) ? "onnx_flipped(" + n.in(i) + ")" : n.in(i); };
    n.give(real_text(n.real("alpha", 1), true) + " * matmul(" + side(0, "transA") + ", " + side(1, "transB") + ")");
}
} // namespace

std::span<const OpRow> microsoft_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"Attention",         1,    "",         "",                      "", attention, microsoft},
        {"MultiHeadAttention", 1,   "",         "",                      "", multi_head_attention, microsoft},
        {"SkipLayerNormalization", 1, "",       "",                      "", skip_layer_normalization, microsoft},
        {"SkipSimplifiedLayerNormalization", 1, "", "",                  "", skip_simplified_layer_normalization, microsoft},
        {"SimplifiedLayerNormalization", 1, "", "",                      "", simplified_layer_normalization},
        {"FastGelu",          1,    "x, bias=0.0", "",                     "onnx_bias_gelu($x, $bias, 1)", nullptr, microsoft},
        {"BiasGelu",          1,    "x, bias",  "",                      "onnx_bias_gelu($x, $bias, 0)", nullptr, microsoft},
        {"Gelu",              1,    "x",        "",                      "onnx_gelu($x, 0)", nullptr, microsoft},
        {"QuickGelu",         1,    "x",        "alpha=1.702",           "onnx_quick_gelu($x, $alpha)", nullptr, microsoft},
        {"MatMulNBits",       1,    "",         "",                      "", matmul_bits, microsoft},
        {"FusedMatMul",       1,    "",         "",                      "", fused_matmul, microsoft},
    };
    return rows;
}
} // namespace nereus::onnx
