// Support vector machines of ai.onnx.ml: kernels of each row with each vector, then products with tables of coefficients.
#include "import/scores.h"
#include <algorithm>

namespace nereus::onnx {
namespace {
// LINEAR, POLY, RBF, SIGMOID of the rows with the vectors, (rows, vectors); without vectors the rows themselves.
std::string kernels(NodeText& n, const std::vector<float>& vectors, int64_t count) {
    static constexpr std::string_view words[] = {"LINEAR", "POLY", "RBF", "SIGMOID"};
    const std::string_view word = n.word("kernel_type", "LINEAR");
    const size_t kind = size_t(std::ranges::find(words, word) - words);
    std::vector<float> numbers = n.reals("kernel_params").value_or(std::vector<float>());
    if (kind == std::size(words)) n.refuse("attribute 'kernel_type' is '" + std::string(word) + "', expected LINEAR, POLY, RBF or SIGMOID");
    if (count > 0 && (vectors.empty() || std::ssize(vectors) % count)) n.refuse("its " + std::to_string(count) + " support vectors have " + std::to_string(vectors.size()) + " elements");
    if (kind > 0 && numbers.size() != 3) n.refuse("attribute 'kernel_params' has " + std::to_string(numbers.size()) + " numbers, expected gamma, coef0 and degree");
    const std::string rows = n.named("rows", "onnx_feature_rows(" + n.in(0) + ")");
    if (count <= 0 || std::ssize(vectors) % count) return rows;
    numbers.resize(3);
    std::string all;
    for (float number : numbers) all += ", " + real_text(double(number), true);
    return n.named("kernels", "onnx_kernels(" + rows + ", " + n.table("vectors", {count, std::ssize(vectors) / count}, vectors) + ", " + std::to_string(kind) + all + ")");
}
struct Lists {
    std::vector<float> vectors, coefficients, rho;
    explicit Lists(NodeText& n) : vectors(of(n, "support_vectors")), coefficients(of(n, "coefficients")), rho(of(n, "rho")) {}
    static std::vector<float> of(NodeText& n, std::string_view name) { return n.reals(name).value_or(std::vector<float>()); }
};

void regressor(NodeText& n) {
    const Lists lists(n);
    const int64_t count = n.integer("n_supports", 0);
    if (lists.rho.empty() || (count > 0 && std::ssize(lists.coefficients) != count)) return n.refuse("its coefficients and rho do not fit its vectors");
    const std::string from = kernels(n, lists.vectors, count), weights = n.table("coefficients", {std::ssize(lists.coefficients), 1}, lists.coefficients);
    const std::string score = n.named("score", "matmul(" + from + ", " + weights + ") + " + real_text(double(lists.rho[0]), true));
    n.give(n.integer("one_class", 0) ? "select(" + score + " > 0.0, 1.0, cast(-1.0, f32))" : "onnx_scores_as(" + score + ", " + post_transform(n) + ")");
}

// A pair of classes has a column of coefficients: those that the vectors of either have against the other.
struct Pairs { std::vector<float> weights, first, second; };                     // (vectors, pairs), (pairs, classes) twice
Pairs pairs_of(const std::vector<int64_t>& sizes, const std::vector<float>& coefficients) {
    std::vector<size_t> class_of;
    for (size_t i = 0; i < sizes.size(); ++i) class_of.insert(class_of.end(), size_t(sizes[i]), i);
    const size_t classes = sizes.size(), vectors = class_of.size(), count = classes * (classes - 1) / 2;
    Pairs out{std::vector<float>(vectors * count), std::vector<float>(count * classes), std::vector<float>(count * classes)};
    size_t pair = 0;
    for (size_t i = 0; i < classes; ++i)
        for (size_t j = i + 1; j < classes; ++j, ++pair) {
            out.first[pair * classes + i] = out.second[pair * classes + j] = 1;
            for (size_t v = 0; v < vectors; ++v)
                if (class_of[v] == i || class_of[v] == j) out.weights[v * count + pair] = coefficients[(class_of[v] == i ? j - 1 : i) * vectors + v];
        }
    return out;
}

void classifier(NodeText& n) {
    const std::vector<int64_t> numbers = n.integers("classlabels_ints").value_or(std::vector<int64_t>());
    const std::vector<std::string_view> texts = n.words("classlabels_strings").value_or(std::vector<std::string_view>());
    if (numbers.empty() && texts.empty()) return n.refuse("it has no labels");
    const Lists lists(n);
    const std::vector<int64_t> sizes = n.integers("vectors_per_class").value_or(std::vector<int64_t>());
    const std::vector<float> a = Lists::of(n, "prob_a"), b = Lists::of(n, "prob_b");
    const int64_t classes = texts.empty() ? std::ssize(numbers) : std::ssize(texts), pairs = classes * (classes - 1) / 2;
    const std::string names = texts.empty() ? vector_text(numbers) : texts_text(texts), how = post_transform(n);
    auto vector = [&](std::string_view stem, const std::vector<float>& values) { return n.table(stem, {std::ssize(values)}, values); };
    auto fits = [&](bool condition) {
        if (!condition) n.refuse("its coefficients, rho, prob_a and prob_b do not fit its classes and vectors");
        return condition;
    };
    int64_t vectors = 0;
    for (int64_t size : sizes) {
        if (size < 0 || size > std::ssize(lists.coefficients)) return void(fits(false));
        vectors += size;
    }
    if (vectors == 0) {                                  // one row of weights per class
        if (!fits(!lists.rho.empty() && std::ssize(lists.coefficients) % classes == 0)) return;
        const std::string weights = n.table("coefficients", {classes, std::ssize(lists.coefficients) / classes}, lists.coefficients);
        const std::string scores = n.named("scores", "matmul(" + kernels(n, {}, 0) + ", transpose(" + weights + ", perm=[1, 0])) + " + real_text(double(lists.rho[0]), true));
        return n.give_each({"onnx_class_of(" + scores + ", " + names + ")", "onnx_scores_as(" + scores + ", " + how + ")"});
    }
    if (!fits(std::ssize(sizes) == classes && classes > 1 && std::ssize(lists.rho) == pairs && std::ssize(lists.coefficients) == (classes - 1) * vectors && a.size() == b.size() &&
              (a.empty() || std::ssize(a) == pairs)))
        return;
    const Pairs made = pairs_of(sizes, lists.coefficients);
    const std::string first = n.table("first", {pairs, classes}, made.first), second = n.table("second", {pairs, classes}, made.second);
    const std::string scores = n.named("scores", "matmul(" + kernels(n, lists.vectors, vectors) + ", " + n.table("coefficients", {vectors, pairs}, made.weights) + ") + " + vector("rho", lists.rho));
    std::string shown = classes == 2 ? "onnx_two_scores(" + scores + ")" : scores;
    if (!a.empty()) shown = "onnx_likelihoods(onnx_pair_shares(" + scores + ", " + vector("prob_a", a) + ", " + vector("prob_b", b) + "), " + first + ", " + second + ")";
    n.give_each({"onnx_class_of(onnx_pair_votes(" + scores + ", " + first + ", " + second + "), " + names + ")", "onnx_scores_as(" + shown + ", " + how + ")"});
}
} // namespace

std::span<const OpRow> support_rows() {
    static constexpr OpRow rows[] = {
    //   operator        since inputs attributes form
        {"SVMRegressor",  1,   "",    "",        "", regressor, "ai.onnx.ml"},
        {"SVMClassifier", 1,   "",    "",        "", classifier, "ai.onnx.ml"},
    };
    return rows;
}
} // namespace nereus::onnx
