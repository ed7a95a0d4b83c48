#include "infer/acts.h"
#include "ir/op.h"
#include <algorithm>

namespace nereus {
namespace {
bool op_acts(const Binding& b) {
    return b.form == Form::op && (b.op->effect > Effect::may_fail || b.op->builtin == Builtin::grad);
}
} // namespace

bool Acts::block(const Function& f, BlockId block) {
    look();
    return seen(f, block);
}
bool Acts::binding(const Function& f, const Binding& b) {
    look();
    return seen(f, b);
}

void Acts::look() {
    if (!functions_.empty()) return;
    functions_.resize(module_.functions.size());
    anything_ = std::ranges::any_of(module_.functions,
                                    [](const Function& f) { return std::ranges::any_of(f.bindings, op_acts); });
    for (bool changed = anything_; changed;) {           // what a function does, those that call it do
        changed = false;
        for (size_t i = 0; i < functions_.size(); ++i) {
            if (functions_[i] || !seen(module_.functions[i], module_.functions[i].body)) continue;
            functions_[i] = changed = true;
        }
    }
}

bool Acts::seen(const Function& f, BlockId block) const {
    return std::ranges::any_of(f[block].bindings, [&](BindingId id) { return seen(f, f[id]); });
}
bool Acts::seen(const Function& f, const Binding& b) const {
    if (op_acts(b)) return true;
    if (b.form == Form::call) return functions_[b.function.index];
    if (b.form == Form::apply) return anything_;
    if (b.form == Form::lambda) return false;            // it is only made
    const bool guards =
        std::ranges::any_of(b.arms, [&](const Arm& arm) { return arm.guard.valid() && seen(f, arm.guard); });
    return guards || std::ranges::any_of(b.blocks, [&](BlockId inner) { return seen(f, inner); });
}
} // namespace nereus
