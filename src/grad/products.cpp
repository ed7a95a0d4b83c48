#include "grad/products.h"
#include "grad/backward.h"
#include "grad/product_support.h"
#include "grad/rewrite.h"
#include <algorithm>

namespace nereus {
Products::Products(Gradients& all)
    : types(all.module, all.shadows), structures(all.module, all.structures, types),
      cells(all.module, all.structures, types, structures), partial_reads(*this),
      tangents(*this, all.module, all.structures), all_(all) {}

const Module& Products::module() const { return all_.module; }
// So that it is seen who calls whom: a checkpoint becomes a call.
Status Products::expand_reached(FunctionId from, Span asked) {
    std::vector<FunctionId> waiting{from};
    while (!waiting.empty()) {
        const FunctionId id = waiting.back();
        waiting.pop_back();
        if (!expanded_.insert(id).second) continue;
        TRY(all_.expand(id, asked));
        if (has_own_rule(id)) continue;
        for (const Binding& b : all_.module[id].bindings)
            if (b.form == Form::call) waiting.push_back(b.function);
    }
    return {};
}

FunctionId Products::without_checkpoint(FunctionId function) const {
    auto it = checkpoint_of_.find(function);
    return it == checkpoint_of_.end() ? function : it->second;
}
bool Products::has_own_rule(FunctionId function) const {
    return all_.module[function].vjp_forward.valid() && !checkpoint_of_.contains(function);
}
Status Products::expand(FunctionId function, Span asked) { return all_.expand(function, asked); }

const std::set<FunctionId>& Products::reached(FunctionId function) {
    auto [it, is_new] = reached_.try_emplace(function);
    if (!is_new) return it->second;
    std::vector<FunctionId> waiting{function};
    while (!waiting.empty()) {
        FunctionId id = waiting.back();
        waiting.pop_back();
        for (const Binding& b : all_.module[id].bindings)
            if (b.form == Form::call && it->second.insert(b.function).second) waiting.push_back(b.function);
    }
    return it->second;
}
bool Products::recursive(FunctionId function) { return reached(function).contains(function); }

// Parameters of a recursive function that each of its calls of itself is given unchanged.
std::vector<bool> Products::handed_down(FunctionId id) {
    const Function& f = all_.module[id];
    std::vector<bool> all(f.params.size(), true);
    bool calls = false;
    for (const Binding& b : f.bindings) {
        if (b.form != Form::call || b.function != id) continue;
        calls = true;
        for (size_t i = 0; i < f.params.size(); ++i) all[i] = all[i] && b.args[i] == f.params[i];
    }
    return calls ? all : std::vector<bool>(f.params.size());
}

Function Products::copy(const Function& source) {
    Function out;
    out.name = source.name;
    Status done = Rewrite(all_, source, out).copied();
    invariant(bool(done), "code without gradients can be copied");
    return out;
}

Result<Derived> Products::derived(FunctionId function, const std::vector<bool>& active, Span asked) {
    Key key{function, active};
    if (auto it = entries_.find(key); it != entries_.end()) {
        auto open = std::find(stack_.begin(), stack_.end(), key);
        for (auto above = open; above != stack_.end(); ++above)          // these call each other
            entries_[*above].lowest = std::min(entries_[*above].lowest, it->second.lowest);
        return it->second.derived;
    }
    TRY(write_late(function));
    TRY(expand_reached(function, asked));
    Entry entry;
    const std::string name = all_.module[function].name;
    const bool checkpoint = checkpoint_of_.contains(function), custom = has_own_rule(function);
    const bool grouped = !custom && recursive(function), cycle = grouped && !checkpoint;     // a checkpoint keeps nothing
    if (cycle) entry.derived.forward = all_.structures.new_function(name + ".fwd", all_.module[function].span);
    entry.derived.backward = all_.structures.new_function(name + ".bwd", all_.module[function].span);
    entry.derived.threaded = custom ? std::vector<Threaded>(active.size()) : partial_reads.of(without_checkpoint(function));
    entry.derived.again = cycle ? handed_down(function) : std::vector<bool>(active.size(), checkpoint);
    if (checkpoint) entry.derived.forward = checkpoint_of_[function];
    if (cycle) {
        entry.decl = types.reserve_tape(name);
        entry.derived.tape = all_.module.types.data(entry.decl, {});     // with its arguments when these are known
    }
    if (grouped) {
        entry.index = entry.lowest = stack_.size();
        stack_.push_back(key);
    }
    entries_[key] = entry;
    TRY(checkpoint ? derive_checkpoint(key, entry) : custom ? derive_custom(key, entry) : derive(key, entry));
    Entry& done = entries_[key];
    done.derived = entry.derived, done.kept = entry.kept;
    if (grouped && done.lowest == done.index) finish_group(done.index);
    return entries_[key].derived;
}

TypeId Products::named(TypeId id, const std::map<TypeId, TypeId>& to) {
    if (auto it = to.find(id); it != to.end()) return it->second;
    Type type = all_.module.types[id];
    bool changed = false;
    auto inner = [&](TypeId& part) {
        TypeId made = named(part, to);
        changed = changed || made != part;
        part = made;
    };
    for (TypeId& part : type.parts) inner(part);
    for (TypeArg& arg : type.args)
        if (TypeId* part = std::get_if<TypeId>(&arg)) inner(*part);
    return changed ? all_.module.types.intern(std::move(type)) : id;
}

// Every part of what they keep that is no tape of the group becomes a type parameter, shared by all of the group.
void Products::finish_group(size_t from) {
    Module& module = all_.module;
    std::vector<Key> all(stack_.begin() + ptrdiff_t(from), stack_.end()), group;
    stack_.resize(from);
    for (const Key& key : all)                           // the others are checkpoints
        if (entries_[key].decl.valid()) group.push_back(key);
    std::map<TypeId, TypeId> nothing;
    for (const Key& key : group) nothing[entries_[key].derived.tape] = module.types.unit();
    auto holds_tape = [&](TypeId type) { return named(type, nothing) != type; };
    std::vector<TypeParam> params;
    std::vector<TypeArg> args, own;
    std::function<TypeId(TypeId)> opened = [&](TypeId id) -> TypeId {
        if (nothing.contains(id)) return id;
        if (!holds_tape(id)) {
            VarId var = module.add_var("k" + std::to_string(params.size()), VarKind::type);
            params.push_back(TypeParam{TypeParam::Kind::type, var, {}});
            args.push_back(id), own.push_back(module.types.variable(var));
            return module.types.variable(var);
        }
        Type type = module.types[id];
        for (TypeId& part : type.parts) part = opened(part);
        for (TypeArg& arg : type.args)
            if (TypeId* part = std::get_if<TypeId>(&arg)) arg = opened(*part);
        return module.types.intern(std::move(type));
    };
    std::map<Key, std::vector<TypeId>> fields;
    for (const Key& key : group)
        for (TypeId kept : entries_[key].kept) fields[key].push_back(opened(kept));
    std::map<TypeId, TypeId> inside, outside;            // a tape as the declarations and as the functions name it
    for (const Key& key : group) {
        inside[entries_[key].derived.tape] = module.types.data(entries_[key].decl, own);
        outside[entries_[key].derived.tape] = module.types.data(entries_[key].decl, args);
    }
    for (const Key& key : group) {
        Entry& entry = entries_[key];
        TypeDecl& decl = module.decls[entry.decl.index];
        decl.params = params;
        for (TypeId& field : fields[key]) field = named(field, inside);
        decl.constructors = {{.name = decl.name, .fields = fields[key]}};
    }
    for (const Key& key : all) {
        Entry& entry = entries_[key];
        for (FunctionId id : {entry.derived.forward, entry.derived.backward}) {
            for (ValueInfo& value : module[id].values) value.type = named(value.type, outside);
            module[id].result = named(module[id].result, outside);
        }
        if (entry.decl.valid()) entry.derived.tape = outside[entry.derived.tape];
    }
}

const Products::Made* Products::source_of(FunctionId gradient) const {
    auto it = made_.find(gradient);
    return it == made_.end() ? nullptr : &it->second;
}

Result<FunctionId> Products::gradient(FunctionId function, const GradientForm& form, Span asked) {
    if (auto it = gradients_.find({function, form}); it != gradients_.end()) return it->second;
    TRY(write_late(function));
    TRY(all_.expand(function, asked));
    FunctionId made = reserve(function, form);
    TRY(write_gradient(made, asked));
    return made;
}

FunctionId Products::reserve(FunctionId function, const GradientForm& form) {
    const Function& source = all_.module[function];
    FunctionId made = all_.structures.new_function(source.name + ".grad", source.span);
    gradients_[{function, form}] = made;
    made_[made] = {function, form};
    return made;
}

Status Products::write_late() {
    while (!late_.empty()) TRY(write_late(late_.begin()->first));
    return {};
}
Status Products::write_late(FunctionId gradient) {
    auto it = late_.find(gradient);
    if (it == late_.end()) return {};
    const Span asked = it->second;
    late_.erase(it);
    TRY(check_run_again(made_[gradient].function, asked));
    return write_gradient(gradient, asked);
}

Status Products::check_run_again(FunctionId function, Span asked) {
    ProductSupport support(all_);
    const std::string obstacle = TRY(support.obstacle(function, asked));
    if (!obstacle.empty() || support.prints()) return not_run_again(obstacle, asked);
    return {};
}

Status Products::write_gradient(FunctionId made, Span asked) {
    Module& module = all_.module;
    ShadowTypes& shadows = all_.shadows;
    auto [function, form] = made_[made];
    TRY(expand_reached(function, asked));
    const Function given = module[function];             // the signature that callers know
    function = cells.widened(function);
    Function out;
    if (!recursive(function) && !module[function].vjp_forward.valid()) out = copy(module[function]);
    else {
        const Function source = module[function];
        out.type_params = source.type_params, out.where = source.where, out.span = source.span;
        out.result = source.result;
        Writer w(module, shadows, out);
        for (ValueId param : source.params) w.param(source[param].name, source[param].type);
        w.span = asked;
        w.finish(out.body, {w.call(function, out.params, source.result, "y")});
    }
    out.name = module[made].name;
    Writer w(module, shadows, out);
    w.span = asked;
    std::vector<CellAdjoints::Twin> twins;
    const std::vector<BindingId> code = std::exchange(out[out.body].bindings, {});
    for (size_t i = 0; i < out.params.size(); ++i) {
        if (!cells.holds(given[given.params[i]].type)) continue;
        ValueId outer = w.value(out[out.params[i]].name, given[given.params[i]].type);
        cells.take_in(w, outer, std::exchange(out.params[i], outer), twins);
    }
    const size_t first = out[out.body].bindings.size();
    out[out.body].bindings.insert(out[out.body].bindings.end(), code.begin(), code.end());
    Backward back(*this, w);
    std::vector<ValueId> params = out.params, inputs;
    for (int64_t i : form.wrt) inputs.push_back(params[size_t(i)]);
    back.read(out.body, first, inputs);
    w.go_to(out.body);
    ValueId y = out[out.body].results[0];
    std::vector<ValueId> results;
    if (form.op == "vjp") {
        ValueId given = w.param("dy", shadows.plain(out.result));
        Leaves adjoint = TRY(structures.fitted(w, y, given, form.whose));
        TRY(back.contribute(y, adjoint));
    } else {
        ValueId scalar = w.op("full", {{{}, true}, y}, {{"as", form.op}});           // refuses anything but a scalar
        if (form.op == "value_and_grad") results.push_back(scalar);
        TRY(back.contribute(y, {w.number(1, w.dtype(scalar))}));
    }
    TRY(back.walk());
    cells.give_back(w, twins);
    std::vector<ValueId> adjoints;
    for (ValueId input : inputs) adjoints.push_back(TRY(structures.forced(w, input, back.adjoint(input))));
    results.push_back(w.tuple(adjoints));
    w.finish(out.body, {w.tuple(results)});
    out.result = shadows.plain(w.type(out[out.body].results[0]));
    out.vjp_forward = out.vjp_backward = {};
    module[made] = copy(out);
    return {};
}
} // namespace nereus
