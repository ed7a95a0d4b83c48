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

// Sizes by name mean something in one function only; (3) and () do everywhere.
static bool names_sizes(const Module& module, TypeId id) {
    const Type& t = module.types[id];
    auto named = [&](Dim d) { return d.valid() && !module.dims.constant_value(d); };
    auto names = [&](const Shape& shape) {
        return shape.tail.valid() || std::any_of(shape.dims.begin(), shape.dims.end(), named);
    };
    if (t.kind == TypeKind::function) return false;
    if (t.kind == TypeKind::tensor) return names(t.shape);
    for (const TypeArg& arg : t.args) {
        if (const Dim* d = std::get_if<Dim>(&arg); d && named(*d)) return true;
        if (const Shape* shape = std::get_if<Shape>(&arg); shape && names(*shape)) return true;
        if (const TypeId* inner = std::get_if<TypeId>(&arg); inner && names_sizes(module, *inner)) return true;
    }
    return std::any_of(t.parts.begin(), t.parts.end(), [&](TypeId part) { return names_sizes(module, part); });
}

// Copies a function; bodies of callees that differentiate a parameter stand in place of their calls, or calls of copies do.
class WriteOut {
 public:
    using Values = std::vector<ValueId>;
    using Made = KnownFunctions::Made;
    struct Source { const Function& function; Values values; bool plain; };   // plain: its sizes mean nothing here

    WriteOut(KnownFunctions& all, Writer& w) : all_(all), module_(all.module_), w_(w) {}

    void bindings(Source& from, BlockId block) {
        for (BindingId id : from.function[block].bindings) binding(from, from.function[id]);
    }
    Values results(const Source& from, BlockId block) const {
        Values all;
        for (ValueId result : from.function[block].results) all.push_back(from.values[result.index]);
        return all;
    }
    Status status() { return std::move(status_); }       // asked once, at the end

