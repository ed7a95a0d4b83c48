#include "ir/type.h"

namespace nereus {
namespace {
struct Hasher {
    size_t state = 1469598103934665603ull;
    void add(size_t word) { state = (state ^ word) * 1099511628211ull; }
    void add(const Element& e) { add(e.dtype ? size_t(*e.dtype) + 1 : 0), add(size_t(e.var.index)); }
    void add(const Shape& s) {
        for (Dim d : s.dims) add(size_t(d.index));
        add(size_t(s.ranked)), add(size_t(s.tail.index));
    }
    void add(const TypeArg& arg) {
        add(arg.index());
        if (const TypeId* type = std::get_if<TypeId>(&arg)) add(size_t(type->index));
        if (const Dim* dim = std::get_if<Dim>(&arg)) add(size_t(dim->index));
        if (const Element* element = std::get_if<Element>(&arg)) add(*element);
        if (const Shape* shape = std::get_if<Shape>(&arg)) add(*shape);
    }
};

size_t hash_of(const Type& t) {
    Hasher h;
    h.add(size_t(t.kind)), h.add(size_t(t.var.index)), h.add(t.element), h.add(t.shape);
    for (TypeId part : t.parts) h.add(size_t(part.index));
    h.add(size_t(t.decl.index));
    for (const TypeArg& arg : t.args) h.add(arg);
    return h.state;
}
} // namespace

Types::Types() {
    intern(Type{});                                      // hole() == TypeId(0)
    intern(Type{.kind = TypeKind::tuple});               // unit() == TypeId(1)
}

TypeId Types::intern(Type type) {
    size_t hash = hash_of(type);
    auto [begin, end] = by_hash_.equal_range(hash);
    for (auto it = begin; it != end; ++it)
        if (types_[it->second.index] == type) return it->second;
    types_.push_back(std::move(type));
    TypeId id(types_.size() - 1);
    by_hash_.emplace(hash, id);
    return id;
}

TypeId Types::tensor(Shape shape, Element element) {
    return intern(Type{.kind = TypeKind::tensor, .element = element, .shape = std::move(shape)});
}
TypeId Types::tuple(std::vector<TypeId> parts) { return intern(Type{.kind = TypeKind::tuple, .parts = std::move(parts)}); }
TypeId Types::function(std::vector<TypeId> params, TypeId result) {
    params.push_back(result);
    return intern(Type{.kind = TypeKind::function, .parts = std::move(params)});
}
TypeId Types::ref(TypeId content) { return intern(Type{.kind = TypeKind::ref, .parts = {content}}); }
TypeId Types::seq(TypeId content) { return intern(Type{.kind = TypeKind::seq, .parts = {content}}); }
TypeId Types::data(DeclId decl, std::vector<TypeArg> args) {
    return intern(Type{.kind = TypeKind::data, .decl = decl, .args = std::move(args)});
}
TypeId Types::variable(VarId var) { return intern(Type{.kind = TypeKind::var, .var = var}); }
} // namespace nereus
