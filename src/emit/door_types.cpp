#include "emit/door_types.h"
#include "ir/instantiate.h"
#include <algorithm>

namespace nereus {
// A declaration that holds itself with other arguments has a new type at each level.
constexpr int most_unfoldings = 32;

int32_t DoorTypes::axis(Dim d, uint32_t axis, const Constructor* inside) {
    if (inside)                                          // a dim its own constructor binds is checked in the object
        if (std::optional<Sym> symbol = program_.module().dims.as_symbol(d)) {
            auto it = std::find(inside->dims.begin(), inside->dims.end(), *symbol);
            if (it != inside->dims.end()) return -2 - int32_t(it - inside->dims.begin());
        }
    return observe_(d, axis, depth_ == 0);
}

Result<uint32_t> DoorTypes::add(TypeId id, const std::string& who, const Constructor* inside) {
    const Type t = program_.module().types[id];
    auto key = std::make_pair(id, inside);
    if (auto it = types_.find(key); it != types_.end() && t.kind != TypeKind::tensor) return it->second;
    uint32_t index = uint32_t(program_.exe.door_types.size());
    if (t.kind == TypeKind::data && ++around_[t.decl] > most_unfoldings)
        return Error{Code::limit, "the type of " + who + " unfolds without end: " + program_.module()[t.decl].name +
                     " holds itself with other sizes", {}, "let the constructor bind the size, as in Node[n](Tensor[(n), f32])"};
    types_[key] = index;
    program_.exe.door_types.emplace_back();
    DoorType made;
    switch (t.kind) {
    case TypeKind::tensor:
        made.dtype = *t.element.dtype;
        made.ranked = t.shape.ranked;
        for (uint32_t i = 0; i < t.shape.dims.size(); ++i) made.axes.push_back(axis(t.shape.dims[i], i, inside));
        break;
    case TypeKind::tuple: case TypeKind::seq:
        made.kind = t.kind == TypeKind::seq ? DoorType::Kind::seq : DoorType::Kind::tuple;
        made.fields.emplace_back();
        depth_ += t.kind == TypeKind::seq;
        for (TypeId part : t.parts) made.fields[0].push_back(TRY(add(part, who, inside)));
        depth_ -= t.kind == TypeKind::seq;
        break;
    case TypeKind::data: {
        const TypeDecl& decl = program_.module().decls[t.decl.index];
        made.kind = decl.is_record ? DoorType::Kind::record : DoorType::Kind::data;
        depth_ += !decl.is_record;
        for (uint32_t c = 0; c < decl.constructors.size(); ++c) {
            const Constructor& constructor = decl.constructors[c];
            if (decl.is_record) made.names = constructor.field_names;
            else made.names.push_back(constructor.name);
            if (!decl.is_record) made.bound.push_back(uint32_t(constructor.dims.size()));
            made.fields.emplace_back();
            for (TypeId field : instantiate_fields(program_.module(), id, c))
                made.fields[c].push_back(TRY(add(field, who, constructor.dims.empty() ? inside : &constructor)));
        }
        depth_ -= !program_.module().decls[t.decl.index].is_record;
        --around_[t.decl];
        break;
    }
    case TypeKind::function: case TypeKind::ref:
        if (!opaque_)
            return Error{Code::type, who + " of the entry point has a function or cell in its type: these cannot come from outside"};
        made.kind = DoorType::Kind::tuple;               // of nothing: whatever is in there is not looked at
        made.fields.emplace_back();
        break;
    case TypeKind::hole: case TypeKind::var: return Error{Code::internal, "emit: the type of " + who + " is not complete"};
    }
    program_.exe.door_types[index] = std::move(made);
    return index;
}
} // namespace nereus
