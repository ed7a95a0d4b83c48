// Windows that slide along the axes behind batch and channel: convolutions and pools.
#include "import/activation.h"
#include <algorithm>

namespace nereus::onnx {
namespace {
using Integers = std::vector<int64_t>;
constexpr std::string_view zero = "onnx_number_like(0, $x)", lowest = "onnx_lowest($x)";

std::string list_text(const Integers& values) {
    std::string out = "[";
    for (size_t i = 0; i < values.size(); ++i) out += (i ? ", " : "") + std::to_string(values[i]);
    return out + "]";
}
bool all_are(const Integers& values, int64_t value) {
    return std::all_of(values.begin(), values.end(), [value](int64_t v) { return v == value; });
}

// How windows go. What the node does not tell is 1 per axis, as many as the input has.
class Sliding {
 public:
    explicit Sliding(NodeText& n) : n_(n), strides_(n.integers("strides")), dilations_(n.integers("dilations")) {
        const std::string_view given = n.word("auto_pad", "NOTSET");
        same_ = given == "SAME_UPPER" || given == "SAME_LOWER";
        lower_ = given == "SAME_LOWER";
        if (!same_ && given != "NOTSET" && given != "VALID" && !given.empty())
            n.refuse("attribute 'auto_pad' is '" + std::string(given) + "', expected one of NOTSET, SAME_UPPER, SAME_LOWER, VALID");
        if (same_ || given == "VALID") return;
        const Integers pads = n.integers("pads").value_or(Integers());
        if (pads.size() % 2 != 0) n.refuse("it has " + std::to_string(pads.size()) + " pads, which is not two per axis");
        before_.assign(pads.begin(), pads.begin() + ptrdiff_t(pads.size() / 2));
        after_.assign(pads.begin() + ptrdiff_t(pads.size() / 2), pads.end());
    }

    bool same() const { return same_; }
    bool lower() const { return lower_; }
    bool pads() const { return same_ || !all_are(before_, 0) || !all_are(after_, 0); }
    int64_t before(size_t i) const { return i < before_.size() ? before_[i] : 0; }
    int64_t after(size_t i) const { return i < after_.size() ? after_[i] : 0; }
    int64_t stride(size_t i) const { return strides_ ? at(*strides_, i) : 1; }
    int64_t dilation(size_t i) const { return dilations_ ? at(*dilations_, i) : 1; }
    // As attributes of an operator, and as vectors.
    std::string steps() const {
        return (strides_ ? ", strides=" + list_text(*strides_) : "") + (dilations_ ? ", dilations=" + list_text(*dilations_) : "");
    }
    std::string strides(const std::string& x) const { return strides_ ? vector_text(*strides_) : "onnx_one_per_axis(" + x + ")"; }
    std::string dilations(const std::string& x) const { return dilations_ ? vector_text(*dilations_) : "onnx_one_per_axis(" + x + ")"; }
    std::string span(const std::string& x, const std::string& window) const { return "onnx_span(" + window + ", " + dilations(x) + ")"; }
    std::string before_text(const std::string& x) const { return before_.empty() ? "onnx_one_per_axis(" + x + ") * 0" : vector_text(before_); }
    std::string after_text(const std::string& x) const { return after_.empty() ? "onnx_one_per_axis(" + x + ") * 0" : vector_text(after_); }

    // x with a value around it; windows of `window`, a vector. Whatever is not padded stays as it is.
    std::string padded(const std::string& x, const std::string& window, std::string value, bool ceil = false) {
        for (size_t at = value.find("$x"); at != value.npos; at = value.find("$x")) value.replace(at, 2, x);
        if (same_) return n_.named("padded", "onnx_pad_same(" + x + ", " + span(x, window) + ", " + strides(x) + ", " + (lower_ ? "1" : "0") + ", " + value + ")");
        if (ceil)
            return n_.named("padded", "onnx_pad_ceil(" + x + ", " + before_text(x) + ", " + after_text(x) + ", " + span(x, window) + ", " + strides(x) + ", " + value + ")");
        if (!pads()) return x;
        const bool cuts = std::any_of(before_.begin(), before_.end(), [](int64_t p) { return p < 0; }) ||
                          std::any_of(after_.begin(), after_.end(), [](int64_t p) { return p < 0; });
        return n_.named("padded", std::string(cuts ? "onnx_pad(" : "onnx_extend(") + x + ", " + with_batch(before_) + ", " + with_batch(after_) + ", " + value + ")");
    }

