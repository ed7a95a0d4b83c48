#include "grad/adjoint_types.h"
#include <algorithm>
#include <functional>

namespace nereus {
bool AdjointTypes::recursive(TypeId data) {
    for (TypeId part : shadows_.inside(data)) {
        std::vector<TypeId> all = shadows_.reached(part);
        if (std::find(all.begin(), all.end(), data) != all.end()) return true;
    }
    return false;
}

bool AdjointTypes::is_spread(TypeId id) {
    id = shadows_.plain(id);
    const Type& type = module_.types[id];
    if (type.kind == TypeKind::tuple) return true;
    return type.kind == TypeKind::data && module_[type.decl].is_record && !recursive(id);
}

std::vector<TypeId> AdjointTypes::parts(TypeId spread) {
    spread = shadows_.plain(spread);
    const Type& type = module_.types[spread];
    return type.kind == TypeKind::tuple ? type.parts : shadows_.fields(spread, 0);
}

std::vector<TypeId> AdjointTypes::leaves(TypeId id) {
    id = shadows_.plain(id);
    if (!shadows_.has_adjoint(id)) return {};
    if (!is_spread(id)) return {module_.types[id].kind == TypeKind::tensor ? id : held(id)};
    std::vector<TypeId> all;
    for (TypeId part : parts(id))
        for (TypeId leaf : leaves(part)) all.push_back(leaf);
    return all;
}

size_t AdjointTypes::offset(TypeId spread, size_t part) {
    std::vector<TypeId> all = parts(spread);
    size_t at = 0;
    for (size_t i = 0; i < part; ++i) at += count(all[i]);
    return at;
}

DeclId AdjointTypes::maybe_decl() {
    if (maybe_.valid()) return maybe_;
    VarId a = module_.add_var("a", VarKind::type);
    maybe_ = DeclId(module_.decls.size());
    TypeDecl decl{.name = shadows_.unique_name("Adj"), .params = {TypeParam{TypeParam::Kind::type, a, {}}}, .constructors = {}};
    decl.constructors.push_back({.name = shadows_.unique_name("Val"), .fields = {module_.types.variable(a)}});
    decl.constructors.push_back({.name = shadows_.unique_name("Zero")});
    module_.decls.push_back(std::move(decl));
    return maybe_;
}
TypeId AdjointTypes::maybe(TypeId tensor) { return module_.types.data(maybe_decl(), {tensor}); }

TypeId AdjointTypes::held(TypeId id) {
    id = shadows_.plain(id);
    if (!shadows_.has_adjoint(id)) return module_.types.unit();
    if (is_spread(id)) {
        std::vector<TypeId> all = parts(id);
        for (TypeId& part : all) part = held(part);
        return all.size() == 1 ? all[0] : module_.types.tuple(all);
    }
    if (module_.types[id].kind == TypeKind::data) return of_data(id);
    if (module_.types[id].kind == TypeKind::tensor) return maybe(id);
    TypeId leaf = module_.types.seq(held(module_.types[id].parts[0]));
    data_of_[leaf] = id;
    return leaf;
}

TypeId AdjointTypes::of_data(TypeId data) {
    DeclId decl = decl_of(data);
    const Adjoint& made = adjoints_[shadows_.plain(data)];
    TypeId leaf = module_.types.data(decl, std::vector<TypeArg>(made.args.begin(), made.args.end()));
    data_of_[leaf] = shadows_.plain(data);
    return leaf;
}
DeclId AdjointTypes::decl_of(TypeId data) {
    data = shadows_.plain(data);
    declare(data);
    return adjoints_[data].decl;
}

// As with shadows: first every tensor of the group gets its parameter, then the fields are written; what is recursive
// inside the group passes all parameters on.
void AdjointTypes::declare(TypeId data) {
    if (adjoints_.contains(data)) return;
    std::vector<TypeId> group = shadows_.group_of(data), args;
    std::vector<TypeParam> params;
    auto in_group = [&](TypeId id) { return std::find(group.begin(), group.end(), id) != group.end(); };
    auto add = [&](TypeId arg) {
        VarId var = module_.add_var("c" + std::to_string(params.size()), VarKind::type);
        params.push_back(TypeParam{TypeParam::Kind::type, var, {}});
        args.push_back(arg);
    };
    std::function<void(TypeId)> count = [&](TypeId id) {
        if (!shadows_.has_adjoint(id)) return;
        if (is_spread(id)) {
            for (TypeId part : parts(id)) count(part);
        } else if (module_.types[id].kind == TypeKind::tensor) {
            add(maybe(id));
        } else if (module_.types[id].kind == TypeKind::seq) {
            count(module_.types[id].parts[0]);
        } else if (!in_group(id)) {
            declare(id);
            for (TypeId arg : std::vector<TypeId>(adjoints_[id].args)) add(arg);
        }
    };
    std::vector<std::pair<TypeId, uint32_t>> all;        // constructors of the group, in order
    for (TypeId member : group)
        for (uint32_t i = 0; i < module_[module_.types[member].decl].constructors.size(); ++i) all.push_back({member, i});
    for (auto [member, constructor] : all)
        for (TypeId field : shadows_.fields(member, constructor)) count(field);
    for (TypeId member : group) {
        const TypeDecl from = module_[module_.types[member].decl];
        TypeDecl to{.name = shadows_.unique_name(from.name + "Adj"), .params = params, .constructors = {}, .span = from.span};
        for (const Constructor& c : from.constructors)
            to.constructors.push_back({.name = shadows_.unique_name((from.is_record ? "Made" + from.name : c.name) + "Adj")});
        to.constructors.push_back({.name = shadows_.unique_name("No" + from.name)});
        adjoints_[member] = {DeclId(module_.decls.size()), args};
        module_.decls.push_back(std::move(to));
    }
    size_t next = 0;                                     // the parameter whose turn it is
    std::function<TypeId(TypeId)> write = [&](TypeId id) -> TypeId {
        if (!shadows_.has_adjoint(id)) return module_.types.unit();
        if (is_spread(id)) {
            std::vector<TypeId> written;
            for (TypeId part : parts(id)) written.push_back(write(part));
            return written.size() == 1 ? written[0] : module_.types.tuple(written);
        }
        if (module_.types[id].kind == TypeKind::tensor) return module_.types.variable(params[next++].var);
        if (module_.types[id].kind == TypeKind::seq) return module_.types.seq(write(module_.types[id].parts[0]));
        std::vector<TypeArg> passed;
        size_t wanted = adjoints_[id].args.size();
        for (size_t i = 0; i < wanted; ++i)
            passed.push_back(module_.types.variable(params[in_group(id) ? i : next++].var));
        return module_.types.data(adjoints_[id].decl, std::move(passed));
    };
    for (auto [member, constructor] : all) {
        std::vector<TypeId> written;
        for (TypeId field : shadows_.fields(member, constructor)) written.push_back(write(field));
        module_.decls[adjoints_[member].decl.index].constructors[constructor].fields = std::move(written);
    }
}

DeclId AdjointTypes::arms(const std::vector<size_t>& kept) {
    auto [it, is_new] = arms_.try_emplace(kept);
    if (!is_new) return it->second;
    TypeDecl decl{.name = shadows_.unique_name("Arms"), .params = {}, .constructors = {}};
    for (size_t i = 0; i < kept.size(); ++i) {
        Constructor arm{.name = shadows_.unique_name("Arm" + std::to_string(i))};
        for (size_t j = 0; j < kept[i]; ++j) {
            VarId var = module_.add_var("k" + std::to_string(decl.params.size()), VarKind::type);
            decl.params.push_back(TypeParam{TypeParam::Kind::type, var, {}});
            arm.fields.push_back(module_.types.variable(var));
        }
        decl.constructors.push_back(std::move(arm));
    }
    it->second = DeclId(module_.decls.size());
    module_.decls.push_back(std::move(decl));
    return it->second;
}

DeclId AdjointTypes::reserve_tape(const std::string& function) {
    std::string name;
    for (char c : function) name += c == '.' ? '_' : name.empty() ? char(std::toupper(c)) : c;
    DeclId made(module_.decls.size());
    module_.decls.push_back(TypeDecl{.name = shadows_.unique_name(name + "Tape"), .params = {}, .constructors = {}});
    return made;
}
} // namespace nereus
