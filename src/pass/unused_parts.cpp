// pass/unused_parts.cpp - what partial evaluation leaves behind: structures, lambdas and cells that nothing needs any more.
//
// A cell is needed by whoever mentions it but for writing to it, and a write is needed if its cell is. Types that state
// sizes are checks: what has one stays.
#include "pass/partial_evaluator.h"

namespace nereus {
namespace {
class NeededParts {
 public:
    NeededParts(const Module& module, const Function& function, const std::set<BindingId>& sure)
        : module_(module), f_(function), sure_(sure) {
        for (size_t i = 0; i < f_.bindings.size(); ++i)
            for (ValueId result : f_.bindings[i].results) definition_[result] = BindingId(i);
        block(f_.body);
        while (!open_.empty()) {
            BindingId next = open_.back();
            open_.pop_back();
            const Binding& b = f_[next];
            for (ValueId arg : b.args) need(arg);
            for (BlockId inner : blocks_of(b)) block(inner);
        }
    }
    bool needs(BindingId id) const { return bindings_.contains(id); }
    std::set<ValueId> values;

 private:
    void block(BlockId id) {
        for (BindingId at : f_[id].bindings) {
            if (is_local_write(f_[at])) {
                if (values.contains(f_[at].args[0])) need(at);
                else writes_[f_[at].args[0]].push_back(at);
            } else if (!sure_.contains(at) && !may_vanish(f_[at])) {
                need(at);
            }
        }
        for (ValueId result : f_[id].results) need(result);
    }
    void need(BindingId id) {
        if (bindings_.insert(id).second) open_.push_back(id);
    }
    void need(ValueId v) {
        if (!values.insert(v).second) return;
        if (auto it = definition_.find(v); it != definition_.end()) need(it->second);
        for (BindingId write : writes_[v]) need(write);
    }
    bool is_local_write(const Binding& b) const {
        if (b.form != Form::op || b.op->builtin != Builtin::write) return false;
        auto it = definition_.find(b.args[0]);
        return it != definition_.end() && f_[it->second].form == Form::op && f_[it->second].op->builtin == Builtin::ref;
    }
    bool may_vanish(const Binding& b) const {
        if (is_immediate(b)) return true;
        if (!b.defines.empty() || mentions_sizes(module_, f_[b.results[0]].type)) return false;
        switch (b.form) {
        case Form::construct: case Form::record:
            if (!b.decl.valid()) return false;
            for (TypeId field : module_[b.decl].constructors[b.index].fields)
                if (mentions_sizes(module_, field)) return false;
            return true;
        case Form::tuple: case Form::seq: case Form::project: case Form::field: case Form::lambda: case Form::function: return true;
        case Form::op:
            switch (b.op->builtin) {
            case Builtin::ref: case Builtin::read: case Builtin::length: case Builtin::push: return true;
            default: return false;
            }
        default: return false;
        }
    }

    const Module& module_;
    const Function& f_;
    const std::set<BindingId>& sure_;
    std::unordered_map<ValueId, BindingId> definition_;
    std::map<ValueId, std::vector<BindingId>> writes_;   // in code that is needed, to cells that are not, so far
    std::set<BindingId> bindings_;
    std::vector<BindingId> open_;
};

void drop(Function& f, BlockId id, const NeededParts& needed) {
    std::erase_if(f[id].bindings, [&](BindingId at) { return !needed.needs(at); });
    for (BindingId at : f[id].bindings)
        for (BlockId inner : blocks_of(f[at])) drop(f, inner, needed);
}
} // namespace

std::set<ValueId> needed_values(const Module& module, const Function& function, const std::set<BindingId>& sure) {
    return NeededParts(module, function, sure).values;
}
void drop_unused_parts(const Module& module, Function& function, const std::set<BindingId>& sure) {
    drop(function, function.body, NeededParts(module, function, sure));
}
} // namespace nereus
