#include "grad/known_functions.h"
#include <algorithm>

namespace nereus {
void free_values(const Function& f, BlockId block, std::set<ValueId>& bound, std::vector<ValueId>& free) {
    auto use = [&](ValueId v) {
        if (bound.insert(v).second) free.push_back(v);
    };
    for (ValueId param : f[block].params) bound.insert(param);
    for (BindingId id : f[block].bindings) {
        const Binding& b = f[id];
        for (ValueId arg : b.args) use(arg);
        for (BlockId inner : b.blocks)                   // conditions and guards see them
            for (ValueId param : f[inner].params) bound.insert(param);
        for (const Arm& arm : b.arms)
            if (arm.guard.valid()) free_values(f, arm.guard, bound, free);
        for (BlockId inner : b.blocks) free_values(f, inner, bound, free);
        for (ValueId result : b.results) bound.insert(result);
    }
    for (ValueId result : f[block].results) use(result);
}

namespace {
// Copies a function; bodies of the chosen callees stand in place of their calls.
class Inline {
 public:
    Inline(Module& module, ShadowTypes& shadows, Writer& w, const std::set<FunctionId>& chosen)
        : module_(module), shadows_(shadows), w_(w), chosen_(chosen) {}

    using Values = std::vector<ValueId>;
    struct Source { const Function& function; Values values; bool plain; };   // plain: its sizes mean nothing here

    void bindings(Source& from, BlockId block) {
        for (BindingId id : from.function[block].bindings) binding(from, from.function[id]);
    }
    Values results(const Source& from, BlockId block) const {
        Values all;
        for (ValueId result : from.function[block].results) all.push_back(from.values[result.index]);
        return all;
    }

 private:
    TypeId type(const Source& from, ValueId v) {
        TypeId written = from.function[v].type;
        return from.plain ? shadows_.plain(written) : written;
    }
    Values new_params(Source& from, BlockId block) {
        Values all;
        for (ValueId param : from.function[block].params) {
            all.push_back(w_.value(from.function[param].name, type(from, param)));
            from.values[param.index] = all.back();
        }
        return all;
    }
    BlockId copied(Source& from, BlockId block, Values params) {
        return *w_.block(std::move(params), [&]() -> Result<Values> {
            bindings(from, block);
            return results(from, block);
        });
    }
    Pattern renamed(const Source& from, const Pattern& pattern) {
        Pattern made = pattern;
        if (made.variable.valid()) made.variable = from.values[made.variable.index];
        for (size_t i = 0; i < made.parts.size(); ++i) made.parts[i] = renamed(from, pattern.parts[i]);
        return made;
    }

    void binding(Source& from, const Binding& b) {
        Span outer = std::exchange(w_.span, b.span);
        ValueId result = b.results[0];
        if (b.form == Form::call && chosen_.contains(b.function)) {
            Source callee{module_[b.function], Values(module_[b.function].values.size()), true};
            for (size_t i = 0; i < b.args.size(); ++i)
                callee.values[callee.function.params[i].index] = from.values[b.args[i].index];
            bindings(callee, callee.function.body);
            from.values[result.index] = results(callee, callee.function.body)[0];
        } else {
            Binding made = b;
            for (ValueId& arg : made.args) arg = from.values[arg.index];
            made.results.clear(), made.blocks.clear();
            std::vector<Values> params;
            for (BlockId block : b.blocks) params.push_back(new_params(from, block));
            for (size_t i = 0; i < b.arms.size(); ++i) {
                made.arms[i].pattern = renamed(from, b.arms[i].pattern);
                if (b.arms[i].guard.valid()) made.arms[i].guard = copied(from, b.arms[i].guard, {});
            }
            for (size_t i = 0; i < b.blocks.size(); ++i) made.blocks.push_back(copied(from, b.blocks[i], params[i]));
            from.values[result.index] = w_.bind(std::move(made), type(from, result), from.function[result].name);
        }
        w_.span = outer;
    }

    Module& module_;
    ShadowTypes& shadows_;
    Writer& w_;
    const std::set<FunctionId>& chosen_;
};
} // namespace

void KnownFunctions::run() {
    for (size_t i = 0; i < module_.functions.size(); ++i) visit(FunctionId(i));
}

// Callees first: what is written out may itself differentiate a parameter of this one.
void KnownFunctions::visit(FunctionId id) {
    if (!seen_.insert(id).second) return;
    std::set<FunctionId> callees;
    for (const Binding& b : module_[id].bindings)
        if (b.form == Form::call) callees.insert(b.function);
    bool inlines = false;
    for (FunctionId callee : callees) {
        visit(callee);
        inlines = inlines || (callee != id && found_.contains(callee));
    }
    if (inlines) {
        const Function source = module_[id];
        Function out;
        out.name = source.name, out.type_params = source.type_params, out.where = source.where;
        out.from_prelude = source.from_prelude, out.span = source.span, out.result = source.result;
        out.vjp_forward = source.vjp_forward, out.vjp_backward = source.vjp_backward;
        Writer w(module_, shadows_, out);
        Inline copy(module_, shadows_, w, found_);
        Inline::Source from{source, std::vector<ValueId>(source.values.size()), false};
        for (ValueId param : source.params) {
            w.span = source[param].span;
            from.values[param.index] = w.param(source[param].name, source[param].type);
        }
        copy.bindings(from, source.body);
        w.finish(out.body, copy.results(from, source.body));
        module_[id] = std::move(out);
    }
    if (judge(module_[id])) found_.insert(id);
}

bool KnownFunctions::judge(const Function& f) const {
    std::unordered_map<ValueId, const Binding*> definitions;
    std::set<ValueId> wanted;                            // function parameters
    for (ValueId param : f.params)
        if (module_.types[f[param].type].kind == TypeKind::function) wanted.insert(param);
    for (const Binding& b : f.bindings) {
        for (ValueId result : b.results) definitions[result] = &b;
        if (b.form == Form::dim && !module_.dims.constant_value(b.dim)) return false;    // sizes of its own signature
    }
    std::set<ValueId> bound;
    std::vector<ValueId> reached;                        // by what is differentiated
    for (const Binding& b : f.bindings)
        if (b.form == Form::op && b.op->builtin == Builtin::grad) reached.push_back(b.args[0]);
    for (size_t i = 0; i < reached.size(); ++i) {
        if (wanted.contains(reached[i])) return true;
        auto it = definitions.find(reached[i]);
        if (it != definitions.end() && it->second->form == Form::lambda)
            free_values(f, it->second->blocks[0], bound, reached);
    }
    return false;
}
} // namespace nereus
