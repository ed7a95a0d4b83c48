#include "grad/cell_adjoints.h"
#include "ir/op.h"
#include "ops/registry.h"
#include <algorithm>

namespace nereus {
bool CellAdjoints::keeps_adjoint(TypeId id) {
    const Type type = module_.types[id];
    return type.kind == TypeKind::ref && shadows_.has_adjoint(type.parts[0]);
}
bool CellAdjoints::holds(TypeId id) {
    auto [it, is_new] = holds_.try_emplace(shadows_.plain(id), false);
    if (!is_new) return it->second;
    bool found = false;
    for (TypeId part : shadows_.reached(id)) found = found || keeps_adjoint(part);
    return holds_[shadows_.plain(id)] = found;
}

std::string CellAdjoints::obstacle(TypeId id) {
    if (!holds(id)) return "";
    for (TypeId part : shadows_.reached(id)) {
        const Type type = module_.types[part];
        if (type.kind != TypeKind::data || !holds(part)) continue;
        const TypeDecl& decl = module_[type.decl];
        bool sized = std::any_of(decl.params.begin(), decl.params.end(), [](const TypeParam& p) { return p.kind != TypeParam::Kind::type; });
        for (const Constructor& c : decl.constructors) sized = sized || !c.dims.empty();
        if (sized) return "cells in data that names sizes";
        for (TypeId inner : shadows_.reached(part)) {
            std::vector<TypeId> back = module_.types[inner].kind == TypeKind::ref ? shadows_.reached(inner) : std::vector<TypeId>();
            if (std::find(back.begin(), back.end(), part) != back.end()) return "data that holds itself in a cell";
        }
    }
    return "";
}

TypeId CellAdjoints::widened(TypeId id) {
    if (!holds(id)) return id;
    Type type = module_.types[id];                       // a copy: interning moves the table
    if (type.kind == TypeKind::data) {
        id = shadows_.plain(id);
        declare(id);
        return module_.types.data(decls_[id].decl, std::vector<TypeArg>(decls_[id].args.begin(), decls_[id].args.end()));
    }
    bool cell = keeps_adjoint(id);
    for (TypeId& part : type.parts) part = widened(part);
    if (cell) type.parts[0] = module_.types.tuple({type.parts[0], types_.held(type.parts[0])});
    return module_.types.intern(std::move(type));
}

// As with adjoints: every part is a type parameter, which the shapes stage follows; what is recursive inside the group
// passes all of them on. A cell is a parameter too: the shapes stage knows a cell by what stands for a parameter alone.
void CellAdjoints::declare(TypeId data) {
    if (decls_.contains(data)) return;
    std::vector<TypeId> group = shadows_.group_of(data), args;
    std::erase_if(group, [&](TypeId member) { return !holds(member); });
    std::vector<TypeParam> params;
    auto in_group = [&](TypeId id) { return std::find(group.begin(), group.end(), id) != group.end(); };
    auto add = [&](TypeId arg) {
        VarId var = module_.add_var("c" + std::to_string(params.size()), VarKind::type);
        params.push_back(TypeParam{TypeParam::Kind::type, var, {}});
        args.push_back(arg);
    };
    auto is_whole = [&](TypeId id) { return !holds(id) || module_.types[id].kind == TypeKind::ref; };
    std::function<void(TypeId)> count = [&](TypeId id) {
        const Type type = module_.types[id];
        if (is_whole(id)) return add(widened(id));
        if (type.kind != TypeKind::data) {
            for (TypeId part : type.parts) count(part);
        } else if (!in_group(id)) {
            declare(id);
            for (TypeId arg : std::vector<TypeId>(decls_[id].args)) add(arg);
        }
    };
    std::vector<std::pair<TypeId, uint32_t>> all;        // constructors of the group, in order
    for (TypeId member : group)
        for (uint32_t i = 0; i < module_[module_.types[member].decl].constructors.size(); ++i) all.push_back({member, i});
    for (auto [member, constructor] : all)
        for (TypeId field : shadows_.fields(member, constructor)) count(field);
    for (TypeId member : group) {
        decls_[member] = {DeclId(module_.decls.size()), args};
        const TypeDecl from = module_[module_.types[member].decl];
        TypeDecl to{.name = shadows_.unique_name(from.name + "Wide"), .params = params, .constructors = {}, .is_record = from.is_record, .span = from.span};
        for (const Constructor& c : from.constructors)
            to.constructors.push_back({.name = from.is_record ? "" : shadows_.unique_name(c.name + "Wide"), .field_names = c.field_names});
        module_.decls.push_back(std::move(to));
    }
    size_t next = 0;                                     // the parameter whose turn it is
    std::function<TypeId(TypeId)> write = [&](TypeId id) -> TypeId {
        Type type = module_.types[id];
        if (is_whole(id)) return module_.types.variable(params[next++].var);
        if (type.kind != TypeKind::data) {
            for (TypeId& part : type.parts) part = write(part);
            return module_.types.intern(std::move(type));
        }
        std::vector<TypeArg> passed;
        size_t wanted = decls_[id].args.size();
        for (size_t i = 0; i < wanted; ++i) passed.push_back(module_.types.variable(params[in_group(id) ? i : next++].var));
        return module_.types.data(decls_[id].decl, std::move(passed));
    };
    for (auto [member, constructor] : all) {
        std::vector<TypeId> written;
        for (TypeId field : shadows_.fields(member, constructor)) written.push_back(write(field));
        module_.decls[decls_[member].decl.index].constructors[constructor].fields = std::move(written);
    }
}

// What is found in a function, or in what it calls; rules of one's own are not looked into.
template <typename Found> bool CellAdjoints::reaches(FunctionId from, const Found& found) {
    std::vector<FunctionId> waiting{from};
    std::set<FunctionId> seen{from};
    while (!waiting.empty()) {
        FunctionId id = waiting.back();
        waiting.pop_back();
        if (module_[id].vjp_forward.valid()) continue;
        if (found(module_[id])) return true;
        for (const Binding& b : module_[id].bindings)
            if (b.form == Form::call && seen.insert(b.function).second) waiting.push_back(b.function);
    }
    return false;
}
bool CellAdjoints::knows_cells(const Function& f) {
    return std::any_of(f.values.begin(), f.values.end(), [&](const ValueInfo& value) { return holds(value.type); });
}
bool CellAdjoints::is_concerned(FunctionId id) {
    auto [it, is_new] = concerned_.try_emplace(id, false);
    if (is_new) concerned_[id] = reaches(id, [&](const Function& f) { return knows_cells(f); });
    return concerned_[id];
}

namespace {
bool is_cell_op(const Binding& b) {
    return b.form == Form::op && (b.op->builtin == Builtin::ref || b.op->builtin == Builtin::read || b.op->builtin == Builtin::write);
}
TypeId cell_of(const Function& f, const Binding& b) { return f[b.op->builtin == Builtin::ref ? b.results[0] : b.args[0]].type; }
} // namespace

bool CellAdjoints::touches(FunctionId id) {
    auto [it, is_new] = touches_.try_emplace(id, false);
    auto found = [&](const Function& f) {
        return std::any_of(f.bindings.begin(), f.bindings.end(), [&](const Binding& b) { return is_cell_op(b) && keeps_adjoint(cell_of(f, b)); });
    };
    if (is_new) touches_[id] = reaches(id, found);
    return touches_[id];
}
bool CellAdjoints::touches(const Function& f, const Binding& b) {
    if (is_cell_op(b)) return keeps_adjoint(cell_of(f, b));
    if (b.form == Form::call) return touches(b.function);
    return std::any_of(b.blocks.begin(), b.blocks.end(), [&](BlockId inner) { return touches(f, inner); });
}
bool CellAdjoints::touches(const Function& f, BlockId block) {
    const std::vector<BindingId>& all = f[block].bindings;
    return std::any_of(all.begin(), all.end(), [&](BindingId id) { return touches(f, f[id]); });
}
bool CellAdjoints::changes(const Function& f, BlockId block) {
    const std::vector<BindingId>& all = f[block].bindings;
    return std::any_of(all.begin(), all.end(), [&](BindingId id) {
        const Binding& b = f[id];
        if (b.blocks.empty()) return touches(f, b) && !(b.form == Form::op && b.op->builtin == Builtin::read);
        return std::any_of(b.blocks.begin(), b.blocks.end(), [&](BlockId inner) { return changes(f, inner); });
    });
}

FunctionId CellAdjoints::widened(FunctionId id) {
    if (!is_concerned(id) || module_[id].vjp_forward.valid()) return id;
    auto [it, is_new] = widened_.try_emplace(id);
    if (!is_new) return it->second;
    FunctionId made = it->second = structures_.new_function(module_[id].name + ".cells", module_[id].span);
    const Function source = module_[id];
    Function f = source;
    f.name = module_[made].name;
    rewrite(f, source);
    module_[made] = std::move(f);
    return made;
}

bool CellAdjoints::can_have_twin(TypeId id) {
    const Type type = module_.types[id];
    if (!holds(id)) return true;
    if (type.kind == TypeKind::ref) return !shadows_.holds_cell(type.parts[0]);
    return type.kind == TypeKind::tuple && std::all_of(type.parts.begin(), type.parts.end(), [&](TypeId part) { return can_have_twin(part); });
}
void CellAdjoints::take_in(Writer& w, ValueId outer, ValueId widened, std::vector<Twin>& twins) {
    Function& f = w.function();
    auto named = [&](Binding b) {                        // under the name that the code has for it
        b.results = {widened}, b.span = w.span;
        f[w.at()].bindings.push_back(f.add_binding(std::move(b)));
    };
    const Type type = module_.types[w.type(outer)];
    if (type.kind == TypeKind::tuple) {
        std::vector<ValueId> parts;
        for (size_t i = 0; i < type.parts.size(); ++i) {
            parts.push_back(w.project(outer, i));
            if (!holds(type.parts[i])) continue;
            ValueId own = w.value("cell", module_.types[w.type(widened)].parts[i]);
            take_in(w, parts.back(), own, twins);
            parts.back() = own;
        }
        return named(Binding{.form = Form::tuple, .args = parts});
    }
    for (const Twin& other : twins)
        if (shadows_.plain(w.type(other.outer)) == shadows_.plain(w.type(outer))) {
            ValueId same = w.builtin("equal", {other.outer, outer}, module_.types.scalar(DType::boolean));
            w.assert_(w.op("not", {same}), "grad: two cells from outside are one and the same");
        }
    ValueId both = w.tuple({w.read(outer), adjoints_.zero_held(w, type.parts[0])});
    const OpDef* make = all_ops().find("ref");
    named(Binding{.form = Form::op, .op = make, .args = {both}, .groups = {{}}});
    twins.push_back({outer, widened});
}
void CellAdjoints::give_back(Writer& w, const std::vector<Twin>& twins) {
    for (const Twin& t : twins) w.write(t.outer, w.project(w.read(t.twin), 0));
}

void CellAdjoints::rewrite(Function& f, const Function& source) {
    for (ValueInfo& value : f.values) value.type = widened(value.type);
    f.result = widened(f.result);
    Writer w(module_, shadows_, f);
    rewrite(w, source, f.body);
}

void CellAdjoints::rewrite(Writer& w, const Function& source, BlockId block) {
    Function& f = w.function();
    const std::vector<BindingId> before = std::move(f[block].bindings);
    f[block].bindings.clear();
    for (BindingId id : before) {
        const Binding b = f[id];
        for (size_t i = 0; i < b.arms.size(); ++i) {
            rewrite(f[id].arms[i].pattern, source[b.args[0]].type);
            if (b.arms[i].guard.valid()) rewrite(w, source, b.arms[i].guard);
        }
        for (BlockId inner : b.blocks) rewrite(w, source, inner);
        w.go_to(block), w.span = b.span;
        if (b.form == Form::call) {
            FunctionId callee = widened(b.function);     // in two steps: making it moves nothing of this function
            f[id].function = callee;
        }
        if (b.decl.valid()) {
            ValueId of = b.form == Form::field ? b.args[0] : b.results[0];
            if (holds(source[of].type)) f[id].decl = module_.types[w.type(of)].decl;
        }
        if (!is_cell_op(b) || !keeps_adjoint(cell_of(source, b))) {
            f[block].bindings.push_back(id);
            continue;
        }
        TypeId content = module_.types[w.type(b.op->builtin == Builtin::ref ? b.results[0] : b.args[0])].parts[0];
        if (b.op->builtin == Builtin::read) {
            ValueId both = w.value("both", content);
            f[id].results = {both};
            f[block].bindings.push_back(id);
            f[block].bindings.push_back(f.add_binding(Binding{.form = Form::project, .args = {both}, .results = b.results, .span = b.span}));
            continue;
        }
        ValueId zero = adjoints_.zero_held(w, module_.types[content].parts[0]);
        ValueId both = w.bind(Binding{.form = Form::tuple, .args = {b.args.back(), zero}}, content);
        f[id].args.back() = both;
        f[block].bindings.push_back(id);
    }
}

void CellAdjoints::rewrite(Pattern& p, TypeId subject) {
    if (!holds(subject)) return;
    subject = shadows_.plain(subject);
    const Type type = module_.types[subject];
    bool record = p.kind == Pattern::Kind::record, constructor = p.kind == Pattern::Kind::constructor;
    if (!record && !constructor && p.kind != Pattern::Kind::tuple) return;
    std::vector<TypeId> fields = type.kind == TypeKind::tuple ? type.parts : shadows_.fields(subject, record ? 0 : p.constructor);
    for (size_t i = 0; i < p.parts.size(); ++i) {
        size_t at = i;
        if (record) {
            const std::vector<std::string>& names = module_[type.decl].constructors[0].field_names;
            at = size_t(std::find(names.begin(), names.end(), p.fields[i]) - names.begin());
        }
        rewrite(p.parts[i], fields[at]);
    }
    if (type.kind == TypeKind::data) p.decl = module_.types[widened(subject)].decl;
}
} // namespace nereus
