#include "emit/door_types.h"
#include "ir/instantiate.h"
#include <algorithm>

namespace nereus {
// A declaration that holds itself with other arguments has a new type at each level.

int32_t DoorTypes::axis(Dim d, uint32_t axis, const Around& around) {
    if (std::optional<Sym> symbol = program_.module().dims.as_symbol(d)) {           // checked in the object
        auto place = [&](const std::vector<Sym>& symbols) { return std::find(symbols.begin(), symbols.end(), *symbol) - symbols.begin(); };
        if (around.constructor)
            if (size_t k = size_t(place(around.constructor->dims)); k < around.constructor->dims.size()) return -2 - int32_t(k);
        if (size_t k = size_t(place(around.shared)); k < around.shared.size()) return -2 - DoorType::shared_from - int32_t(k);
    }
    return observe_(d, axis, depth_ == 0, path_);
}

bool DoorTypes::mentions(TypeId id, const std::vector<Sym>& symbols) const {
    if (symbols.empty()) return false;
    const Type& t = program_.module().types[id];
    auto dim = [&](Dim d) {
        if (!d.valid()) return false;
        std::vector<Sym> inside = program_.module().dims.symbols_of(d);
        return std::find_first_of(inside.begin(), inside.end(), symbols.begin(), symbols.end()) != inside.end();
    };
    for (Dim d : t.shape.dims)
        if (dim(d)) return true;
    for (TypeId part : t.parts)
        if (mentions(part, symbols)) return true;
    for (const TypeArg& arg : t.args) {
        if (const TypeId* type = std::get_if<TypeId>(&arg); type && mentions(*type, symbols)) return true;
        if (const Dim* d = std::get_if<Dim>(&arg); d && dim(*d)) return true;
    }
    return false;
}

// Cell[?]: nobody knows the size, but the tensors of one object agree in it. It gets a symbol of its own here, for the ?
// of an element inside may be the same one and mean another size.
TypeId DoorTypes::open_shared(TypeId data, Around& around) {
    Module& module = program_.module();
    Type t = module.types[data];
    std::map<Sym, Sym> own;
    for (TypeArg& arg : t.args) {
        Dim* d = std::get_if<Dim>(&arg);
        std::optional<Sym> symbol = d && d->valid() ? module.dims.as_symbol(*d) : std::nullopt;
        if (!symbol || module.dims.symbol(*symbol).kind != SymKind::unknown) continue;
        if (std::find(around.shared.begin(), around.shared.end(), *symbol) != around.shared.end()) continue;
        auto [it, is_new] = own.try_emplace(*symbol);
        if (is_new) it->second = module.dims.new_symbol("?", SymKind::unknown);
        *d = module.dims.of(it->second);
    }
    if (own.empty()) return data;
    around.shared.clear();
    for (const auto& [from, to] : own) around.shared.push_back(to);
    return module.types.intern(std::move(t));
}

// How often the declaration stands inside itself, as the type is written.
int DoorTypes::nesting(TypeId id, DeclId decl) const {
    const Type& t = program_.module().types[id];
    int inside = 0;
    for (TypeId part : t.parts) inside = std::max(inside, nesting(part, decl));
    for (const TypeArg& arg : t.args)
        if (const TypeId* type = std::get_if<TypeId>(&arg)) inside = std::max(inside, nesting(*type, decl));
    return inside + (t.kind == TypeKind::data && t.decl == decl);
}

Error DoorTypes::too_deep(DeclId decl, const std::string& who) const {
    const std::string& name = program_.module()[decl].name;
    if (nesting(whole_, decl) > most_unfoldings)
        return Error{Code::limit, "the type of " + who + " nests " + name + " more than " + std::to_string(most_unfoldings) + " deep", {},
                     "a declared type that holds itself may be of any depth"};
    return Error{Code::limit, "the type of " + who + " unfolds without end: " + name + " holds itself with other sizes", {},
                 "let the constructor bind the size, as in Node[n](Tensor[(n), f32])"};
}

Result<uint32_t> DoorTypes::add_at(const std::string& step, TypeId type, const std::string& who, const Around& around) {
    const size_t before = path_.size();
    path_ += step;
    Result<uint32_t> added = add(type, who, around);
    path_.resize(before);
    return added;
}

Result<uint32_t> DoorTypes::add(TypeId id, const std::string& who, Around around) {
    const Type t = program_.module().types[id];
    if (!mentions(id, around.shared)) around.shared.clear();
    auto key = std::make_pair(id, around);
    if (auto it = types_.find(key); it != types_.end() && t.kind != TypeKind::tensor) return it->second;
    uint32_t index = uint32_t(program_.exe.door_types.size());
    if (t.kind == TypeKind::data && ++around_[t.decl] > most_unfoldings) return too_deep(t.decl, who);
    types_[key] = index;
    program_.exe.door_types.emplace_back();
    DoorType made;
    switch (t.kind) {
    case TypeKind::tensor:
        made.dtype = *t.element.dtype;
        made.ranked = t.shape.ranked;
        for (uint32_t i = 0; i < t.shape.dims.size(); ++i) made.axes.push_back(axis(t.shape.dims[i], i, around));
        break;
    case TypeKind::tuple: case TypeKind::seq:
        made.kind = t.kind == TypeKind::seq ? DoorType::Kind::seq : DoorType::Kind::tuple;
        made.fields.emplace_back();
        depth_ += t.kind == TypeKind::seq;
        for (size_t i = 0; i < t.parts.size(); ++i)
            made.fields[0].push_back(TRY(add_at(t.kind == TypeKind::seq ? "[…]" : "." + std::to_string(i), t.parts[i], who, around)));
        depth_ -= t.kind == TypeKind::seq;
        break;
    case TypeKind::data: {
        const TypeDecl& decl = program_.module().decls[t.decl.index];
        made.kind = decl.is_record ? DoorType::Kind::record : DoorType::Kind::data;
        depth_ += !decl.is_record;
        TypeId opened = opaque_ ? id : open_shared(id, around);          // what is not from outside was made so
        if (opened != id) made.shared = uint32_t(around.shared.size());
        for (uint32_t c = 0; c < decl.constructors.size(); ++c) {
            const Constructor& constructor = decl.constructors[c];
            if (decl.is_record) made.names = constructor.field_names;
            else made.names.push_back(constructor.name);
            if (!decl.is_record) made.bound.push_back(uint32_t(constructor.dims.size()));
            made.fields.emplace_back();
            Around inside = around;
            if (!constructor.dims.empty()) inside.constructor = &constructor;
            const std::vector<TypeId> fields = instantiate_fields(program_.module(), opened, c);
            for (size_t i = 0; i < fields.size(); ++i) {
                const std::string step = decl.is_record ? "." + constructor.field_names[i] : "." + constructor.name + "." + std::to_string(i);
                made.fields[c].push_back(TRY(add_at(step, fields[i], who, inside)));
            }
        }
        depth_ -= !program_.module().decls[t.decl.index].is_record;
        --around_[t.decl];
        break;
    }
    case TypeKind::function: case TypeKind::ref:
        if (!opaque_)
            return Error{Code::type, who + " of the entry point has a function or cell in its type: these cannot come from outside", {},
                         "make the function or cell in an entry that calls this one"};
        made.kind = DoorType::Kind::tuple;               // of nothing: whatever is in there is not looked at
        made.fields.emplace_back();
        break;
    case TypeKind::hole: case TypeKind::var: return Error{Code::internal, "emit: the type of " + who + " is not complete"};
    }
    program_.exe.door_types[index] = std::move(made);
    return index;
}
} // namespace nereus
