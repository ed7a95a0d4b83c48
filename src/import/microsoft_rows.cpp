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

// Queries, keys and values are one product, %all. Inputs that every form of it has, but each in another place.
struct Places { size_t mask, past, bias; };
void attend(NodeText& n, const std::string& all, const Places& places, const std::string& x) {
    if (n.integer("do_rotary", 0)) return n.refuse("its attribute 'do_rotary' is 1, which is not offered");
    if (n.integer("past_present_share_buffer", 0)) return n.refuse("its attribute 'past_present_share_buffer' is 1, which is not offered");
    const std::string count = std::to_string(n.integer("num_heads", 0));
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
    const size_t past = places.past;
    if (n.has(past)) {
        heads.k = n.named("k", "concat([onnx_past(" + n.in(past) + ", 0), " + heads.k + "], axis=2)");
        heads.v = n.named("v", "concat([onnx_past(" + n.in(past) + ", 1), " + heads.v + "], axis=2)");
    }
    const Attended made = attended(n, heads, {places.mask, places.bias, n.has(past) ? "shape_of(" + n.in(past) + ")[3]" : "0"});
    n.give_each({like(made.y, x), like("concat([onnx_unsqueeze(" + heads.k + ", 0), onnx_unsqueeze(" + heads.v + ", 0)], axis=0)", x)});
}

void attention(NodeText& n) {
    const std::string x = n.in(0);
    attend(n, n.named("all", "matmul(cast(" + x + ", f32), cast(" + n.in(1) + ", f32))" + (n.has(2) ? " + cast(" + n.in(2) + ", f32)" : "")), {3, 4, 5}, x);
}
// Of integers that stand for floats.
void quantised_attention(NodeText& n) {
    const std::string zeros = (n.has(6) ? n.in(6) : "0") + ", " + (n.has(7) ? n.in(7) : "0");
    const std::string product = n.named("product", "onnx_scaled_product(" + n.in(0) + ", " + n.in(1) + ", " + n.in(3) + ", " + n.in(4) + ", " + zeros + ")");
    attend(n, n.named("all", product + " + " + n.in(2)), {5, 8, 9}, product);
}

// Keys and values may be heads already; a bias is of all three.
void multi_head_attention(NodeText& n) {
    if (!n.has(1) || !n.has(2)) return n.refuse("its queries, keys and values are one tensor, which is not offered");
    if (n.has(6) != n.has(7)) return n.refuse("past_key and past_value are given together");
    const std::string x = n.in(0), count = std::to_string(n.integer("num_heads", 0));
    auto part = [&](const char* name, size_t i) {
        if (!n.has(3)) return n.named(name, "onnx_as_heads(cast(" + n.in(i) + ", f32), " + count + ")");
        return n.named(name, "onnx_biased_heads(" + n.in(i) + ", " + n.in(3) + ", " + (i == 2 ? "2 * shape_of(" + x + ")[2]" : i == 1 ? "shape_of(" + x + ")[2]" : "0") + ", " + count + ")");
    };
    Heads heads = {part("q", 0), part("k", 1), part("v", 2)};
    Heads kept = heads;                                // with what is kept for the next step
    std::string before = n.has(6) ? "shape_of(" + n.in(6) + ")[2]" : "0";
    if (n.has(6) && n.has(8)) {                        // past tensors have room for more; without them their length says nothing
        before = n.named("before", "onnx_number(" + n.in(8) + ")");
        const std::string end = n.named("end", before + " + shape_of(" + heads.k + ")[2]");
        auto cached = [&](const char* name, std::string& seen, std::string& all, size_t past) {
            all = n.named(name, "slice_update(cast(" + n.in(past) + ", f32), " + seen + ", [" + before + "], axes=[2])");
            const std::string own = "slice(" + all + ", [0], [" + end + "], axes=[2])";
            const bool has_beams = n.has(9);
            seen = n.named("seen", !has_beams ? own : "if (shape_of(" + heads.q + ")[2] == 1) { onnx_beam_rows(" + all + ", " + n.in(9) + ", " + before + ", " + end + ") } else { " + own + " }");
        };
        cached("k", heads.k, kept.k, 6), cached("v", heads.v, kept.v, 7);
    } else if (n.has(6)) {
        heads.k = n.named("k", "concat([cast(" + n.in(6) + ", f32), " + heads.k + "], axis=2)");
        heads.v = n.named("v", "concat([cast(" + n.in(7) + ", f32), " + heads.v + "], axis=2)");
        kept = heads;
    }
    const Attended made = attended(n, heads, {4, 5, before});
    n.give_each({like(made.y, x), like(kept.k, x), like(kept.v, x), like(made.scores, x)});
}

