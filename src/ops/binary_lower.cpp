#include "ops/lowers.h"

namespace nereus {
Status lower_cast(OpLowering& l) {
    return lower_map(l, "cast", [](loop::Builder& b, std::span<const loop::ExprId> x, DType t) { return b.cast(x[0], t); });
}
} // namespace nereus