 private:
    static int64_t at(const Integers& values, size_t i) { return i < values.size() ? values[i] : 1; }
    static std::string with_batch(Integers pads) {
        pads.insert(pads.begin(), 2, 0);
        return vector_text(pads);
    }
    NodeText& n_;
    std::optional<Integers> strides_, dilations_;
    Integers before_, after_;
    bool same_ = false, lower_ = false;
};

std::string biased(NodeText& n, const std::string& y, size_t bias = 2) { return n.has(bias) ? "onnx_add_bias(" + y + ", " + n.in(bias) + ")" : y; }

std::string conv_of(NodeText& n, const std::string& x, const std::string& w) {
    Sliding sliding(n);
    const std::string padded = sliding.padded(x, "onnx_sizes_behind(" + w + ")", std::string(zero));
    const int64_t groups = n.integer("group", 1);
    return "conv(" + padded + ", " + w + sliding.steps() + (groups == 1 ? "" : ", groups=" + std::to_string(groups)) + ")";
}
void conv(NodeText& n) { n.give(biased(n, conv_of(n, n.in(0), n.in(1)))); }
void fused_conv(NodeText& n) {
    const std::string y = biased(n, conv_of(n, n.in(0), n.in(1)));
    n.give(activated(n, n.named("y", n.has(3) ? y + " + " + n.in(3) : y), n.reals("activation_params").value_or(std::vector<float>())));
}
// Runtimes may have channels behind the places.
std::string channels_first(NodeText& n, const std::string& x) { return n.integer("channels_last", 0) ? n.named("x", "onnx_channels_first(" + x + ")") : x; }
std::string as_it_came(NodeText& n, const std::string& y) { return n.integer("channels_last", 0) ? "onnx_channels_last(" + y + ")" : y; }

// Of integers that stand for floats: what they are above those that stand for 0, which is also what is outside.
std::string above_zero(NodeText& n, std::string_view stem, size_t i, size_t zero_point) {
    return n.named(stem, n.has(zero_point) ? "onnx_above_zero(" + n.in(i) + ", " + n.in(zero_point) + ")" : "cast(" + n.in(i) + ", i32)");
}
void conv_integer(NodeText& n) {
    const std::string x = above_zero(n, "x", 0, 2);
    n.give(conv_of(n, x, above_zero(n, "w", 1, 3)));
}
void qlinear_conv(NodeText& n) {
    const std::string x = channels_first(n, above_zero(n, "x", 0, 2)), sums = n.named("sums", conv_of(n, x, above_zero(n, "w", 3, 5)));
    const std::string all = n.has(8) ? n.named("sums", "onnx_add_bias(" + sums + ", " + n.in(8) + ")") : sums;
    n.give(as_it_came(n, "onnx_requantised(" + all + ", " + n.in(1) + ", " + n.in(4) + ", " + n.in(6) + ", " + n.in(7) + ")"));
}

// The adjoint of a convolution that has made x of something larger; then pads are cut off, or more is put on. Pads may be an input.
void conv_transpose(NodeText& n) {
    Sliding sliding(n);
    const bool pads_are_input = n.node().op_type == "ConvTransposeWithDynamicPads";
    const size_t bias = pads_are_input ? 3 : 2;
    const std::string x = n.in(0), w = n.in(1), window = "onnx_sizes_behind(" + w + ")";
    const std::string strides = sliding.strides(x), span = n.named("span", sliding.span(x, window));
    const std::string sizes = n.named("sizes", "onnx_uncovered(" + x + ", " + span + ", " + strides + ")");
    const int64_t groups = n.integer("group", 1);
    std::string y = n.named("whole", "conv_input(" + x + ", " + w + ", " + sizes + sliding.steps() + (groups == 1 ? "" : ", groups=" + std::to_string(groups)) + ")");
    const std::optional<Integers> wanted = n.integers("output_shape"), more = n.integers("output_padding");
    const bool extends = more && !all_are(*more, 0);
    if (pads_are_input && n.has(2)) {
        const std::string pads = n.named("pads", "cast(" + n.in(2) + ", i64)"), axes = n.named("axes", "onnx_rank(" + x + ") - 2");
        y = "onnx_cut(" + y + ", slice(" + pads + ", [0], [" + axes + "]), slice(" + pads + ", [" + axes + "], [2 * " + axes + "])" + (extends ? " - " + vector_text(*more) : "") + ")";
        return n.give(biased(n, n.named("cut", y), bias));
    }
    const std::string whole = sizes + (extends ? " + " + vector_text(*more) : "");
    if ((wanted && !wanted->empty()) || sliding.same()) {
        std::string shape = "onnx_sizes_behind(" + x + ") * " + strides;
        if (wanted && !wanted->empty()) {
            const size_t axes = n.integers("kernel_shape") ? n.integers("kernel_shape")->size() : n.integers("strides") ? n.integers("strides")->size() : wanted->size();
            shape = vector_text(std::span(*wanted).last(std::min(axes, wanted->size())));       // without batch and channels
        }
        const std::string total = n.named("total", whole + " - " + shape);
        const bool upper = sliding.same() && !sliding.lower();
        const std::string before = n.named("before", upper ? total + " // 2" : total + " - " + total + " // 2");
        y = "onnx_cut(" + y + ", " + before + ", " + sizes + " - " + shape + " - " + before + ")";
    } else if (sliding.pads() || extends) {
        y = "onnx_cut(" + y + ", " + sliding.before_text(x) + ", " + sliding.after_text(x) + (extends ? " - " + vector_text(*more) : "") + ")";
    }
    n.give(biased(n, n.has(bias) ? n.named("cut", y) : y, bias));
}

// What pools share: the window, how it slides, and the padded input.
struct Pool {
    NodeText& n;
    Sliding sliding;
    Integers window, spans;                            // without and with what is skipped; empty: refused
    int64_t taps = 1;
    bool ceil;
    explicit Pool(NodeText& n)
        : n(n), sliding(n), window(n.integers("kernel_shape").value_or(Integers())), ceil(n.integer("ceil_mode", 0) != 0 && !sliding.same()) {
        if (window.empty()) n.refuse("it has no attribute 'kernel_shape'");
        for (size_t i = 0; i < window.size(); ++i) {
            int64_t& span = spans.emplace_back();
            const bool fits = window[i] > 0 && !__builtin_mul_overflow(taps, window[i], &taps) && !__builtin_mul_overflow(window[i] - 1, sliding.dilation(i), &span) &&
                              !__builtin_add_overflow(span, 1, &span);
            if (fits) continue;
            n.refuse("its windows are " + std::to_string(window[i]) + " wide, with dilations of " + std::to_string(sliding.dilation(i)));
            window.clear(), spans.clear();
        }
    }
    bool extends() const { return sliding.pads() || ceil; }
    std::string padded(const std::string& x, std::string_view outside) { return sliding.padded(x, vector_text(window), std::string(outside), ceil); }
    std::string windows(const std::string& padded) const { return "windows(" + padded + ", " + list_text(window) + sliding.steps() + ")"; }
    std::string sums(const std::string& padded) const { return "sum(" + windows(padded) + ", axes=[-1])"; }
    std::string size(const std::string& x, size_t i) const { return "shape_of(" + x + ")[" + std::to_string(i + 2) + "]"; }
    // Where the input begins in what is padded.
    std::string before(const std::string& x, size_t i) const {
        if (!sliding.same()) return std::to_string(sliding.before(i));
        return "onnx_same_before(" + size(x, i) + ", " + std::to_string(spans[i]) + ", " + std::to_string(sliding.stride(i)) + ", " + (sliding.lower() ? "1" : "0") + ")";
    }
};
std::string along(const std::string& vector, size_t i, const std::string& like) {
    return "onnx_along(" + vector + ", " + std::to_string(i + 2) + ", onnx_rank(" + like + "))";
}

// What is made of `of`, which has the dtype of x. Sums of an f16 or bf16 may be beyond it: they are made in f32.
template <class Made> std::string in_f32_if_short(const std::string& x, const std::string& of, const Made& made) {
    return "if (onnx_is_short(" + x + ")) { onnx_cast_like(" + made("cast(" + of + ", f32)") + ", " + x + ") } else { " + made(of) + " }";
}

// A mean is of the taps inside the input, or with count_include_pad of all but those that ceil_mode has put behind it.
std::string mean_of(NodeText& n, const std::string& x) {
    Pool pool(n);
    const bool with_pads = n.integer("count_include_pad", 0) != 0;
    const std::string padded = pool.padded(x, zero);
    std::string count;
    if (!pool.extends() || (with_pads && !pool.ceil)) {
        count = std::to_string(pool.taps);
    } else {
        const std::string windows = n.named("windows", pool.windows(padded));
        for (size_t i = 0; i < pool.window.size(); ++i) {
            const std::string from = with_pads ? "0" : pool.before(x, i);
            const std::string end = pool.before(x, i) + " + " + pool.size(x, i) + (with_pads ? " + " + std::to_string(pool.sliding.after(i)) : "");
            const std::string taps = "onnx_taps_inside(" + pool.size(windows, i) + ", " + std::to_string(pool.window[i]) + ", " + std::to_string(pool.sliding.stride(i)) + ", " +
                                     std::to_string(pool.sliding.dilation(i)) + ", " + from + ", " + end + ")";
            count += (i ? " * " : "") + along(taps, i, x);
        }
        count = n.named("count", count);
    }
    return in_f32_if_short(x, padded, [&](const std::string& of) { return "onnx_pool_mean(" + pool.sums(of) + ", " + count + ")"; });
}
void average_pool(NodeText& n) { n.give(mean_of(n, n.in(0))); }
void qlinear_average_pool(NodeText& n) {
    const std::string above = n.named("above", "onnx_dequantised(" + n.in(0) + ", 1.0, " + (n.has(2) ? n.in(2) : "0") + ", 1, 0)");
    const std::string y = n.named("y", mean_of(n, channels_first(n, above)));
    n.give("onnx_quantised(" + as_it_came(n, y) + ", " + n.in(3) + " / " + n.in(1) + ", " + (n.has(4) ? n.in(4) : "onnx_cast_like(0, " + n.in(0) + ")") + ", 1, 0, 1)");
}

void channels_last_max_pool(NodeText& n) {
    Pool pool(n);
    const std::string x = n.named("x", "onnx_channels_first(" + n.in(0) + ")");
    n.give("onnx_channels_last(max(" + pool.windows(pool.padded(x, lowest)) + ", axes=[-1]))");
}

// Places are those in the flat input; within a channel row by row, or with storage_order 1 column by column.
void max_pool(NodeText& n) {
    Pool pool(n);
    const std::string x = n.in(0), windows = n.named("windows", pool.windows(pool.padded(x, lowest)));
    const std::string largest = "max(" + windows + ", axes=[-1])";
    if (!n.wants(1)) return n.give(largest);
    const std::string tap = n.named("tap", "argmax(" + windows + ", axis=-1)");
    const bool columns = n.integer("storage_order", 0) != 0;
    std::string place = "onnx_channel_starts(" + x + ")", step = "1";
    int64_t behind = pool.taps;
    std::vector<std::string> along_axis(pool.window.size());
    for (size_t i = 0; i < pool.window.size(); ++i) {
        behind /= pool.window[i];
        const std::string own = "mod(" + tap + " // " + std::to_string(behind) + ", " + std::to_string(pool.window[i]) + ") * " + std::to_string(pool.sliding.dilation(i));
        const std::string start = "iota(" + pool.size(tap, i) + ") * " + std::to_string(pool.sliding.stride(i)) + " - " + pool.before(x, i);
        along_axis[i] = "(" + own + " + " + along(start, i, x) + ")";
    }
    for (size_t i = 0; i < along_axis.size(); ++i) {
        const size_t axis = columns ? i : along_axis.size() - 1 - i;
        place += " + " + along_axis[axis] + " * " + step;
        step = step == "1" ? pool.size(x, axis) : step + " * " + pool.size(x, axis);
    }
    n.give_each({largest, place});
}

// Version 1 had a float for p.
std::string power_of(NodeText& n) {
    const Attribute* p = n.attribute("p");
    return p && n.version() < 2 ? real_text(n.real("p", 2), true) : real_text(double(n.integer("p", 2)), true);
}
void lp_pool(NodeText& n) {
    Pool pool(n);
    const std::string p = power_of(n), x = n.in(0), padded = pool.padded(x, zero);
    n.give(in_f32_if_short(x, padded, [&](const std::string& of) { return "onnx_root(" + pool.sums("onnx_power(" + of + ", " + p + ")") + ", " + p + ")"; }));
}
void global_lp_pool(NodeText& n) {
    const std::string p = power_of(n), x = n.in(0);
    n.give(in_f32_if_short(x, x, [&](const std::string& of) {
        return "onnx_root(sum(onnx_power(" + of + ", " + p + "), axes=onnx_axes_behind(" + x + "), keepdims=true), " + p + ")";
    }));
}

void max_unpool(NodeText& n) {
    const std::string x = n.in(0);
    const Integers window = n.integers("kernel_shape").value_or(Integers());
    const Integers strides = n.integers("strides").value_or(Integers(window.size(), 1)), pads = n.integers("pads").value_or(Integers(2 * window.size(), 0));
    if (window.empty() || strides.size() != window.size() || pads.size() != 2 * window.size())
        return n.refuse("its attributes kernel_shape, strides and pads are not of as many axes");
    Integers both;
    for (size_t i = 0; i < window.size(); ++i)
        if (__builtin_add_overflow(pads[i], pads[i + window.size()], &both.emplace_back())) return n.refuse("its pads are more than 64 bits can count");
    const std::string sizes = "onnx_unpooled(" + x + ", " + vector_text(window) + ", " + vector_text(strides) + ", " + vector_text(both) + ")";
    const std::string y = "onnx_max_unpool(" + x + ", " + n.in(1) + ", " + sizes + ")";
    n.give(n.has(2) ? "onnx_at_origin(" + y + ", reshape(" + n.in(2) + ", [" + std::to_string(window.size() + 2) + "]))" : y);
}

// How many axes there are, from whatever tells it; without a word they are counted when it runs.
void col2im(NodeText& n) {
    Sliding sliding(n);
    const std::optional<Integers> image = n.constant_integers(1), block = n.constant_integers(2), strides = n.integers("strides"), dilations = n.integers("dilations"), pads = n.integers("pads");
    const size_t axes = image ? image->size() : block   ? block->size() : strides   ? strides->size() : dilations ? dilations->size() : pads      ? pads->size() / 2 : 0;
    if (axes == 0) return n.give("onnx_col2im(" + n.in(0) + ", " + n.in(1) + ", " + n.in(2) + ")");
    auto sizes_of = [&](size_t i, const std::optional<Integers>& known) {
        return known ? vector_text(*known) : n.named("sizes", "reshape(" + n.in(i) + ", [" + std::to_string(axes) + "])");
    };
    const std::string x = n.in(0), taps = sizes_of(2, block), ones = vector_text(Integers(axes, 1));
    std::string whole = sizes_of(1, image);
    if (sliding.pads()) whole = n.named("whole", whole + " + " + sliding.before_text(x) + " + " + sliding.after_text(x));
    const std::string span = "onnx_span(" + taps + ", " + (dilations ? vector_text(*dilations) : ones) + ")";
    const std::string counts = "(" + whole + " - " + span + ") // " + (strides ? vector_text(*strides) : ones) + " + 1";
    const std::string y = "fold_windows(onnx_blocks(" + x + ", " + counts + ", " + taps + "), " + whole + ", " + taps + sliding.steps() + ")";
    n.give(sliding.pads() ? "onnx_cut(" + y + ", " + sliding.before_text(x) + ", " + sliding.after_text(x) + ")" : y);
}

void causal_conv(NodeText& n) {
    const std::string_view activation = n.word("activation", "none");
    const bool silu = activation == "silu" || activation == "swish";
    if (!silu && activation != "none") return n.refuse("attribute 'activation' is '" + std::string(activation) + "', expected one of silu, swish, none");
    const std::string x = n.in(0), w = n.in(1);
    const std::string past = n.has(3) ? n.in(3) : n.named("past", "onnx_no_past(" + x + ", " + w + ")");
    std::string y = biased(n, "onnx_causal_conv(" + x + ", " + w + ", " + past + ")");
    if (silu) y = "onnx_silu(" + y + ")";
    n.give_each({y, "onnx_causal_state(" + x + ", " + past + ")"});
}
} // namespace

std::span<const OpRow> spatial_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"Conv",              1,    "",         "",                      "", conv},
        {"ConvInteger",       10,   "",         "",                      "", conv_integer},
        {"QLinearConv",       10,   "",         "",                      "", qlinear_conv},
        {"ConvTranspose",     1,    "",         "",                      "", conv_transpose},
        {"CausalConvWithState", 27, "",         "",                      "", causal_conv},
        {"AveragePool",       1,    "",         "",                      "", average_pool},
        {"MaxPool",           1,    "",         "",                      "", max_pool},
        {"LpPool",            1,    "",         "",                      "", lp_pool},
        {"GlobalAveragePool", 1,    "x",        "",                      "onnx_global_mean($x)"},
        {"GlobalMaxPool",     1,    "x",        "",                      "max($x, axes=onnx_axes_behind($x), keepdims=true)"},
        {"GlobalLpPool",      1,    "",         "",                      "", global_lp_pool},
        {"FusedConv",         1,    "",         "",                      "", fused_conv, "com.microsoft"},
        {"QLinearConv",       1,    "",         "",                      "", qlinear_conv, "com.microsoft"},
        {"ConvTransposeWithDynamicPads", 1, "", "",                      "", conv_transpose, "com.microsoft"},
        {"QLinearAveragePool", 1,   "",         "",                      "", qlinear_average_pool, "com.microsoft"},
        {"NhwcMaxPool",       1,    "",         "",                      "", channels_last_max_pool, "com.microsoft"},
        {"MaxUnpool",         9,    "",         "",                      "", max_unpool},
        {"Col2Im",            18,   "",         "",                      "", col2im},
    };
    return rows;
}
} // namespace nereus::onnx
