// Launches whose results nobody reads: of a value whose shape alone is asked for, that has become numbers by now. An error
// such a launch would have met is not reported (docs/language.md).
#include "lower/lower_function.h"
#include <unordered_set>

namespace nereus {
namespace {
void visit(Function& f, BlockId id, std::unordered_set<ValueId>& used) {
    used.insert(f[id].results.begin(), f[id].results.end());
    std::vector<BindingId> kept;
    for (size_t i = f[id].bindings.size(); i-- > 0;) {
        const Binding& b = f[f[id].bindings[i]];
        bool needed = low_op_of(b) != LowOp::launch || b.results.empty() || !b.defines.empty() || find_attribute(b, "changes");
        for (ValueId result : b.results) needed = needed || used.contains(result);
        if (!needed) continue;
        kept.push_back(f[id].bindings[i]);
        used.insert(b.args.begin(), b.args.end());
        for (BlockId nested : b.blocks) visit(f, nested, used);
    }
    f[id].bindings.assign(kept.rbegin(), kept.rend());
}
} // namespace

void drop_unused(Function& function) {
    std::unordered_set<ValueId> used;
    visit(function, function.body, used);
}
} // namespace nereus
