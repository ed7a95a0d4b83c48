// pass/static_arguments.cpp - what a recursive function computes from arguments that all its calls of itself hand on
// unchanged is computed once, by the first caller: the function computes it and calls a copy of itself that has it as a
// parameter and hands it on.
//
// Lifted are operators that make tensors and would run anywhere (size_demands.h), with what they need. They may stand in
// an arm that this call does not take; recursion that goes on takes it soon. A tensor of one number is made as fast as it is read,
// and zeros for what is added up are often not needed: it stays. Functions that are recursive through others
// stay as they are, and so do those that choose sizes of their result. Needs the module as the shapes stage leaves it.
#include "pass/call_graph.h"
#include "pass/passes.h"
#include "pass/size_demands.h"
#include <algorithm>
#include <unordered_set>

namespace nereus {
namespace {
class StaticArguments {
 public:
    StaticArguments(Module& module, FunctionId id, const Effects& effects, SizeDemands& demands)
        : module_(module), id_(id), effects_(effects), demands_(demands), from_(module[id]), edit_(module, from_) {}

    bool worthwhile() {
        if (!from_.result_dims.empty() || !from_.where.empty()) return false;
        for (ValueId param : from_.params) known_.insert(param);
        for (Sym s : from_.symbols) symbols_.insert(s);
        calls_in(from_.body);
        find(from_.body);
        keep_needed(from_.body);
        return !handed_on_.empty();
    }
    // The function that computes what is lifted and calls `inner`; and that one.
    Function outer(FunctionId inner) {
        Function to = header(from_.name);
        FunctionEdit edit(module_, to);
        BlockCopy copy(edit, from_);
        to.symbols = from_.symbols;
        for (ValueId param : from_.params) to.params.push_back(copy.fresh(param));
        BindingList list;
        for (BindingId id : lifted_) {
            BindingId made = copy.binding(from_[id], list);
            list.push_back(made);
        }
        Binding call{.form = Form::call, .args = to.params, .function = inner, .span = from_.span};
        for (ValueId v : handed_on_) call.args.push_back(copy.value(v, list));
        for (Sym s : to.symbols) call.dims.push_back(module_.dims.of(s));
        ValueId result = edit.add(std::move(call), from_.result, "result", list);
        finish(to, std::move(list), result);
        return to;
    }
    Function inner(FunctionId self, std::string name) {
        Function to = header(std::move(name));
        FunctionEdit edit(module_, to);
        BlockCopy copy(edit, from_);
        for (Sym s : from_.symbols) to.symbols.push_back(copy.symbols.renamed(s));
        to.result = copy.symbols.of(from_.result);
        for (ValueId param : from_.params) to.params.push_back(copy.fresh(param));
        std::vector<ValueId> more;
        std::unordered_set<ValueId> gone(handed_on_.begin(), handed_on_.end());
        for (ValueId v : handed_on_) to.params.push_back(copy.fresh(v)), more.push_back(to.params.back());
        copy.instead = [&](const Binding& b, BindingList& out) {
            if (b.results.size() == 1 && gone.contains(b.results[0])) return true;
            if (b.form != Form::call || b.function != id_) return false;
            BindingId made = copy.binding(b, out);
            to[made].function = self;
            to[made].args.insert(to[made].args.end(), more.begin(), more.end());
            out.push_back(made);
            return true;
        };
        BindingList list;
        copy.bindings(from_.body, list);
        ValueId result = copy.value(from_[from_.body].results[0], list);
        finish(to, std::move(list), result);
        return to;
    }

 private:
    Function header(std::string name) const {
        Function to;
        to.name = std::move(name), to.result = from_.result, to.from_prelude = from_.from_prelude, to.span = from_.span;
        return to;
    }
    static void finish(Function& to, BindingList list, ValueId result) {
        to.body = to.add_block();
        to[to.body].bindings = std::move(list);
        to[to.body].results = {result};
    }