// Rows of tables: of words, of places and perhaps of segments.
void embed_layer_normalization(NodeText& n) {
    const std::string ids = n.in(0), places = n.has(8) ? "onnx_rows_at(" + n.in(3) + ", " + n.in(8) + ")" : "slice(" + n.in(3) + ", [0], [shape_of(" + ids + ")[1]], axes=[0])";
    const std::string segments = n.has(4) ? "onnx_rows_at(" + n.in(4) + ", " + n.in(1) + ")" : "0.0";
    const std::string normal = n.named("normal", "onnx_skip_normalization(onnx_rows_at(" + n.in(2) + ", " + ids + "), " + places + ", " + segments + ", " + n.in(5) + ", " +
                                                     n.in(6) + ", " + real_text(n.real("epsilon", 1e-12f), true) + ")");
    const std::string count = n.has(7) ? "cast(sum(cast(" + n.in(7) + " == 1, i64), axes=[1]), i32)" : "full([shape_of(" + ids + ")[0]], cast(0, i32))";
    n.give_each({normal + ".0", count, normal + ".3"});
}

// Places of the first token of all batches, or of each.
std::string turned(NodeText& n, const std::string& x, size_t cos, const std::string& places, const std::string& heads, std::string_view interleaved) {
    auto rows = [&](size_t i) { return n.named("rows", "onnx_rows_at(" + n.in(i) + ", " + places + ")"); };
    const std::string first = rows(cos), second = rows(cos + 1);
    return n.named("turned", "onnx_rotary(" + x + ", " + first + ", " + second + ", " + heads + ", 2 * shape_of(" + n.in(cos) + ")[1], " + std::to_string(n.integer(interleaved, 0)) + ")");
}
void rotary_embedding(NodeText& n) {
    const int64_t heads = n.integer("num_heads", 0);
    const std::string x = n.in(0), places = n.named("places", "onnx_token_places(" + x + ", " + n.in(1) + ")");
    n.give(turned(n, x, 2, places, heads ? std::to_string(heads) : "shape_of(" + x + ")[2] / (2 * shape_of(" + n.in(2) + ")[1])", "interleaved"));
}

// A cache may hold integers: of each channel or of all, what they are multiplied by.
struct CacheScale { bool given; std::string text; };
CacheScale cache_scale(NodeText& n, std::string_view how, size_t input) {
    const std::string_view word = n.word(how, "NONE");
    if (word == "NONE") return {false, ""};
    if (word != "PER_TENSOR" && word != "PER_CHANNEL") n.refuse("attribute '" + std::string(how) + "' is '" + std::string(word) + "', expected one of NONE, PER_TENSOR, PER_CHANNEL");
    const std::string scale = n.in(input), groups = std::to_string(n.integer("kv_num_heads", 0));
    return {true, n.named("scale", word == "PER_TENSOR" ? "reshape(cast(" + scale + ", f32), [])" : "reshape(cast(" + scale + ", f32), [1, " + groups + ", 1, shape_of(reshape(" + scale + ", [-1]))[0] // " + groups + "])")};
}

