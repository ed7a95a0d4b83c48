#include "grad/activity.h"
#include "ir/op.h"
#include "ops/gradients.h"
#include <algorithm>

namespace nereus {
void Activity::run(BlockId block, size_t first, const std::vector<ValueId>& inputs) {
    for (ValueId input : inputs) set(input);
    run(block, first);
}
void Activity::set(ValueId v) {
    if (shadows_.has_adjoint(function_[v].type)) active_.insert(v);
}

void Activity::run(BlockId block, size_t first) {
    const std::vector<BindingId>& all = function_[block].bindings;
    for (size_t i = first; i < all.size(); ++i) {
        const Binding& b = function_[all[i]];
        if (decide(b)) set(b.results[0]);
    }
}

void Activity::bind(const Pattern& pattern) {
    if (pattern.variable.valid()) set(pattern.variable);
    for (const Pattern& part : pattern.parts) bind(part);
}

bool Activity::decide(const Binding& b) {
    bool any = std::any_of(b.args.begin(), b.args.end(), [&](ValueId arg) { return active(arg); });
    auto arms = [&] {
        bool found = false;
        for (BlockId arm : b.blocks) {
            run(arm, 0);
            found = found || active(function_[arm].results[0]);
        }
        return found;
    };
    switch (b.form) {
    case Form::literal: case Form::dim: case Form::function: case Form::lambda: case Form::closure: case Form::check: return false;
    case Form::op: {
        if (b.op->builtin == Builtin::push || b.op->builtin == Builtin::set || b.op->builtin == Builtin::seq_get) return any;
        if (b.op->builtin == Builtin::read) return cells_.keeps_adjoint(function_[b.args[0]].type);      // whoever wrote what
        if (b.op->builtin != Builtin::none) return false;
        std::optional<NamedGradient> row = gradient_rule(*b.op);
        return any && row && row->rule;
    }
    case Form::call: return any || cells_.touches(b.function);
    case Form::apply: case Form::construct: case Form::tuple: case Form::project: case Form::field:
    case Form::record: case Form::update: case Form::index: case Form::seq: return any;
    case Form::if_: return arms();
    case Form::match:
        if (any)
            for (const Arm& arm : b.arms) bind(arm.pattern);
        return arms();
    case Form::for_: case Form::while_: return loop(b);
    }
    return false;
}

// States that become active make others so: until nothing changes.
bool Activity::loop(const Binding& b) {
    size_t skip = b.form == Form::for_ ? 1 : 0;
    const Block& body = function_[b.blocks.back()];
    size_t states = body.params.size() - skip;
    for (size_t i = 0; i < states; ++i)
        if (active(b.args[skip + i])) set(body.params[skip + i]);
    for (size_t before = SIZE_MAX; before != active_.size();) {
        before = active_.size();
        run(b.blocks.back(), 0);
        for (size_t i = 0; i < states; ++i)
            if (active(body.results[i])) set(body.params[skip + i]);
    }
    for (size_t i = 0; i < body.results.size(); ++i)
        if (active(body.results[i]) || (i < states && active(body.params[skip + i]))) return true;
    return false;
}
} // namespace nereus
