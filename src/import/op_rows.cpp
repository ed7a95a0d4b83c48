#include "import/op_rows.h"
#include <algorithm>

namespace nereus::onnx {
const OpRow* find_row(std::string_view domain, std::string_view name, int64_t version) {
    if (domain == "ai.onnx") domain = "";
    const OpRow* found = nullptr;
    for (auto rows : {math_rows, layout_rows, reduce_rows, index_rows, layer_rows, spatial_rows, image_rows, control_rows, sequence_rows})
        for (const OpRow& row : rows())
            if (row.name == name && row.domain == domain && row.since <= version && (!found || row.since > found->since)) found = &row;
    return found;
}
} // namespace nereus::onnx
