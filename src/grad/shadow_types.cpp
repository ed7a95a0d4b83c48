#include "grad/shadow_types.h"
#include "ir/instantiate.h"
#include <algorithm>
#include <functional>

namespace nereus {
ShadowTypes::ShadowTypes(Module& module) : module_(module) {
    for (const TypeDecl& decl : module.decls) {
        names_.insert(decl.name);
        for (const Constructor& constructor : decl.constructors) names_.insert(constructor.name);
    }
}

TypeId ShadowTypes::plain(TypeId id) {
    if (auto it = plain_.find(id); it != plain_.end()) return it->second;
    Type type = module_.types[id];                       // a copy: interning moves the table
    if (type.kind == TypeKind::tensor) type.shape = Shape{{}, false, {}};
    for (TypeId& part : type.parts) part = plain(part);
    for (TypeArg& arg : type.args) {
        if (TypeId* inner = std::get_if<TypeId>(&arg)) arg = plain(*inner);
        if (std::holds_alternative<Dim>(arg)) arg = Dim();
        if (std::holds_alternative<Shape>(arg)) arg = Shape{{}, false, {}};
    }
    return plain_[id] = module_.types.intern(std::move(type));
}

std::vector<TypeId> ShadowTypes::fields(TypeId data, uint32_t constructor) {
    Type told = module_.types[data];
    for (TypeArg& arg : told.args)                       // sizes are dropped again: any will do
        if (std::holds_alternative<Dim>(arg)) arg = module_.dims.constant(0);
    std::vector<TypeId> fields = instantiate_fields(module_, module_.types.intern(std::move(told)), constructor);
    for (TypeId& field : fields) field = plain(field);
    return fields;
}

std::vector<TypeId> ShadowTypes::inside(TypeId id) {
    const Type type = module_.types[id];
    if (type.kind == TypeKind::function) return {};
    if (type.kind != TypeKind::data) return type.parts;
    std::vector<TypeId> all;
    for (uint32_t i = 0; i < module_[type.decl].constructors.size(); ++i)
        for (TypeId field : fields(id, i)) all.push_back(field);
    return all;
}

std::vector<TypeId> ShadowTypes::reached(TypeId id) { return reached(id, true); }
std::vector<TypeId> ShadowTypes::reached(TypeId id, bool into_cells) {
    std::vector<TypeId> found{plain(id)};
    std::set<TypeId> seen{found[0]};
    for (size_t i = 0; i < found.size(); ++i) {
        if (found.size() > most_types) {
            status_ = Error{Code::limit, "a type that holds ever larger types of its own kind has no gradient"};
            return {};
        }
        if (!into_cells && module_.types[found[i]].kind == TypeKind::ref) continue;
        for (TypeId part : inside(found[i]))
            if (seen.insert(part).second) found.push_back(part);
    }
    return found;
}

bool ShadowTypes::holds(TypeId id, Holds what) {
    auto [it, is_new] = holds_.try_emplace({plain(id), what}, false);
    if (!is_new) return it->second;
    bool found = false;
    for (TypeId part : reached(id, what != Holds::adjoint_outside_cells)) {
        const Type& type = module_.types[part];
        bool real = type.kind == TypeKind::tensor && type.element.dtype && is_float(*type.element.dtype);
        switch (what) {
        case Holds::adjoint: found = found || real || type.kind == TypeKind::function; break;
        case Holds::adjoint_outside_cells: found = found || real; break;     // functions are data by then, but those that nobody makes
        case Holds::cell: found = found || type.kind == TypeKind::ref; break;
        case Holds::function: found = found || type.kind == TypeKind::function; break;
        }
    }
    return holds_[{plain(id), what}] = found;
}
bool ShadowTypes::inert(TypeId type) { return !holds(type, Holds::adjoint); }
bool ShadowTypes::has_adjoint(TypeId type) { return holds(type, Holds::adjoint_outside_cells); }
bool ShadowTypes::holds_cell(TypeId type) { return holds(type, Holds::cell); }
bool ShadowTypes::holds_function(TypeId type) { return holds(type, Holds::function); }

TypeId ShadowTypes::of(TypeId id) {
    if (inert(id)) return module_.types.unit();
    id = plain(id);
    Type type = module_.types[id];
    switch (type.kind) {
    case TypeKind::hole: case TypeKind::var: break;
    case TypeKind::tensor: return module_.types.ref(module_.types.tuple({id, tensor(DType::boolean)}));
    case TypeKind::function: return taped(id);
    case TypeKind::tuple: case TypeKind::ref: case TypeKind::seq:
        for (TypeId& part : type.parts) part = of(part);
        return module_.types.intern(std::move(type));
    case TypeKind::data: {
        declare(id);
        std::vector<TypeArg> args(shadows_[id].args.begin(), shadows_[id].args.end());
        return module_.types.data(shadows_[id].decl, std::move(args));
    }
    }
    invariant(false, "a type that is not ground");
    return {};
}

DeclId ShadowTypes::decl_of(TypeId data) {
    data = plain(data);
    declare(data);
    return shadows_[data].decl;
}

TypeId ShadowTypes::with_shadow(TypeId type) {
    return inert(type) ? plain(type) : module_.types.tuple({plain(type), of(type)});
}

TypeId ShadowTypes::taped(TypeId function) {
    std::vector<TypeId> parts = module_.types[plain(function)].parts, params(parts.begin(), parts.end() - 1);
    for (size_t i = 0; i + 1 < parts.size(); ++i)
        if (!inert(parts[i])) params.push_back(of(parts[i]));
    params.push_back(tape());
    return module_.types.function(std::move(params), with_shadow(parts.back()));
}

std::vector<TypeId> ShadowTypes::group_of(TypeId data) {
    std::vector<TypeId> group;
    for (TypeId other : reached(data)) {
        if (module_.types[other].kind != TypeKind::data) continue;
        std::vector<TypeId> back = reached(other);
        if (other == data || std::find(back.begin(), back.end(), data) != back.end()) group.push_back(other);
    }
    return group;
}

// First every float tensor of the group gets its parameter, then the fields are written; what is recursive inside the
// group passes all parameters on.
void ShadowTypes::declare(TypeId data) {
    if (shadows_.contains(data)) return;
    std::vector<TypeId> group = group_of(data), cells;
    std::vector<TypeParam> params;
    auto in_group = [&](TypeId id) { return std::find(group.begin(), group.end(), id) != group.end(); };
    auto add = [&](TypeId cell) {
        VarId var = module_.add_var("c" + std::to_string(params.size()), VarKind::type);
        params.push_back(TypeParam{TypeParam::Kind::type, var, {}});
        cells.push_back(cell);
    };
    std::function<void(TypeId)> count = [&](TypeId id) {
        const Type type = module_.types[id];
        if (inert(id) || type.kind == TypeKind::function) return;
        if (type.kind == TypeKind::tensor) return add(of(id));
        if (type.kind != TypeKind::data)
            for (TypeId part : type.parts) count(part);
        else if (!in_group(id)) {
            declare(id);
            for (TypeId cell : std::vector<TypeId>(shadows_[id].args)) add(cell);
        }
    };
    std::vector<std::pair<TypeId, uint32_t>> all;        // constructors of the group, in order
    for (TypeId member : group)
        for (uint32_t i = 0; i < module_[module_.types[member].decl].constructors.size(); ++i) all.push_back({member, i});
    for (auto [member, constructor] : all)
        for (TypeId field : fields(member, constructor)) count(field);
    for (TypeId member : group) {
        shadows_[member] = {DeclId(module_.decls.size()), cells};
        const TypeDecl from = module_[module_.types[member].decl];
        TypeDecl to{.name = unique_name(from.name + "Shadow"), .params = params, .constructors = {}, .is_record = from.is_record, .span = from.span};
        for (const Constructor& c : from.constructors)
            to.constructors.push_back({.name = from.is_record ? "" : unique_name(c.name + "Shadow"), .field_names = c.field_names});
        module_.decls.push_back(std::move(to));
    }
    size_t next = 0;                                     // the parameter whose turn it is
    std::function<TypeId(TypeId)> write = [&](TypeId id) -> TypeId {
        Type type = module_.types[id];
        if (inert(id)) return module_.types.unit();
        if (type.kind == TypeKind::function) return taped(id);
        if (type.kind == TypeKind::tensor) return module_.types.variable(params[next++].var);
        if (type.kind != TypeKind::data) {
            for (TypeId& part : type.parts) part = write(part);
            return module_.types.intern(std::move(type));
        }
        std::vector<TypeArg> args;
        size_t count = shadows_[id].args.size();
        for (size_t i = 0; i < count; ++i)
            args.push_back(module_.types.variable(params[in_group(id) ? i : next++].var));
        return module_.types.data(shadows_[id].decl, std::move(args));
    };
    for (auto [member, constructor] : all) {
        std::vector<TypeId> written;
        for (TypeId field : fields(member, constructor)) written.push_back(write(field));
        module_.decls[shadows_[member].decl.index].constructors[constructor].fields = std::move(written);
    }
}

DeclId ShadowTypes::list_decl() {
    if (list_.valid()) return list_;
    VarId a = module_.add_var("a", VarKind::type);
    auto unique = [&](std::string name) {
        while (!names_.insert(name).second) name += "_";
        return name;
    };
    list_ = DeclId(module_.decls.size());
    TypeId element = module_.types.variable(a), rest = module_.types.data(list_, {element});
    TypeDecl decl{.name = unique("Steps"), .params = {TypeParam{TypeParam::Kind::type, a, {}}}, .constructors = {}};
    decl.constructors.push_back({.name = unique("Done")});
    decl.constructors.push_back({.name = unique("Step"), .fields = {element, rest}});
    module_.decls.push_back(std::move(decl));
    return list_;
}
TypeId ShadowTypes::list_of(TypeId element) { return module_.types.data(list_decl(), {element}); }

std::string ShadowTypes::unique_name(const std::string& base) {
    std::string name = base;
    for (int i = 1; !names_.insert(name).second; ++i) name = base + std::to_string(i);
    return name;
}
} // namespace nereus
