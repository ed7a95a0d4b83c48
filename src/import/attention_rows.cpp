// Attention, and what is around it.
#include "import/node_text.h"
#include "import/text_writer.h"

namespace nereus::onnx {
namespace {
// What softmax is computed in, if the node says so.
std::string precision(NodeText& n) {
    const ElemType type = n.elem_type("softmax_precision", ElemType::undefined);
    if (!n.attribute("softmax_precision")) return {};
    if (type != ElemType::float32 && type != ElemType::float16 && type != ElemType::float64 && type != ElemType::bfloat16)
        n.refuse("attribute 'softmax_precision' is " + std::to_string(int(type)) + ", expected 1, 10, 11 or 16");
    return std::string(dtype_text(type));
}
std::string scale_root(NodeText& n, const std::string& q) {
    return n.attribute("scale") ? "sqrt(" + real_text(n.real("scale", 0), true) + ")" : "onnx_scale_root(" + q + ")";
}

// Which keys a query may look at, as far as their places tell; empty: all.
std::string allowed(NodeText& n, const std::string& q, const std::string& keys) {
    const int64_t left = n.integer("left_window_size", -1), right = n.integer("right_window_size", -1);
    const bool causal = n.integer("is_causal", 0) != 0;
    if (left < -1 || right < -1) n.refuse("a window is below -1");
    std::string all;
    auto also = [&](const std::string& condition) { all = all.empty() ? condition : "and(" + all + ", " + condition + ")"; };
    if (causal || left >= 0 || right >= 0) {
        const std::string at = n.named("at", n.has(6) ? "onnx_last_places(" + q + ", " + n.in(6) + ")"
                                                      : "onnx_query_places(" + q + ", " + (n.has(4) ? "shape_of(" + n.in(4) + ")[2]" : "0") + ")");
        if (causal) also("iota(" + keys + ") <= " + at);
        if (left >= 0) also("iota(" + keys + ") >= " + at + " - " + std::to_string(left));
        if (right >= 0) also("iota(" + keys + ") <= " + at + " + " + std::to_string(right));
    }
    if (n.has(6)) also("onnx_before_end(" + n.in(6) + ", " + keys + ")");
    return all;
}

void attention(NodeText& n) {
    if (n.has(4) != n.has(5)) return n.refuse("past_key and past_value are given together");
    if (n.has(4) && n.has(6)) return n.refuse("nonpad_kv_seqlen is not given with past_key");
    const std::string heads = std::to_string(n.integer("kv_num_heads", 0));
    const std::string q = n.named("q", "onnx_as_heads(" + n.in(0) + ", " + std::to_string(n.integer("q_num_heads", 0)) + ")");
    std::string k = n.named("k", "onnx_as_heads(" + n.in(1) + ", " + heads + ")"), v = n.named("v", "onnx_as_heads(" + n.in(2) + ", " + heads + ")");
    if (n.has(4)) k = n.named("k", "concat([" + n.in(4) + ", " + k + "], axis=2)"), v = n.named("v", "concat([" + n.in(5) + ", " + v + "], axis=2)");

    const std::string raw = n.named("scores", "onnx_attention_scores(" + q + ", " + k + ", " + scale_root(n, q) + ")");
    const double cap = n.real("softcap", 0);
    const std::string capped = cap > 0 ? n.named("capped", "onnx_softcap(" + raw + ", " + real_text(cap, true) + ")") : raw;
    const std::string keys = n.named("keys", "shape_of(" + k + ")[2]"), may = allowed(n, q, keys);
    std::string bias, biased = capped;
    if (n.has(3)) bias = n.named("bias", "onnx_mask_bias(" + n.in(3) + ", " + q + ", " + keys + ")");
    if (!may.empty()) bias = n.named("bias", "onnx_masked(" + may + ", " + (bias.empty() ? "onnx_no_bias(" + q + ", " + keys + ")" : bias) + ", " + q + ")");
    if (!bias.empty()) biased = n.named("biased", "onnx_biased(" + capped + ", " + bias + ")");

    const std::string in = precision(n);
    std::string p = in.empty() ? "onnx_attention_softmax(" + biased + ")" : "onnx_cast_like(onnx_attention_softmax(cast(" + biased + ", " + in + ")), " + q + ")";
    p = n.named("p", bias.empty() ? p : "onnx_attended(" + p + ", " + bias + ")");

    const std::string shown[] = {raw, capped, biased, p};
    const int64_t mode = n.integer("qk_matmul_output_mode", 0);
    if (mode < 0 || mode > 3) return n.refuse("attribute 'qk_matmul_output_mode' is " + std::to_string(mode) + ", expected 0 to 3");
    n.give_each({"onnx_heads_like(onnx_attention_values(" + p + ", " + v + "), " + n.in(0) + ")", k, v, shown[mode]});
}

// A graph between two steps is a function of what is between them.
std::string changed(NodeText& n, std::string_view attribute, const std::string& x) {
    if (!n.attribute(attribute)) return x;
    const std::optional<GraphId> graph = n.graph(attribute);
    if (!graph) return x;
    const std::string parameters[] = {x};
    const std::string function = n.named(attribute, "fn(" + x + ") " + n.block(*graph, parameters, [](const std::vector<std::string>& outputs) { return outputs.empty() ? "()" : outputs[0]; }));
    return n.named("changed", function + "(" + x + ")");
}
std::string flexed(NodeText& n, const std::string& scores, const std::string& dtype) {
    const std::string wide = changed(n, "score_mod", n.named("scores", "cast(" + scores + ", " + dtype + ")"));
    const std::string p = changed(n, "prob_mod", n.named("p", "onnx_softmax(" + wide + ", -1)"));
    return "onnx_cast_like(onnx_attention_values(" + p + ", " + n.in(2) + "), " + n.in(2) + ")";
}
// In f32, of an f64 in f64, unless it says otherwise. Graphs are of one type, which they name.
void flex_attention(NodeText& n) {
    const std::string scores = n.named("scores", "onnx_attention_scores(" + n.in(0) + ", " + n.in(1) + ", " + scale_root(n, n.in(0)) + ")");
    std::string in = precision(n);
    for (std::string_view name : {"score_mod", "prob_mod"})
        if (in.empty() && n.attribute(name))
            if (std::optional<GraphId> graph = n.graph(name)) in = n.takes(*graph) == ElemType::float64 ? "f64" : "f32";
    if (!in.empty()) return n.give(flexed(n, scores, in));
    auto arm = [&](const char* dtype) { return "onnx_flex_plain(cast(" + scores + ", " + dtype + "), " + n.in(2) + ")"; };
    n.give("if (onnx_is_wide(" + n.in(0) + ")) { " + arm("f64") + " } else { " + arm("f32") + " }");
}

void rotary_embedding(NodeText& n) {
    auto table = [&](size_t i) { return n.has(3) ? n.named("rows", "onnx_rows_at(" + n.in(i) + ", " + n.in(3) + ")") : n.in(i); };
    const std::string cos = table(1), sin = table(2);
    n.give("onnx_rotary(" + n.in(0) + ", " + cos + ", " + sin + ", " + std::to_string(n.integer("num_heads", 0)) + ", " +
           std::to_string(n.integer("rotary_embedding_dim", 0)) + ", " + std::to_string(n.integer("interleaved", 0)) + ")");
}

void linear_attention(NodeText& n) {
    static constexpr std::string_view rules[] = {"linear", "gated", "delta", "gated_delta"};
    const std::string_view rule = n.word("update_rule", "gated_delta");
    size_t place = 0;
    while (place < std::size(rules) && rules[place] != rule) ++place;
    if (place == std::size(rules)) return n.refuse("attribute 'update_rule' is '" + std::string(rule) + "', expected one of linear, gated, delta, gated_delta");
    const int64_t heads = n.integer("kv_num_heads", 0), query_heads = n.integer("q_num_heads", 0);
    if (heads <= 0 || query_heads <= 0 || query_heads % heads != 0) return n.refuse("q_num_heads is " + std::to_string(query_heads) + ", which is no multiple of kv_num_heads, " + std::to_string(heads));
    const std::string of_heads = std::to_string(heads), nothing = "onnx_no_gate(" + n.in(1) + ", " + of_heads + ")";
    const std::string past = n.has(3) ? n.in(3) : "onnx_linear_state(" + n.in(1) + ", " + n.in(2) + ", " + of_heads + ")";
    const std::string both = n.named("both", "onnx_linear_attention(" + n.in(0) + ", " + n.in(1) + ", " + n.in(2) + ", " + past + ", " + (n.has(4) ? n.in(4) : nothing) + ", " +
                                                 (n.has(5) ? n.in(5) : nothing) + ", " + std::to_string(query_heads) + ", " + of_heads + ", " + real_text(n.real("scale", 0), true) + ", " +
                                                 std::to_string(place) + ")");
    n.give_each({both + ".0", both + ".1"});
}

void tensor_scatter(NodeText& n) {
    const std::string_view mode = n.word("mode", "linear");
    if (mode != "linear" && mode != "circular") return n.refuse("attribute 'mode' is '" + std::string(mode) + "', expected linear or circular");
    const std::string at = n.has(2) ? n.in(2) : "full([shape_of(" + n.in(0) + ")[0]], 0)";
    n.give("onnx_tensor_scatter(" + n.in(0) + ", " + n.in(1) + ", " + at + ", " + integer_text(n.integer("axis", -2)) + ", " + (mode == "linear" ? "0)" : "1)"));
}
} // namespace

std::span<const OpRow> attention_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"Attention",         23,   "",         "",                      "", attention},
        {"FlexAttention",     1,    "",         "",                      "", flex_attention, "ai.onnx.preview"},
        {"LinearAttention",   27,   "",         "",                      "", linear_attention},
        {"RotaryEmbedding",   23,   "",         "",                      "", rotary_embedding},
        {"TensorScatter",     24,   "",         "",                      "", tensor_scatter},
        {"SwiGLU",            28,   "a, b",     "alpha=1.0",             "$a * onnx_sigmoid($alpha * $a) * $b"},
    };
    return rows;
}
} // namespace nereus::onnx
