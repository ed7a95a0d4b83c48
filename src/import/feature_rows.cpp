// Features of ai.onnx.ml.
#include "import/scores.h"
#include <algorithm>
#include <cmath>

namespace nereus::onnx {
namespace {
// A list of numbers as a vector.
std::string reals_text(std::span<const float> values) {
    if (values.empty()) return "full([0], cast(0.0, f32))";
    const bool finite = std::all_of(values.begin(), values.end(), [](float value) { return std::isfinite(value); });
    std::string out;
    for (float value : values) {
        std::string text = real_text(double(value), true);
        if (finite && text.starts_with('(')) text = text.substr(1, text.size() - 2);
        out += (out.empty() ? "" : ", ") + (finite ? text : "full([1], cast(" + text + ", f32))");
    }
    return finite ? "cast(tensor([" + out + "]), f32)" : "concat([" + out + "], axis=0)";
}
std::string reals_or(NodeText& n, std::string_view name, float otherwise) {
    const std::optional<std::vector<float>> values = n.reals(name);
    return values && !values->empty() ? reals_text(*values) : "cast(" + real_text(double(otherwise), true) + ", f32)";
}

// Keys or values, in one of the attributes that hold them; empty: there is none.
std::string list_of(NodeText& n, const std::string& stem) {
    if (std::optional<std::vector<std::string_view>> values = n.words(stem + "_strings")) return texts_text(*values);
    if (std::optional<std::vector<float>> values = n.reals(stem + "_floats")) return reals_text(*values);
    if (std::optional<std::vector<int64_t>> values = n.integers(stem + "_int64s")) return vector_text(*values);
    if (const TensorData* data = n.tensor(stem + "_tensor")) return n.weight(*data, stem);
    return {};
}
void label_encoder(NodeText& n) {
    const std::string keys = list_of(n, "keys"), values = list_of(n, "values");
    if (keys.empty() || values.empty()) return n.refuse("it has no keys or no values");
    std::string otherwise = "onnx_cast_like(" + real_text(n.real("default_float", -0.0), true) + ", " + values + ")";
    if (n.attribute("values_int64s")) otherwise = "onnx_cast_like(" + integer_text(n.integer("default_int64", -1)) + ", " + values + ")";
    if (n.attribute("values_strings")) otherwise = text_text(n.word("default_string", "_Unused"));
    if (n.attribute("values_tensor")) {
        const TensorData* made = n.tensor("values_tensor");
        if (made && made->type == ElemType::string) otherwise = text_text("_Unused");
        else otherwise = "if (onnx_is_whole(" + values + ")) { onnx_cast_like(-1, " + values + ") } else { onnx_cast_like(0, " + values + ") }";
    }
    if (const TensorData* data = n.tensor("default_tensor")) otherwise = "reshape(" + n.weight(*data, "otherwise") + ", [])";
    n.give("onnx_mapped(" + n.in(0) + ", " + n.named("keys", keys) + ", " + n.named("values", values) + ", " + n.named("otherwise", otherwise) + ")");
}
// Texts to their places and back; which way it goes, the file tells by the type of the input or the output.
bool takes_texts(NodeText& n) {
    const std::optional<ElemType> in = n.input_type(0), out = n.output_type(0);
    return in ? *in == ElemType::string : out && *out != ElemType::string;
}
void map_texts(NodeText& n, const std::string& texts, const std::string& numbers) {
    const bool from_texts = takes_texts(n);
    const std::string otherwise = from_texts ? integer_text(n.integer("default_int64", -1)) : text_text(n.word("default_string", "_Unused"));
    n.give("onnx_mapped(" + n.in(0) + ", " + (from_texts ? texts + ", " + numbers : numbers + ", " + texts) + ", " + otherwise + ")");
}
void label_encoder_of_classes(NodeText& n) {
    const std::vector<std::string_view> classes = n.words("classes_strings").value_or(std::vector<std::string_view>());
    map_texts(n, n.named("classes", texts_text(classes)), "iota(" + std::to_string(classes.size()) + ")");
}
void category_mapper(NodeText& n) {
    const std::vector<std::string_view> texts = n.words("cats_strings").value_or(std::vector<std::string_view>());
    const std::vector<int64_t> numbers = n.integers("cats_int64s").value_or(std::vector<int64_t>());
    if (texts.size() != numbers.size()) return n.refuse("it has " + std::to_string(texts.size()) + " texts for " + std::to_string(numbers.size()) + " numbers");
    map_texts(n, n.named("texts", texts_text(texts)), n.named("numbers", vector_text(numbers)));
}
void one_hot_encoder(NodeText& n) {
    const std::optional<std::vector<std::string_view>> texts = n.words("cats_strings");
    const std::optional<std::vector<int64_t>> categories = n.integers("cats_int64s");
    if (!categories && !texts) return n.refuse("it has no categories");
    const std::string x = texts ? n.in(0) : "cast(" + n.in(0) + ", i64)", all = texts ? texts_text(*texts) : vector_text(*categories);
    n.give("onnx_one_hot_of(" + x + ", " + all + ", " + (n.integer("zeros", 1) ? "1)" : "0)"));
}
void imputer(NodeText& n) {
    const std::optional<std::vector<float>> values = n.reals("imputed_value_floats");
    if (values && !values->empty()) return n.give("onnx_imputed(" + n.in(0) + ", " + real_text(n.real("replaced_value_float", 0), true) + ", " + reals_text(*values) + ")");
    const std::optional<std::vector<int64_t>> whole = n.integers("imputed_value_int64s");
    if (!whole) return n.refuse("it has no values to put in");
    n.give("onnx_imputed(" + n.in(0) + ", " + integer_text(n.integer("replaced_value_int64", 0)) + ", " + vector_text(*whole) + ")");
}
void scaler(NodeText& n) { n.give("(cast(" + n.in(0) + ", f32) - " + reals_or(n, "offset", 0) + ") * " + reals_or(n, "scale", 1)); }
// The threshold is an f32, and elements may be integers that are none.
void binarizer(NodeText& n) { n.give("onnx_binarised(" + n.in(0) + ", " + real_text(n.real("threshold", 0), false) + ")"); }

void feature_vectorizer(NodeText& n) {
    const std::vector<int64_t> sizes = n.integers("inputdimensions").value_or(std::vector<int64_t>());
    if (sizes.size() != n.input_count() || sizes.empty()) return n.refuse("it has " + std::to_string(sizes.size()) + " sizes for " + std::to_string(n.input_count()) + " inputs");
    std::string all;
    for (size_t i = 0; i < sizes.size(); ++i) all += (i ? ", " : "") + ("onnx_fitted_features(" + n.in(i) + ", " + integer_text(sizes[i]) + ")");
    n.give("concat([" + all + "], axis=1)");
}

std::string linear_scores(NodeText& n, size_t rows) {
    const std::vector<float> weights = n.reals("coefficients").value_or(std::vector<float>());
    return n.named("scores", "onnx_linear_scores(" + n.in(0) + ", " + n.named("weights", reals_text(weights)) + ", " + reals_or(n, "intercepts", 0) + ", " + std::to_string(rows) + ")");
}
void linear_regressor(NodeText& n) { n.give("onnx_scores_as(" + linear_scores(n, size_t(n.integer("targets", 1))) + ", " + post_transform(n) + ")"); }
// Of two classes that have one row of weights the first has the score with the other sign, or, where nothing is made of scores, 1
// less the score. The label is that of the largest score before scores are made something else. Without labels these are 0 and 1.
void linear_classifier(NodeText& n) {
    const std::optional<std::vector<std::string_view>> words = n.words("classlabels_strings");
    const std::optional<std::vector<int64_t>> labels = n.integers("classlabels_ints");
    const size_t classes = words ? words->size() : labels ? labels->size() : 0;
    const std::optional<std::vector<float>> bias = n.reals("intercepts");
    const size_t rows = bias && !bias->empty() ? bias->size() : classes;
    if (classes == 0 && rows != 1) return n.refuse("it has no labels");
    std::string scores = linear_scores(n, rows);
    const std::string how = post_transform(n), one = scores;
    if (rows == 1 && classes == 2) scores = n.named("scores", "onnx_two_scores(" + scores + ")");
    const std::string made = rows == 1 && classes == 2 && how == "0" ? n.named("made", "onnx_score_and_rest(" + one + ")") : n.named("made", "onnx_scores_as(" + scores + ", " + how + ")");
    if (classes == 0) return n.give_each({"cast(reshape(" + one + " > 0.0, [-1]), i64)", made});
    if (rows == 1 && classes < 2) {
        if (words) return n.refuse("its one label is a text: what it says of other rows is not told");
        const std::string only = "onnx_only_class(" + made + ", " + (labels->empty() ? "1" : integer_text((*labels)[0])) + (how == "0" ? ", 0.0)" : ", 0.5)");
        return n.give_each({only, made});
    }
    n.give_each({"onnx_class_of(" + scores + ", " + (words ? texts_text(*words) : vector_text(*labels)) + ")", made});
}
} // namespace

std::string post_transform(NodeText& n) {
    static constexpr std::string_view words[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
    const std::string_view word = n.word("post_transform", "NONE");
    const size_t place = size_t(std::ranges::find(words, word) - words);
    if (place == std::size(words)) n.refuse("attribute 'post_transform' is '" + std::string(word) + "', expected one of NONE, SOFTMAX, LOGISTIC, SOFTMAX_ZERO, PROBIT");
    return std::to_string(place);
}

std::span<const OpRow> feature_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"ArrayFeatureExtractor", 1, "x, ids",  "",                      "onnx_array_features($x, $ids)", nullptr, "ai.onnx.ml"},
        {"Binarizer",         1,    "",         "",                      "", binarizer, "ai.onnx.ml"},
        {"FeatureVectorizer", 1,    "",         "",                      "", feature_vectorizer, "ai.onnx.ml"},
        {"Imputer",           1,    "",         "",                      "", imputer, "ai.onnx.ml"},
        {"CategoryMapper",    1,    "",         "",                      "", category_mapper, "ai.onnx.ml"},
        {"LabelEncoder",      1,    "",         "",                      "", label_encoder_of_classes, "ai.onnx.ml"},
        {"LabelEncoder",      2,    "",         "",                      "", label_encoder, "ai.onnx.ml"},
        {"LinearClassifier",  1,    "",         "",                      "", linear_classifier, "ai.onnx.ml"},
        {"LinearRegressor",   1,    "",         "",                      "", linear_regressor, "ai.onnx.ml"},
        {"Normalizer",        1,    "x",        "norm=MAX|L1|L2",        "onnx_normalised($x, $norm)", nullptr, "ai.onnx.ml"},
        {"OneHotEncoder",     1,    "",         "",                      "", one_hot_encoder, "ai.onnx.ml"},
        {"Scaler",            1,    "",         "",                      "", scaler, "ai.onnx.ml"},
    };
    return rows;
}
} // namespace nereus::onnx
