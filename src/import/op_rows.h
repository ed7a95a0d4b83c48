// import/op_rows.h - what each operator of ONNX is in the language: a row per operator and the version since which it
// means this.
#pragma once
#include "import/onnx_model.h"

namespace nereus::onnx {
class NodeText;

struct OpRow {
    std::string_view name;
    int since;
    // Names of the inputs, then of the attributes; what has a text after = may be left out and is written so then.
    // "x, min=, max=": the text may be nothing. An attribute of words, mode=constant|edge, is written as the place of its
    // word in the list; the first one counts when it is left out.
    std::string_view inputs, attributes;
    std::string_view form;                             // "softmax($x, axis=$axis)"; empty: `write` does it
    void (*write)(NodeText&) = nullptr;
    std::string_view domain = "";
};
std::span<const OpRow> math_rows();
std::span<const OpRow> layout_rows();
std::span<const OpRow> reduce_rows();
std::span<const OpRow> index_rows();
std::span<const OpRow> layer_rows();
std::span<const OpRow> spatial_rows();
std::span<const OpRow> image_rows();
std::span<const OpRow> control_rows();
std::span<const OpRow> sequence_rows();
std::span<const OpRow> attention_rows();
std::span<const OpRow> recurrent_rows();
std::span<const OpRow> product_rows();
std::span<const OpRow> search_rows();
std::span<const OpRow> signal_rows();
std::span<const OpRow> quantised_rows();
std::span<const OpRow> optimiser_rows();
std::span<const OpRow> feature_rows();
std::span<const OpRow> tree_rows();
std::span<const OpRow> support_rows();
std::span<const OpRow> ngram_rows();
std::span<const OpRow> random_rows();
std::span<const OpRow> string_rows();
std::span<const OpRow> microsoft_rows();
std::span<const OpRow> fused_rows();
std::span<const OpRow> qlinear_rows();
std::span<const OpRow> early_rows();
std::span<const OpRow> map_rows();
using OpFamily = std::span<const OpRow> (*)();
std::span<const OpFamily> op_families();               // all of the above

const OpRow* outside_row(std::string_view domain, std::string_view name, int64_t version);      // of a plug-in; null: none has it

// The newest row that is not newer than the version, else a plug-in's, else the oldest; null: there is none.
const OpRow* find_row(std::string_view domain, std::string_view name, int64_t version);
} // namespace nereus::onnx
