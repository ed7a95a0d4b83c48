// Maps of ai.onnx.ml: a pair of vectors, the keys and what each stands for.
#include "import/node_text.h"

namespace nereus::onnx {
namespace {
constexpr std::string_view learning = "ai.onnx.ml";

// The keys that a node lists: texts or integers.
std::string listed(NodeText& n, std::string_view texts, std::string_view integers) {
    if (std::optional<std::vector<std::string_view>> values = n.words(texts); values && !values->empty()) return n.named("listed", texts_text(*values));
    if (std::optional<std::vector<int64_t>> values = n.integers(integers); values && !values->empty()) return n.named("listed", vector_text(*values));
    n.refuse("it has neither of the attributes '" + std::string(texts) + "' and '" + std::string(integers) + "'");
    return "()";
}

void zip_map(NodeText& n) {
    const std::string labels = listed(n, "classlabels_strings", "classlabels_int64s"), x = n.named("rows", "onnx_as_rows(" + n.in(0) + ")");
    n.give("for %i in shape_of(" + x + ")[0], (%all = []) { push(%all, (" + labels + ", " + x + "[%i])) }");
}
void dict_vectorizer(NodeText& n) {
    const std::string words = listed(n, "string_vocabulary", "int64_vocabulary"), of_texts = "tensor(\"\")";
    n.give("onnx_looked_up(" + n.in(0) + ", " + words + ", " + (n.output_type(0) == ElemType::string ? of_texts : "onnx_cast_like(0, " + n.in(0) + ".1)") + ")");
}

// Values in the order of their keys, or at the places that the keys are.
void cast_map(NodeText& n) {
    const std::string_view form = n.word("map_form", "DENSE"), to = n.word("cast_to", "TO_FLOAT");
    if (form != "DENSE" && form != "SPARSE") return n.refuse("attribute 'map_form' is '" + std::string(form) + "', expected DENSE or SPARSE");
    const std::string dtype = to == "TO_FLOAT" ? "f32" : to == "TO_INT64" ? "i64" : to == "TO_STRING"  ? "str" : "";
    if (dtype.empty()) return n.refuse("attribute 'cast_to' is '" + std::string(to) + "', expected TO_FLOAT, TO_INT64 or TO_STRING");
    const std::string values = n.named("values", "cast(" + n.in(0) + ".1, " + dtype + ")");
    if (form == "DENSE") return n.give("onnx_by_keys(" + n.in(0) + ".0, " + values + ")");
    const std::string nothing = dtype == "str" ? "tensor(\"\")" : "cast(0, " + dtype + ")";
    n.give("onnx_at_keys(" + n.in(0) + ".0, " + values + ", " + std::to_string(n.integer("max_map", 1)) + ", " + nothing + ")");
}
} // namespace

std::span<const OpRow> map_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"ZipMap",            1,    "",         "",                      "", zip_map, learning},
        {"DictVectorizer",    1,    "",         "",                      "", dict_vectorizer, learning},
        {"CastMap",           1,    "",         "",                      "", cast_map, learning},
    };
    return rows;
}
} // namespace nereus::onnx
