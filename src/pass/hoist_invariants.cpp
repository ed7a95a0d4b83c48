// pass/hoist_invariants.cpp - moves out of loops what every trip would compute alike: bindings that do nothing but give a
// value and depend on values from outside the loop only. They stop before the outermost loop they are invariant in.
//
// A loop may run no trip at all, so only what cannot fail moves: total operators whose demands on sizes hold everywhere
// (size_demands.h), parts of structures, closures. Nothing leaves an arm. Needs the module as the shapes stage leaves it.
//
// One walk: every value and symbol has a level, the number of loops around it; a binding may go to the level of the
// deepest thing it mentions. Constants go where their user goes.
#include "pass/effects.h"
#include "pass/function_edit.h"
#include "pass/passes.h"
#include "pass/size_demands.h"
#include <algorithm>

namespace nereus {
namespace {
class HoistInvariants {
 public:
    HoistInvariants(Module& module, Function& function, const Effects& effects, SizeDemands& demands)
        : module_(module), f_(function), edit_(module, function), effects_(effects), demands_(demands) {}

    void run() { block(f_.body, 0, 0); }

 private:
    // `depth` loops are around the block; nothing in it may go above `lowest` of them.
    void block(BlockId id, size_t depth, size_t lowest) {
        BindingList before = std::move(f_[id].bindings), after;
        for (Sym s : f_[id].symbols) symbol_levels_[s] = depth;
        for (ValueId param : f_[id].params) levels_[param] = depth;
        for (BindingId at : before) {
            if (is_immediate(f_[at])) continue;          // written where it is used
            size_t level = std::max(lowest, level_of(f_[at]));
            bool moves = level < depth && demands_.runs_anywhere(edit_, f_, effects_, f_[at]);
            BindingList& to = moves ? *before_loop_[level] : after;
            for (ValueId arg : f_[at].args) constant(arg, to);
            enter_blocks(at, depth, lowest, after);
            to.push_back(at);
            for (ValueId result : f_[at].results) levels_[result] = moves ? level : depth;
            for (Sym s : f_[at].defines) symbol_levels_[s] = moves ? level : depth;
        }
        for (ValueId result : f_[id].results) constant(result, after);
        f_[id].bindings = std::move(after);
    }

    void enter_blocks(BindingId at, size_t depth, size_t lowest, BindingList& list) {
        const Binding b = f_[at];
        const bool loop = b.form == Form::for_ || b.form == Form::while_;
        if (loop) {
            before_loop_.resize(std::max(before_loop_.size(), depth + 1));
            BindingList* outer = std::exchange(before_loop_[depth], &list);
            const Block& body = f_[b.blocks.back()];
            for (Sym s : body.symbols) symbol_levels_[s] = depth + 1;
            for (ValueId param : body.params) levels_[param] = depth + 1;
            if (b.form == Form::for_ && f_[body.params[0]].known.valid())
                for (Sym s : module_.dims.symbols_of(f_[body.params[0]].known)) symbol_levels_.try_emplace(s, depth + 1);
            for (BlockId nested : b.blocks) block(nested, depth + 1, lowest);
            before_loop_[depth] = outer;
            return;
        }
        for (const ApplyTarget& t : b.targets) {
            for (Sym s : t.opened) symbol_levels_[s] = depth;
            for (Sym s : t.chosen) symbol_levels_[s] = depth;
        }
        for (size_t i = 0; i < b.blocks.size(); ++i) {
            for (ValueId param : f_[b.blocks[i]].params) levels_[param] = depth;       // the guard sees them too
            for (Sym s : f_[b.blocks[i]].symbols) symbol_levels_[s] = depth;
            if (i < b.arms.size() && b.arms[i].guard.valid()) block(b.arms[i].guard, depth, depth);
            block(b.blocks[i], depth, depth);
        }
    }

    void constant(ValueId v, BindingList& to) {
        const Binding* b = edit_.definition(v);
        if (b && is_immediate(*b)) to.push_back(edit_.definition_id(v));
    }

    size_t level_of(Dim d) {
        size_t level = 0;
        if (d.valid())
            for (Sym s : module_.dims.symbols_of(d)) level = std::max(level, level_of(s));
        return level;
    }
    size_t level_of(Sym s) const {
        auto it = symbol_levels_.find(s);
        return it == symbol_levels_.end() ? 0 : it->second;
    }
    size_t level_of(ValueId v) {
        if (const Binding* b = edit_.definition(v); b && is_immediate(*b)) return std::max(level_of(b->dim), level_of_type(f_[v].type));
        auto it = levels_.find(v);
        return it == levels_.end() ? 0 : it->second;
    }
    size_t level_of_type(TypeId id) {
        auto [it, is_new] = type_symbols_.try_emplace(id);
        if (is_new) collect_type_symbols(module_, id, it->second);
        size_t level = 0;
        for (Sym s : it->second) level = std::max(level, level_of(s));
        return level;
    }
    // What it defines has no level yet, and counts for nothing.
    size_t level_of(const Binding& b) {
        size_t level = std::max(level_of(b.fact.left), level_of(b.fact.right));
        for (ValueId arg : b.args) level = std::max(level, level_of(arg));
        for (Dim d : b.dims) level = std::max(level, level_of(d));
        for (const Attribute& a : b.attributes) {
            if (const Dim* d = std::get_if<Dim>(&a.value)) level = std::max(level, level_of(*d));
            if (const TypeId* t = std::get_if<TypeId>(&a.value)) level = std::max(level, level_of_type(*t));
        }
        for (ValueId result : b.results) level = std::max({level, level_of_type(f_[result].type), level_of(f_[result].known)});
        return level;
    }

    Module& module_;
    Function& f_;
    FunctionEdit edit_;
    const Effects& effects_;
    SizeDemands& demands_;
    std::unordered_map<ValueId, size_t> levels_;         // parameters of the function: 0
    std::unordered_map<Sym, size_t> symbol_levels_;
    std::unordered_map<TypeId, std::vector<Sym>> type_symbols_;
    std::vector<BindingList*> before_loop_;              // by level: the list that ends before the loop around it
};
} // namespace

Result<Module> hoist_invariants(Module module) {
    Effects effects(module);
    SizeDemands demands(module);
    for (Function& function : module.functions) HoistInvariants(module, function, effects, demands).run();
    return module;
}
} // namespace nereus
