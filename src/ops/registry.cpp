#include "ops/registry.h"
#include "ops/families.h"

namespace nereus {
const OpRegistry& all_ops() {
    static const OpRegistry registry = [] {
        std::vector<const OpDef*> ops;
        for (auto family : {unary_ops, binary_ops, bits_ops, compare_ops, reduce_ops, matmul_ops, shape_ops, index_ops,
                            windows_ops, conv_ops, sort_ops, strings_ops, random_ops, structure_ops})
            for (const OpDef& op : family()) ops.push_back(&op);
        return OpRegistry(std::move(ops));
    }();
    return registry;
}
} // namespace nereus
