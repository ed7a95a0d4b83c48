#include "ops/lowers.h"
#include "ops/strings.h"
#include "ops/storage_lower.h"

namespace nereus {
Status lower_cast(OpLowering& l) {
    const DType from = l.dtype(l.arg(0));
    const DType to = l.dtype(l.result());
    if (is_text(from) != is_text(to)) return lower_cast_texts(l);
    const StoreRule rule{l.boolean("saturate"), *rounding_from_name(l.text("round", rounding_names[0]))};
    return lower_map(l, "cast", [&](loop::Builder& b, std::span<const loop::ExprId> x, DType t) { return cast_element(b, x[0], from, t, rule); });
}
} // namespace nereus
