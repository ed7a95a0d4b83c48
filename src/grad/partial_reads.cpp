#include "grad/partial_reads.h"
#include "grad/gradients.h"
#include "grad/patterns.h"
#include "ir/op.h"
#include <algorithm>

namespace nereus {
namespace {
bool is_builtin(const Binding& b, Builtin builtin) { return b.form == Form::op && b.op->builtin == builtin; }
bool is_seq(const Module& module, const Function& f, ValueId v) { return module.types[f[v].type].kind == TypeKind::seq; }

// Per value, the structure that it was taken out of.
std::map<ValueId, ValueId> containers(const Module& module, const Function& f) {
    std::map<ValueId, ValueId> all;
    for (const Binding& b : f.bindings) {
        const bool element = is_builtin(b, Builtin::seq_get) || (b.form == Form::index && is_seq(module, f, b.args[0]));
        if (b.form == Form::project || b.form == Form::field || element) all[b.results[0]] = b.args[0];
        std::vector<ValueId> variables;
        for (const Arm& arm : b.arms) variables_of(arm.pattern, variables);
        for (ValueId v : variables) all[v] = b.args[0];
    }
    return all;
}
bool reads_part(const Module& module, const Function& f, const Binding& b) {
    if (b.form == Form::index) return !is_seq(module, f, b.args[0]);
    return b.form == Form::op && (b.op->name == "gather" || b.op->name == "slice");
}
} // namespace

// Callees first, so that two rounds do where nothing is recursive.
std::vector<FunctionId> PartialReads::new_ones(FunctionId from) {
    const Module& module = all_.module();
    struct Open { FunctionId id; size_t next = 0; };
    std::vector<FunctionId> order;
    std::vector<Open> open;
    auto enter = [&](FunctionId id) {
        if (known_.try_emplace(id, module[id].params.size(), Threaded::nothing).second) open.push_back({id});
    };
    enter(from);
    while (!open.empty()) {
        const std::vector<Binding>& all = module[open.back().id].bindings;
        size_t& next = open.back().next;
        while (next < all.size() && all[next].form != Form::call) ++next;
        if (next < all.size()) enter(all[next++].function);
        else order.push_back(open.back().id), open.pop_back();
    }
    return order;
}

const std::vector<Threaded>& PartialReads::of(FunctionId id) {
    const std::vector<FunctionId> order = new_ones(id);
    for (bool more = !order.empty(); more;) {
        more = false;
        for (FunctionId member : order) more = update(member) || more;
    }
    return known_.at(id);
}

std::set<ValueId> PartialReads::in(const Function& f) {
    const Module& module = all_.module();
    const std::map<ValueId, ValueId> container = containers(module, f);
    std::set<ValueId> found;
    auto mark = [&](ValueId v) {
        while (v.valid() && found.insert(v).second) {
            auto it = container.find(v);
            v = it == container.end() ? ValueId() : it->second;
        }
    };
    for (const Binding& b : f.bindings) {
        if (reads_part(module, f, b)) mark(b.args[0]);
        if (b.form != Form::call || all_.has_own_rule(b.function)) continue;
        const std::vector<Threaded>& below = of(b.function);
        for (size_t i = 0; i < b.args.size(); ++i)
            if (below[i] == Threaded::everything) mark(b.args[i]);
    }
    return found;
}

bool PartialReads::update(FunctionId id) {
    const Module& module = all_.module();
    const Function& f = module[id];
    if (all_.has_own_rule(id)) return false;             // a rule of one's own makes fresh adjoints
    std::map<ValueId, const Binding*> parts;             // projections
    for (const Binding& b : f.bindings)
        if (b.form == Form::project || b.form == Form::field) parts[b.results[0]] = &b;
    auto param_of = [&](ValueId v) {
        for (auto it = parts.find(v); it != parts.end(); it = parts.find(v)) v = it->second->args[0];
        return size_t(std::find(f.params.begin(), f.params.end(), v) - f.params.begin());
    };
    std::vector<Threaded> now(f.params.size());
    const bool recursive = all_.recursive(id);
    for (const Binding& b : f.bindings) {
        if (b.form != Form::call) continue;
        const bool around = recursive && all_.reached(b.function).contains(id);
        for (size_t i = 0; i < b.args.size(); ++i)
            if (size_t at = param_of(b.args[i]); at < now.size() && (around || known_.at(b.function)[i] != Threaded::nothing))
                now[at] = Threaded::tensors;
    }
    const std::set<ValueId> read = in(f);
    for (size_t i = 0; i < f.params.size(); ++i)
        if (read.contains(f.params[i])) now[i] = Threaded::everything;
    return std::exchange(known_[id], now) != now;
}
} // namespace nereus
