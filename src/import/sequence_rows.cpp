// Sequences are the language's own; optional values too.
#include "import/node_text.h"

namespace nereus::onnx {
namespace {
void construct(NodeText& n) {
    std::string list;
    for (size_t i = 0; i < n.input_count(); ++i) list += (i ? ", " : "") + n.in(i);
    n.give("[" + list + "]");
}
void insert(NodeText& n) {
    const std::string of = "(" + n.in(0) + ", " + n.in(1);
    n.give(n.has(2) ? "onnx_sequence_insert" + of + ", " + n.in(2) + ")" : "push" + of + ")");
}
void concat_all(NodeText& n) {
    const std::string axis = std::to_string(n.integer("axis", 0));
    n.give("concat(" + (n.integer("new_axis", 0) ? "onnx_sequence_with_axis(" + n.in(0) + ", (" + axis + "))" : n.in(0)) + ", axis=" + axis + ")");
}
// Parts of the given sizes; without sizes, of size 1, and keepdims = 0 takes the axis out.
void split_all(NodeText& n) {
    const std::string axis = std::to_string(n.integer("axis", 0)), x = n.in(0);
    const std::string sizes = n.named("parts", "onnx_part_sizes(" + (n.has(1) ? n.in(1) : "1") + ", onnx_size_at(" + x + ", (" + axis + ")))");
    std::string part = "slice(" + x + ", [%at], [%at + " + sizes + "[%i]], axes=[" + axis + "])";
    if (!n.has(1) && n.integer("keepdims", 1) == 0) part = "onnx_squeeze(" + part + ", (" + axis + "))";
    const std::string both = n.named("both", "for %i in shape_of(" + sizes + ")[0], (%all = [], %at = 0) { (push(%all, " + part + "), %at + " + sizes + "[%i]) }");
    n.give(both + ".0");
}

void optional(NodeText& n) { n.give(n.has(0) ? "Some(" + n.in(0) + ")" : "None"); }
// What is no optional value has itself as its element.
void has_element(NodeText& n) { n.give(n.is_optional(0) ? "onnx_has_element(" + n.in(0) + ")" : n.has(0) ? "true" : "false"); }
void get_element(NodeText& n) { n.give(n.is_optional(0) ? "onnx_get_element(" + n.in(0) + ")" : n.in(0)); }
} // namespace

std::span<const OpRow> sequence_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"SequenceConstruct", 11,   "",         "",                      "", construct},
        {"SequenceEmpty",     11,   "",         "",                      "", construct},
        {"SequenceAt",        11,   "s, at",    "",                      "onnx_sequence_at($s, $at)"},
        {"SequenceLength",    11,   "s",        "",                      "length($s)"},
        {"SequenceInsert",    11,   "",         "",                      "", insert},
        {"SequenceErase",     11,   "s, at=(-1)", "",                    "onnx_sequence_erase($s, $at)"},
        {"ConcatFromSequence", 11,  "",         "",                      "", concat_all},
        {"SplitToSequence",   11,   "",         "",                      "", split_all},
        {"Optional",          15,   "",         "",                      "", optional},
        {"OptionalHasElement", 15,  "",         "",                      "", has_element},
        {"OptionalGetElement", 15,  "",         "",                      "", get_element},
    };
    return rows;
}
} // namespace nereus::onnx
