#include "import/op_rows.h"

namespace nereus::onnx {
std::span<const OpFamily> op_families() {
    static constexpr OpFamily families[] = {math_rows,   layout_rows,    reduce_rows,    index_rows,   layer_rows,  spatial_rows,   image_rows,     control_rows, sequence_rows,
                                            attention_rows, recurrent_rows, product_rows, search_rows, signal_rows, quantised_rows, optimiser_rows, feature_rows,
                                            tree_rows,   support_rows,   ngram_rows,     random_rows,    string_rows,    microsoft_rows, fused_rows,   qlinear_rows,   early_rows,  map_rows};
    return families;
}

// Of an operator that came later than the version: it can only mean that.
static const OpRow* oldest_row(std::string_view domain, std::string_view name) {
    const OpRow* found = nullptr;
    for (OpFamily rows : op_families())
        for (const OpRow& row : rows())
            if (row.name == name && row.domain == domain && (!found || row.since < found->since)) found = &row;
    return found;
}

const OpRow* find_row(std::string_view domain, std::string_view name, int64_t version) {
    if (domain == "ai.onnx") domain = "";
    const OpRow* found = nullptr;
    for (OpFamily rows : op_families())
        for (const OpRow& row : rows())
            if (row.name == name && row.domain == domain && row.since <= version && (!found || row.since > found->since)) found = &row;
    if (!found) found = outside_row(domain, name, version);
    return found ? found : oldest_row(domain, name);
}
} // namespace nereus::onnx