 private:
    TypeId type(const Source& from, ValueId v) {
        TypeId written = from.function[v].type;
        return from.plain && names_sizes(module_, written) ? all_.shadows_.plain(written) : written;
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
        if (!status_) return;
        Span outer = std::exchange(w_.span, b.span);
        ValueId result = b.results[0];
        const bool known = b.form == Form::call && all_.found_.contains(b.function);
        Values args;
        for (ValueId arg : b.args) args.push_back(from.values[arg.index]);
        if (known && !all_.recursive_.contains(b.function)) {
            const Function function = module_[b.function];           // a copy may be added meanwhile
            Source callee{function, Values(function.values.size()), true};
            for (size_t i = 0; i < args.size(); ++i) callee.values[function.params[i].index] = args[i];
            bindings(callee, function.body);
            from.values[result.index] = results(callee, function.body)[0];
        } else if (ValueId called = known ? call_copy(b.function, args, type(from, result)) : ValueId(); called.valid()) {
            from.values[result.index] = called;
        } else {
            Binding made = b;
            made.args = std::move(args);
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

    const Binding* definition(ValueId v) const {
        for (const Binding& b : w_.function().bindings)
            if (!b.results.empty() && b.results[0] == v) return &b;
        return nullptr;
    }
    // Null: not seen from here, or it needs sizes that have a meaning only here.
    const Made* made(ValueId v) {
        if (auto it = made_.find(v); it != made_.end()) return &it->second;
        const Binding* b = definition(v);
        if (!b) return nullptr;
        if (b->form == Form::function) return &(made_[v] = {-1 - int64_t(b->function.index), {}});
        if (b->form != Form::lambda || needs_sizes(b->blocks[0])) return nullptr;
        Made made{all_.places_++, {}};
        std::set<ValueId> bound;
        free_values(w_.function(), b->blocks[0], bound, made.captured);
        return &(made_[v] = std::move(made));
    }
    bool needs_sizes(BlockId block) const {
        const Function& f = w_.function();
        auto states = [&](ValueId v) { return names_sizes(module_, f[v].type) && all_.shadows_.plain(f[v].type) != f[v].type; };
        if (std::any_of(f[block].params.begin(), f[block].params.end(), states)) return true;
        return std::any_of(f[block].bindings.begin(), f[block].bindings.end(), [&](BindingId id) {
            const Binding& b = f[id];
            return (b.form == Form::dim && !module_.dims.constant_value(b.dim)) || std::any_of(b.results.begin(), b.results.end(), states) ||
                   std::any_of(b.blocks.begin(), b.blocks.end(), [&](BlockId inner) { return needs_sizes(inner); });
        });
    }

    // The call of a copy that has its functions inside. Invalid: they are not known here.
    ValueId call_copy(FunctionId id, const Values& args, TypeId result) {
        KnownFunctions::Copy copy{id, {}};
        Values functions, handed;
        for (size_t i = 0; i < args.size(); ++i) {
            if (!all_.is_function(module_[id], module_[id].params[i])) { handed.push_back(args[i]); continue; }
            const Made* known = made(args[i]);
            if (!known) return {};
            copy.second.push_back(known->where);
            functions.push_back(args[i]);
        }
        for (ValueId function : functions) {
            const Values captured = made_[function].captured;
            handed.insert(handed.end(), captured.begin(), captured.end());
        }
        FunctionId target = write_copy(copy, functions);
        return status_ ? w_.call(target, handed, result) : w_.unit();
    }
    FunctionId write_copy(const KnownFunctions::Copy& copy, const Values& functions) {
        if (auto it = all_.copies_.find(copy); it != all_.copies_.end()) return it->second;
        for (const KnownFunctions::Copy& busy : all_.busy_)
            if (busy.first == copy.first) {
                status_ = Error{Code::unsupported, "the order of differentiation is not bounded: @" + module_[copy.first].name +
                                                       " differentiates a function and calls itself with another one", w_.span};
                return {};
            }
        const Function source = module_[copy.first];
        const FunctionId id = all_.copies_[copy] = all_.structures_.new_function(source.name + ".known", source.span);
        all_.busy_.push_back(copy);
        Function out;
        out.name = module_[id].name, out.type_params = source.type_params, out.where = source.where;
        out.from_prelude = source.from_prelude, out.span = source.span, out.result = source.result;
        Writer w(module_, all_.shadows_, out);
        w.span = source.span;
        WriteOut inside(all_, w);
        Source from{source, Values(source.values.size()), false};
        for (ValueId param : source.params)
            if (!all_.is_function(source, param)) from.values[param.index] = w.param(source[param].name, source[param].type);
        size_t next = 0;
        for (ValueId param : source.params)
            if (all_.is_function(source, param)) from.values[param.index] = inside.rebuilt(*this, functions[next++]);
        inside.bindings(from, source.body);
        all_.busy_.pop_back();
        if (status_ = inside.status(); !status_) return {};
        w.finish(out.body, inside.results(from, source.body));
        module_[id] = std::move(out);
        return id;
    }
    // The function value of another place, here, over parameters for what it captures.
    ValueId rebuilt(WriteOut& there, ValueId v) {
        const Function& function = there.w_.function();
        const Made known = there.made_[v];
        Source from{function, Values(function.values.size()), true};
        Made here{known.where, {}};
        for (ValueId captured : known.captured) {
            here.captured.push_back(w_.param(function[captured].name, type(from, captured)));
            from.values[captured.index] = here.captured.back();
        }
        binding(from, *there.definition(v));
        made_[from.values[v.index]] = here;
        return from.values[v.index];
    }

    KnownFunctions& all_;
    Module& module_;
    Writer& w_;
    std::map<ValueId, Made> made_;
    Status status_;
};

Status KnownFunctions::run() {
    find_recursive();
    const size_t given = module_.functions.size();
    for (bool more = true; more;) {                      // among functions that call each other, one finds the next
        more = false;
        for (FunctionId id : recursive_) more = (differentiates(module_[id]) && found_.insert(id).second) || more;
    }
    for (size_t i = 0; i < given; ++i) TRY(visit(FunctionId(i)));
    return {};
}

void KnownFunctions::find_recursive() {
    for (size_t i = 0; i < module_.functions.size(); ++i) {
        std::set<FunctionId> reached;
        std::vector<FunctionId> open{FunctionId(i)};
        while (!open.empty()) {
            const FunctionId id = open.back();
            open.pop_back();
            for (const Binding& b : module_[id].bindings)
                if (b.form == Form::call && reached.insert(b.function).second) open.push_back(b.function);
        }
        if (reached.contains(FunctionId(i))) recursive_.insert(FunctionId(i));
    }
}

// Callees first: what is written out may itself differentiate a parameter of this one.
Status KnownFunctions::visit(FunctionId id) {
    if (!seen_.insert(id).second) return {};
    std::set<FunctionId> callees;
    for (const Binding& b : module_[id].bindings)
        if (b.form == Form::call) callees.insert(b.function);
    bool changes = false;
    for (FunctionId callee : callees) {
        TRY(visit(callee));
        changes = changes || found_.contains(callee);
    }
    if (recursive_.contains(id) && found_.contains(id)) return {};   // what is called are its copies
    if (changes) {
        const Function source = module_[id];
        Function out;
        out.name = source.name, out.type_params = source.type_params, out.where = source.where;
        out.from_prelude = source.from_prelude, out.span = source.span, out.result = source.result;
        out.vjp_forward = source.vjp_forward, out.vjp_backward = source.vjp_backward;
        Writer w(module_, shadows_, out);
        WriteOut copy(*this, w);
        WriteOut::Source from{source, std::vector<ValueId>(source.values.size()), false};
        for (ValueId param : source.params) {
            w.span = source[param].span;
            from.values[param.index] = w.param(source[param].name, source[param].type);
        }
        copy.bindings(from, source.body);
        TRY(copy.status());
        w.finish(out.body, copy.results(from, source.body));
        module_[id] = std::move(out);
    }
    if (differentiates(module_[id])) found_.insert(id);
    return {};
}

// By itself, or by a recursive function that it hands one on to.
bool KnownFunctions::differentiates(const Function& f) const {
    std::unordered_map<ValueId, const Binding*> definitions;
    std::set<ValueId> wanted;                            // function parameters
    for (ValueId param : f.params)
        if (is_function(f, param)) wanted.insert(param);
    const bool recursive = std::any_of(recursive_.begin(), recursive_.end(), [&](FunctionId id) { return &module_[id] == &f; });
    for (const Binding& b : f.bindings) {
        for (ValueId result : b.results) definitions[result] = &b;
        const bool sized = b.form == Form::dim && !module_.dims.constant_value(b.dim);   // by its own signature
        if (sized && !recursive) return false;
    }
    std::set<ValueId> bound;
    std::vector<ValueId> reached;                        // by what is differentiated
    for (const Binding& b : f.bindings) {
        if (b.form == Form::op && b.op->builtin == Builtin::grad) reached.push_back(b.args[0]);
        if (b.form == Form::call && found_.contains(b.function) && recursive_.contains(b.function))
            reached.insert(reached.end(), b.args.begin(), b.args.end());
    }
    for (size_t i = 0; i < reached.size(); ++i) {
        if (wanted.contains(reached[i])) return true;
        auto it = definitions.find(reached[i]);
        if (it != definitions.end() && it->second->form == Form::lambda)
            free_values(f, it->second->blocks[0], bound, reached);
    }
    return false;
}
} // namespace nereus
