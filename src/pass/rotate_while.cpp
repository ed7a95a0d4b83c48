// pass/rotate_while.cpp - the condition of a while is evaluated before the loop and at the end of its body, and carried as
// a bool: what it does is then part of the body, in the same order as before. Gradients need that: a condition that writes
// a cell is differentiated with the trip it ends.
//
//     while (s = a) (c(s)) { b(s) }   becomes   while (s = a, go = c(a)) (go) { n = b(s); (n, c(n)) }
//
// For modules before shapes; a loop that already carries sizes stays as it is.
#include "pass/rotate_while.h"
#include "pass/effects.h"
#include "pass/function_edit.h"
#include "pass/passes.h"
#include <algorithm>

namespace nereus {
namespace {
class RotateWhile {
 public:
    using Which = std::function<bool(const Binding& loop)>;
    RotateWhile(Module& module, Function& function, const Which& which)
        : module_(module), f_(function), edit_(module, function), which_(which) {}
    void run() { block(f_.body); }

 private:
    void block(BlockId id) {
        BindingList before = std::move(f_[id].bindings), after;
        for (BindingId at : before) {
            for (BlockId nested : blocks_of(Binding(f_[at]))) block(nested);
            const Binding& b = f_[at];
            if (b.form == Form::while_ && !carries_its_condition(b) && b.dims.empty() && which_(b)) rotate(at, after);
            else after.push_back(at);
        }
        f_[id].bindings = std::move(after);
    }
    bool carries_its_condition(const Binding& b) const {
        const Block &condition = f_[b.blocks[0]], &body = f_[b.blocks[1]];
        if (!condition.bindings.empty()) return false;
        for (ValueId param : body.params)
            if (condition.results[0] == param) return true;
        return false;
    }

    // The condition, with these values for the states.
    ValueId condition(const Binding& loop, const std::vector<ValueId>& states, BindingList& out) {
        BlockCopy copy(edit_, f_);
        const std::vector<ValueId> params = f_[loop.blocks[1]].params;
        for (size_t i = 0; i < params.size(); ++i) copy.put(params[i], states[i]);
        copy.bindings(loop.blocks[0], out);
        return copy.value(f_[loop.blocks[0]].results[0], out);
    }

    void rotate(BindingId at, BindingList& out) {
        const Binding loop = f_[at];                     // loops inside are rotated already
        const size_t states = loop.args.size();
        Block body = f_[loop.blocks[1]];
        std::vector<TypeId> types;
        TypeId whole = f_[loop.results[0]].type;
        if (body.results.size() == 1) types = {whole};
        else types = module_.types[whole].parts;
        TypeId truth = f_[f_[loop.blocks[0]].results[0]].type;

        Binding made = loop;
        made.args.push_back(condition(loop, loop.args, out));
        std::vector<ValueId> next(body.results.begin(), body.results.begin() + ptrdiff_t(states));
        ValueId goes_on = condition(loop, next, body.bindings);
        ValueId carried = edit_.add_value("go", truth, loop.span);
        body.params.push_back(carried);
        body.results.insert(body.results.begin() + ptrdiff_t(states), goes_on);
        Block test;
        test.span = f_[loop.blocks[0]].span;
        test.results = {carried};
        f_[loop.blocks[0]] = std::move(test);
        f_[loop.blocks[1]] = std::move(body);

        std::vector<TypeId> wider = types;
        wider.insert(wider.begin() + ptrdiff_t(states), truth);
        if (wider.size() == 1) {                         // no states at all: nothing but the condition is carried
            edit_.add(std::move(made), truth, "rotated", out);
            Binding unit{.form = Form::literal, .span = loop.span};
            finish(std::move(unit), loop, out);
            return;
        }
        ValueId rotated = edit_.add(std::move(made), module_.types.tuple(wider), "rotated", out);
        std::vector<ValueId> parts;
        for (uint32_t i = 0; i < wider.size(); ++i) {
            if (i == states) continue;
            Binding part{.form = Form::project, .args = {rotated}, .index = i, .span = loop.span};
            if (types.size() == 1) {
                finish(std::move(part), loop, out);
                return;
            }
            parts.push_back(edit_.add(std::move(part), wider[i], "last", out));
        }
        finish(Binding{.form = Form::tuple, .args = std::move(parts), .span = loop.span}, loop, out);
    }
    void finish(Binding made, const Binding& loop, BindingList& out) {   // under the name that the loop had
        made.results = loop.results;
        BindingId id = f_.add_binding(std::move(made));
        edit_.defined(id);
        out.push_back(id);
    }

    Module& module_;
    Function& f_;
    FunctionEdit edit_;
    const Which& which_;
};
} // namespace

void rotate_loops(Module& module, Function& function, const std::function<bool(const Binding& loop)>& which) {
    RotateWhile(module, function, which).run();
}

Module rotate_writing_loops(Module module) {
    auto is_gradient = [](const Binding& b) { return b.form == Form::op && b.op->builtin == Builtin::grad; };
    auto differentiates = [&](const Function& f) { return std::any_of(f.bindings.begin(), f.bindings.end(), is_gradient); };
    if (std::none_of(module.functions.begin(), module.functions.end(), differentiates)) return module;
    const Effects effects(module);                       // of what is called: rotating changes no function's
    for (Function& function : module.functions)
        rotate_loops(module, function, [&](const Binding& loop) { return effects.of(function, loop.blocks[0]).effect >= Effect::writes; });
    return module;
}

Result<Module> rotate_while(Module module) {
    for (Function& function : module.functions) rotate_loops(module, function, [](const Binding&) { return true; });
    return module;
}
} // namespace nereus
