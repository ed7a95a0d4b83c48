// Texts. What operators do to one text is an operator of ours; the rest is said with those that move elements.
#include "import/node_text.h"

namespace nereus::onnx {
namespace {
// Without a delimiter white space is one.
void string_split(NodeText& n) {
    const std::string with = n.named("delimiter", text_text(n.word("delimiter", "")));
    const std::string limit = n.attribute("maxsplit") ? ", limit=" + std::to_string(n.integer("maxsplit", -1)) : "";
    const std::string counts = n.named("counts", "str_count(" + n.in(0) + ", " + with + limit + ")");
    n.give_each({"str_part(onnx_unsqueeze(" + n.in(0) + ", -1), " + with + ", iota(onnx_most(" + counts + "))" + limit + ")", counts});
}

// Letters of a few languages change their case in other ways than Unicode says for all.
bool has_cases_of_its_own(std::string_view locale) {
    for (std::string_view language : {"tr", "az", "lt"})
        if (locale == language || (locale.starts_with(language) && (locale[2] == '_' || locale[2] == '-'))) return true;
    return false;
}
void string_normalizer(NodeText& n) {
    const std::string_view action = n.word("case_change_action", "NONE"), locale = n.word("locale", "");
    if (action != "NONE" && action != "LOWER" && action != "UPPER")
        return n.refuse("attribute 'case_change_action' is '" + std::string(action) + "', expected NONE, LOWER or UPPER");
    if (has_cases_of_its_own(locale)) return n.refuse("letters of the locale '" + std::string(locale) + "' have cases of their own, which are not offered");
    std::string x = n.in(0);
    if (const std::optional<std::vector<std::string_view>> stop = n.words("stopwords"); stop && !stop->empty()) {
        const bool as_written = n.integer("is_case_sensitive", 0) != 0;
        const std::string words = n.named("stop", texts_text(*stop));
        x = n.named("left", "onnx_without(" + x + ", " + (as_written ? x + ", " + words : "str_lower(" + x + "), str_lower(" + words + ")") + ")");
    }
    n.give(action == "NONE" ? x : (action == "LOWER" ? "str_lower(" : "str_upper(") + x + ")");
}

void regex_full_match(NodeText& n) { n.give("str_match(" + n.in(0) + ", " + text_text(n.word("pattern", "")) + ")"); }
} // namespace

std::span<const OpRow> string_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"StringConcat",      20,   "a, b",     "",                      "str_concat($a, $b)"},
        {"StringSplit",       20,   "",         "",                      "", string_split},
        {"StringNormalizer",  10,   "",         "",                      "", string_normalizer},
        {"RegexFullMatch",    20,   "",         "",                      "", regex_full_match},
    };
    return rows;
}
} // namespace nereus::onnx
