#include "pass/effects.h"
#include "pass/call_graph.h"
#include "pass/function_edit.h"
#include <algorithm>

namespace nereus {
namespace {
Does both(Does a, Does b) { return {std::max(a.effect, b.effect), a.ends && b.ends, a.fails || b.fails}; }
} // namespace

// Recursive functions begin as harmless ones that may not end; each round adds what the bodies show.
Effects::Effects(const Module& module) : module_(module), functions_(module.functions.size()) {
    CallGraph calls(module);
    const std::vector<FunctionId>& order = calls.callees_first;
    for (size_t first = 0, last; first < order.size(); first = last) {
        for (last = first; last < order.size() && calls.group[order[last].index] == calls.group[order[first].index];) ++last;
        for (size_t i = first; i < last; ++i) functions_[order[i].index].ends = !calls.recursive[order[i].index];
        for (bool changed = true; changed;) {
            changed = false;
            for (size_t i = first; i < last; ++i) {
                Does& known = functions_[order[i].index];
                const Function& f = module[order[i]];
                Does found = both(known, of(f, f.body));
                if (!f.where.empty()) found = both(found, {Effect::may_fail});
                changed |= found.effect != known.effect || found.ends != known.ends || found.fails != known.fails;
                known = found;
            }
        }
    }
}

Does Effects::of(const Function& f, BlockId block) const {
    Does all;
    for (BindingId id : f[block].bindings) all = both(all, of(f, f[id]));
    return all;
}

Does Effects::of(const Function& f, const Binding& b) const {
    Does own;
    switch (b.form) {
    case Form::op: {
        const Type& operand = module_.types[b.args.empty() ? module_.types.unit() : f[b.args[0]].type];
        own = {operand.element.dtype ? effect_on(*b.op, *operand.element.dtype) : b.op->effect};
        if (b.op->builtin == Builtin::equal) own = {Effect::reads};              // what it compares may hold cells
        if (b.op->builtin == Builtin::grad) own = {Effect::io, false, true};     // whatever it is the gradient of does
        break;
    }
    case Form::call: return of(b.function);
    case Form::apply:
        if (b.targets.empty()) return {Effect::io, false, true};                 // nobody knows yet what arrives
        for (const ApplyTarget& target : b.targets) own = both(own, of(target.function));
        return own;
    case Form::check: case Form::index: own = {Effect::may_fail}; break;
    case Form::lambda: return {};                                                // only makes it
    case Form::while_: own.ends = false; break;
    case Form::match:
        if (b.arms.empty()) return {Effect::may_fail, false};                    // stands for what is never reached
        break;
    case Form::literal: case Form::dim: case Form::function: case Form::construct: case Form::tuple: case Form::project:
    case Form::field: case Form::record: case Form::update: case Form::seq: case Form::if_: case Form::for_: case Form::closure:
        break;
    }
    for (BlockId nested : blocks_of(b)) own = both(own, of(f, nested));
    return own;
}
} // namespace nereus