// A head of keys serves several heads of queries. New keys and values of each batch are written behind those that it has, into a cache
// that may be longer than it takes.
void group_query_attention(NodeText& n) {
    for (auto [place, name] : {std::pair<size_t, const char*>{14, "q_norm_weight"}, {15, "k_norm_weight"}})
        if (n.has(place)) return n.refuse("its input '" + std::string(name) + "' is given, which is not offered");
    if (n.integer("sliding_window_cache", 0) > 0) return n.refuse("its attribute 'sliding_window_cache' is " + std::to_string(n.integer("sliding_window_cache", 0)) + ", which is not offered");
    const CacheScale scales[] = {cache_scale(n, "k_quant_type", 12), cache_scale(n, "v_quant_type", 13)};
    const int64_t bits = n.integer("kv_cache_bit_width", 0);
    if (scales[0].given != scales[1].given) return n.refuse("of keys and values, one has a scale");
    if (bits != (scales[0].given ? 8 : 0)) return n.refuse("its attribute 'kv_cache_bit_width' is " + std::to_string(bits) + ", offered is 8 with scales and 0 without");
    if (n.wants(3)) return n.refuse("its output 'output_qk' is wanted, which is not offered");
    if (n.has(1) != n.has(2) || n.has(3) != n.has(4)) return n.refuse("keys and values are given together");
    const int64_t heads = n.integer("num_heads", 0), groups = n.integer("kv_num_heads", 0), window = n.integer("local_window_size", -1);
    if (heads <= 0 || groups <= 0 || heads % groups != 0) return n.refuse("num_heads is " + std::to_string(heads) + ", which is no multiple of kv_num_heads, " + std::to_string(groups));
    const std::string x = n.in(0), of_queries = std::to_string(heads), of_keys = std::to_string(groups);
    std::string parts[3] = {x, n.has(1) ? n.in(1) : "", n.has(2) ? n.in(2) : ""};
    if (!n.has(1)) {
        const std::string size = n.named("size", "shape_of(" + x + ")[2] / " + std::to_string(heads + 2 * groups));
        const std::string all = n.named("all", "split(" + x + ", [" + size + " * " + of_queries + ", " + size + " * " + of_keys + ", " + size + " * " + of_keys + "], axis=2)");
        for (size_t i = 0; i < 3; ++i) parts[i] = all + "." + std::to_string(i);
    }
    std::string q = n.named("q", "onnx_as_heads(" + parts[0] + ", " + of_queries + ")"), k = n.named("k", "onnx_as_heads(" + parts[1] + ", " + of_keys + ")");
    const std::string v = n.named("v", "onnx_as_heads(" + parts[2] + ", " + of_keys + ")");
    const std::string before = n.named("before", "onnx_lengths_before(" + n.in(5) + ", " + n.in(6) + ", shape_of(" + q + ")[2])");
    if (n.integer("do_rotary", 0)) {
        const std::string places = n.named("places", n.has(9) ? "cast(" + n.in(9) + ", i64)" : "onnx_places_behind(" + before + ", " + q + ")");
        q = turned(n, q, 7, places, of_queries, "rotary_interleaved"), k = turned(n, k, 7, places, of_keys, "rotary_interleaved");
    }
    auto present = [&](size_t past, std::string fresh) {
        if (scales[past - 3].given) fresh = n.named("stored", "onnx_stored_rows(" + fresh + ", " + scales[past - 3].text + ")");
        const std::string total = "onnx_number(" + n.in(6) + ")";
        return n.named("present", n.has(past) ? "onnx_cached(" + n.in(past) + ", " + fresh + ", " + before + ", max(shape_of(" + n.in(past) + ")[2], " + total + "))" : fresh);
    };
    const std::string kept_keys = present(3, k), kept_values = present(4, v);
    auto as_reals = [&](const std::string& rows, const CacheScale& scale) { return scale.given ? n.named("reals", "cast(" + rows + ", f32) * " + scale.text) : rows; };
    const std::string keys = as_reals(kept_keys, scales[0]), values = as_reals(kept_values, scales[1]), count = n.named("count", "shape_of(" + keys + ")[2]");
    const std::string root = n.real("scale", 0) != 0 ? "sqrt(" + real_text(n.real("scale", 0), true) + ")" : "onnx_scale_root(" + q + ")";
    std::string scores = n.named("scores", "onnx_attention_scores(cast(" + q + ", f32), cast(" + keys + ", f32), " + root + ")");
    if (n.real("softcap", 0) > 0) scores = n.named("scores", "onnx_softcap(" + scores + ", " + real_text(n.real("softcap", 0), true) + ")");
    if (n.has(10)) scores = n.named("scores", scores + " + onnx_mask_bias(" + n.in(10) + ", " + scores + ", " + count + ")");
    const bool causal = n.integer("causal", 1) != 0;
    const std::string may = "onnx_group_allowed(" + before + ", " + q + ", " + count + ", " + std::to_string(window) + (causal ? ", 1)" : ", 0)");
    scores = n.named("scores", "onnx_masked(" + may + ", " + scores + ", " + scores + ")");
    std::string p = "onnx_attention_softmax(" + scores + ")";
    if (n.has(11)) p = "onnx_sink_softmax(" + scores + ", " + n.in(11) + ")";
    else if (n.integer("smooth_softmax", 0) > 0) p = "onnx_sink_softmax(" + scores + ", 0.0)";
    const std::string y = "onnx_joined_heads(onnx_attention_values(" + p + ", cast(" + values + ", f32)))";
    n.give_each({like(y, x), kept_keys, kept_values});
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
        {"QAttention",        1,    "",         "",                      "", quantised_attention, microsoft},
        {"GroupQueryAttention", 1,  "",         "",                      "", group_query_attention, microsoft},
        {"RotaryEmbedding",   1,    "",         "",                      "", rotary_embedding, microsoft},
        {"EmbedLayerNormalization", 1, "",      "",                      "", embed_layer_normalization, microsoft},
        {"MatMulNBits",       1,    "",         "",                      "", matmul_bits, microsoft},
        {"FusedMatMul",       1,    "",         "",                      "", fused_matmul, microsoft},
        {"TransposeMatMul",   1,    "",         "",                      "", fused_matmul, microsoft},
    };
    return rows;
}
} // namespace nereus::onnx
