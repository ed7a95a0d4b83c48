// RNN, GRU, LSTM: one loop per direction.
#include "import/node_text.h"
#include <algorithm>
#include <cctype>

namespace nereus::onnx {
namespace {
// Functions between the gates, $a and $b their numbers; those that a node does not give.
struct Activation { std::string_view name, form; int numbers = 0; float alpha = 0, beta = 0; };
constexpr Activation activations[] = {
    {"relu", "maximum(%v, 0.0)"},
    {"tanh", "tanh(%v)"},
    {"sigmoid", "onnx_sigmoid(%v)"},
    {"affine", "$a * %v + $b", 2, 1.0f, 0.0f},
    {"leakyrelu", "select(%v < 0.0, $a * %v, %v)", 1, 0.01f},
    {"thresholdedrelu", "select(%v >= $a, %v, 0.0)", 1, 1.0f},
    {"scaledtanh", "$a * tanh($b * %v)", 2, 1.0f, 1.0f},
    {"hardsigmoid", "maximum(minimum($a * %v + $b, 1.0), 0.0)", 2, 0.2f, 0.5f},
    {"elu", "select(%v < 0.0, $a * onnx_expm1(minimum(%v, 0.0)), %v)", 1, 1.0f},
    {"softsign", "%v / (1.0 + abs(%v))"},
    {"softplus", "onnx_softplus(%v)"},
};

std::string lower_case(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(), [](unsigned char c) { return char(std::tolower(c)); });
    return out;
}
std::string with_numbers(std::string form, const std::string& alpha, const std::string& beta) {
    for (auto [hole, text] : {std::pair{"$a", alpha}, {"$b", beta}})
        for (size_t at = form.find(hole); at != form.npos; at = form.find(hole)) form.replace(at, 2, text);
    return form;
}

// As functions of the language, for all directions one after the other. Numbers are taken by those that have some, in order.
// clip bounds what gates are given, and not, of an LSTM, the cell on its way out: as runtimes do it.
std::vector<std::string> functions(NodeText& n, std::span<const std::string_view> otherwise, size_t directions) {
    std::vector<std::string_view> names = n.words("activations").value_or(std::vector<std::string_view>());
    const std::vector<float> alphas = n.reals("activation_alpha").value_or(std::vector<float>()), betas = n.reals("activation_beta").value_or(std::vector<float>());
    if (names.empty()) names.assign(otherwise.begin(), otherwise.end());
    if (names.size() < otherwise.size()) return n.refuse("it has " + std::to_string(names.size()) + " activations, expected " + std::to_string(otherwise.size() * directions)), std::vector<std::string>();
    std::string bounded;                               // what clip makes of what a function is given
    if (n.attribute("clip")) bounded = "%v = maximum(minimum(%v, " + real_text(n.real("clip", 0), true) + "), " + real_text(-n.real("clip", 0), true) + "); ";
    std::vector<std::string> out;
    size_t alpha = 0, beta = 0;
    for (size_t i = 0; i < otherwise.size() * directions; ++i) {
        const std::string name = lower_case(names[i % names.size()]);
        const Activation* row = std::find_if(std::begin(activations), std::end(activations), [&](const Activation& a) { return a.name == name; });
        if (row == std::end(activations)) {
            n.refuse("activation '" + std::string(names[i % names.size()]) + "' is not offered");
            return {};
        }
        const float a = row->numbers > 0 && alpha < alphas.size() ? alphas[alpha++] : row->alpha, b = row->numbers > 1 && beta < betas.size() ? betas[beta++] : row->beta;
        const std::string form = with_numbers(std::string(row->form), real_text(double(a), true), real_text(double(b), true));
        out.push_back(n.named("activation", "fn(%v) { " + (i % otherwise.size() < 2 ? bounded : "") + form + " }"));
    }
    return out;
}

// Which states there are besides the outputs of all steps, and which functions each direction takes.
struct Kind { std::string_view function; size_t states; std::span<const std::string_view> activations; std::string_view flag; std::string_view no_state = "onnx_no_state"; };

void recurrent(NodeText& n, const Kind& kind) {
    const std::string_view way = n.word("direction", "forward");
    if (way != "forward" && way != "reverse" && way != "bidirectional" && way != "foward")
        return n.refuse("attribute 'direction' is '" + std::string(way) + "', expected one of forward, reverse, bidirectional");
    const size_t directions = way == "bidirectional" ? 2 : 1;
    const bool batch_first = n.integer("layout", 0) != 0;
    const std::vector<std::string> f = functions(n, kind.activations, directions);
    if (f.empty()) return;
    const std::string x = batch_first ? n.named("x", "transpose(" + n.in(0) + ", perm=[1, 0, 2])") : n.in(0);
    auto or_none = [&](size_t i) { return n.has(i) ? n.in(i) : std::string("0.0"); };
    std::string all = x + ", " + n.in(1) + ", " + n.in(2) + ", " + or_none(3) + ", " + (n.has(4) ? n.in(4) : "0");
    for (size_t state = 0; state < kind.states; ++state) {
        const size_t i = 5 + state;
        const std::string first = !n.has(i) ? std::string(kind.no_state) + "(" + x + ", " + n.in(2) + ")" : batch_first ? "transpose(" + n.in(i) + ", perm=[1, 0, 2])" : n.in(i);
        all += ", " + first;
    }
    if (kind.states == 2) all += ", " + or_none(7);
    for (size_t i = 8; i < n.input_count(); ++i) all += ", " + n.in(i);
    std::vector<std::string> parts(1 + kind.states);
    for (size_t direction = 0; direction < directions; ++direction) {
        std::string call = std::string(kind.function) + "(" + all + ", " + std::to_string(direction) + ", " + (way == "reverse" || direction == 1 ? "1" : "0");
        if (!kind.flag.empty()) call += n.integer(kind.flag, 0) ? ", 1" : ", 0";
        for (size_t i = 0; i < kind.activations.size(); ++i) call += ", " + f[direction * kind.activations.size() + i];
        const std::string run = n.named("run", call + ")");
        for (size_t i = 0; i < parts.size(); ++i) parts[i] += (direction ? ", " : "") + ("onnx_unsqueeze(" + run + "." + std::to_string(i) + (i ? ", 0)" : ", 1)"));
    }
    for (size_t i = 0; i < parts.size(); ++i) {
        if (directions == 2) parts[i] = "concat([" + parts[i] + (i ? "], axis=0)" : "], axis=1)");
        if (batch_first) parts[i] = "transpose(" + parts[i] + (i ? ", perm=[1, 0, 2])" : ", perm=[2, 0, 1, 3])");
    }
    n.give_each(parts);
}
constexpr std::string_view of_lstm[] = {"Sigmoid", "Tanh", "Tanh"};
void rnn(NodeText& n) { recurrent(n, {"onnx_rnn", 1, std::span(of_lstm).subspan(1, 1), ""}); }
void gru(NodeText& n) { recurrent(n, {"onnx_gru", 1, std::span(of_lstm).first(2), "linear_before_reset"}); }
void lstm(NodeText& n) { recurrent(n, {"onnx_lstm", 2, of_lstm, "input_forget"}); }
// Scales and zero points of both weights are behind what an LSTM takes.
void quantised_lstm(NodeText& n) {
    if (n.input_count() != 12) return n.refuse("it has " + std::to_string(n.input_count()) + " inputs, expected 12");
    recurrent(n, {"onnx_quantised_lstm", 2, of_lstm, "input_forget", "onnx_no_quantised_state"});
}
} // namespace

std::span<const OpRow> recurrent_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"RNN",               1,    "",         "",                      "", rnn},
        {"GRU",               1,    "",         "",                      "", gru},
        {"LSTM",              1,    "",         "",                      "", lstm},
        {"DynamicQuantizeLSTM", 1,  "",         "",                      "", quantised_lstm, "com.microsoft"},
    };
    return rows;
}
} // namespace nereus::onnx
