// Steps of training.
#include "import/node_text.h"

namespace nereus::onnx {
namespace {
// Rate and count, then for each kind of tensors as many as are trained; as many results of each kind but the gradients.
void train(NodeText& n, std::string_view function, size_t kinds, const std::string& numbers) {
    const size_t given = n.input_count() < 2 ? 1 : n.input_count() - 2, count = given / kinds;
    if (count * kinds != given || count == 0) return n.refuse("it has " + std::to_string(n.input_count()) + " inputs, expected 2 and " + std::to_string(kinds) + " for each tensor");
    std::vector<std::string> results((kinds - 1) * count);
    for (size_t i = 0; i < count; ++i) {
        std::string all = n.in(0) + ", " + n.in(1);
        for (size_t kind = 0; kind < kinds; ++kind) all += ", " + n.in(2 + kind * count + i);
        const std::string made = n.named("trained", std::string(function) + "(" + all + ", " + numbers + ")");
        for (size_t kind = 0; kind + 1 < kinds; ++kind) results[kind * count + i] = made + "." + std::to_string(kind);
    }
    n.give_each(results);
}
std::string number(NodeText& n, std::string_view name, double otherwise) { return real_text(n.real(name, otherwise), true); }

void adagrad(NodeText& n) { train(n, "onnx_adagrad", 3, number(n, "norm_coefficient", 0) + ", " + number(n, "epsilon", 1e-6) + ", " + number(n, "decay_factor", 0)); }
void adam(NodeText& n) {
    train(n, "onnx_adam", 4, number(n, "norm_coefficient", 0) + ", " + number(n, "norm_coefficient_post", 0) + ", " + number(n, "alpha", 0.9) + ", " + number(n, "beta", 0.999) + ", " + number(n, "epsilon", 1e-6));
}
void momentum(NodeText& n) {
    const std::string_view mode = n.word("mode", "standard");
    if (mode != "standard" && mode != "nesterov") return n.refuse("attribute 'mode' is '" + std::string(mode) + "', expected standard or nesterov");
    train(n, "onnx_momentum", 3, number(n, "norm_coefficient", 0) + ", " + number(n, "alpha", 0) + ", " + number(n, "beta", 0) + (mode == "standard" ? ", 0" : ", 1"));
}
} // namespace

std::span<const OpRow> optimiser_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"Adagrad",           1,    "",         "",                      "", adagrad, "ai.onnx.preview.training"},
        {"Adam",              1,    "",         "",                      "", adam, "ai.onnx.preview.training"},
        {"Momentum",          1,    "",         "",                      "", momentum, "ai.onnx.preview.training"},
    };
    return rows;
}
} // namespace nereus::onnx