    // Parameters and sizes that some call of itself changes are not known before.
    void calls_in(BlockId block) {
        for (BindingId id : from_[block].bindings) {
            const Binding& b = from_[id];
            if (b.form == Form::call && b.function == id_) {
                for (size_t i = 0; i < b.args.size(); ++i)
                    if (b.args[i] != from_.params[i]) known_.erase(from_.params[i]);
                for (size_t i = 0; i < b.dims.size(); ++i)
                    if (b.dims[i] != module_.dims.of(from_.symbols[i])) symbols_.erase(from_.symbols[i]);
            }
            for (BlockId nested : blocks_of(b)) calls_in(nested);
        }
    }
    bool is_known(Dim d) const {
        return !d.valid() || std::ranges::all_of(module_.dims.symbols_of(d), [&](Sym s) { return symbols_.contains(s); });
    }
    bool is_known(ValueId v) const {
        const Binding* b = edit_.definition(v);
        return b && is_immediate(*b) ? is_known(b->dim) : known_.contains(v);
    }
    bool is_known(const Binding& b) const {
        if (!b.defines.empty() || !std::ranges::all_of(b.args, [&](ValueId v) { return is_known(v); })) return false;
        std::vector<Sym> sizes;
        for (ValueId result : b.results) collect_type_symbols(module_, from_[result].type, sizes);
        return std::ranges::all_of(sizes, [&](Sym s) { return symbols_.contains(s); });
    }
    void find(BlockId block) {
        for (BindingId id : from_[block].bindings) {
            const Binding& b = from_[id];
            if (!is_immediate(b) && is_known(b) && demands_.runs_anywhere(edit_, from_, effects_, b)) {
                candidates_.push_back(id);
                known_.insert(b.results[0]);
            }
            for (BlockId nested : blocks_of(b)) find(nested);
        }
    }

    // Lifted: operators that make tensors, and what they need. Handed on: of those, what others use.
    void keep_needed(BlockId body) {
        std::unordered_set<ValueId> needed, made;
        std::vector<BindingId> kept;
        for (size_t i = candidates_.size(); i-- > 0;) {
            const Binding& b = from_[candidates_[i]];
            const Type& type = module_.types[from_[b.results[0]].type];
            bool works = b.form == Form::op && b.op->name != "full" && type.kind == TypeKind::tensor && !type.shape.dims.empty();
            if (!works && !needed.contains(b.results[0])) continue;
            kept.push_back(candidates_[i]);
            for (ValueId arg : b.args) needed.insert(arg);
            if (works) made.insert(b.results[0]);
        }
        std::reverse(kept.begin(), kept.end());
        std::unordered_set<BindingId> inside(kept.begin(), kept.end());
        std::unordered_set<ValueId> used;
        uses_outside(body, inside, used);
        for (BindingId id : kept) {
            for (ValueId arg : from_[id].args)
                if (const Binding* b = edit_.definition(arg); b && is_immediate(*b)) lifted_.push_back(edit_.definition_id(arg));
            lifted_.push_back(id);
            if (ValueId v = from_[id].results[0]; made.contains(v) && used.contains(v)) handed_on_.push_back(v);
        }
    }
    void uses_outside(BlockId block, const std::unordered_set<BindingId>& inside, std::unordered_set<ValueId>& out) const {
        for (BindingId id : from_[block].bindings) {
            if (!inside.contains(id)) out.insert(from_[id].args.begin(), from_[id].args.end());
            for (BlockId nested : blocks_of(from_[id])) uses_outside(nested, inside, out);
        }
        out.insert(from_[block].results.begin(), from_[block].results.end());
    }

    Module& module_;
    FunctionId id_;
    const Effects& effects_;
    SizeDemands& demands_;
    Function from_;                                      // as it was
    FunctionEdit edit_;                                  // only asked for definitions
    std::unordered_set<ValueId> known_;
    std::unordered_set<Sym> symbols_;
    std::vector<BindingId> candidates_, lifted_;         // in order; constants before their users
    std::vector<ValueId> handed_on_;
};
} // namespace

Result<Module> static_arguments(Module module) {
    CallGraph calls(module);
    Effects effects(module);
    SizeDemands demands(module);
    std::vector<uint32_t> members(module.functions.size());
    for (uint32_t group : calls.group) ++members[group];
    std::unordered_set<std::string> names;
    for (const Function& f : module.functions) names.insert(f.name);
    for (size_t i = 0, count = module.functions.size(); i < count; ++i) {
        if (!calls.recursive[i] || members[calls.group[i]] != 1) continue;
        StaticArguments pass(module, FunctionId(i), effects, demands);
        if (!pass.worthwhile()) continue;
        FunctionId inner(module.functions.size());
        std::string name = module.functions[i].name + "_inner";
        for (int n = 1; !names.insert(name).second; ++n) name = module.functions[i].name + "_inner." + std::to_string(n);
        Function first = pass.outer(inner), rest = pass.inner(inner, std::move(name));
        module.functions[i] = std::move(first);
        module.functions.push_back(std::move(rest));
    }
    return module;
}
} // namespace nereus
