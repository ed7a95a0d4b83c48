#include "pass/symbol_image.h"
#include <algorithm>

namespace nereus {
Sym SymbolImage::renamed(Sym symbol) {
    const SymNode node = module_->dims.symbol(symbol);
    Sym made = module_->dims.new_symbol(node.name, node.kind);
    put(symbol, module_->dims.of(made));
    return made;
}

Dim SymbolImage::of(Dim dim) {
    if (!dim.valid() || image_.empty()) return dim;
    auto [it, is_new] = dims_.try_emplace(dim, dim);
    if (!is_new) return it->second;
    Dim made = module_->dims.substitute(dim, [&](Sym s) -> std::optional<Dim> {
        auto found = image_.find(s);
        return found == image_.end() ? std::nullopt : std::optional(found->second);
    });
    return dims_[dim] = made;
}

Shape SymbolImage::of(Shape shape) {
    for (Dim& d : shape.dims) d = of(d);
    return shape;
}

TypeId SymbolImage::of(TypeId id) {
    if (!id.valid() || image_.empty()) return id;
    if (auto it = types_.find(id); it != types_.end()) return it->second;
    Type type = module_->types[id];                       // a copy: interning moves the table
    type.shape = of(std::move(type.shape));
    for (TypeId& part : type.parts) part = of(part);
    for (TypeArg& arg : type.args) {
        if (TypeId* inner = std::get_if<TypeId>(&arg)) *inner = of(*inner);
        if (Dim* d = std::get_if<Dim>(&arg)) *d = of(*d);
        if (Shape* s = std::get_if<Shape>(&arg)) *s = of(std::move(*s));
    }
    return types_[id] = module_->types.intern(std::move(type));
}

void SymbolImage::in_place(Binding& b) {
    if (image_.empty()) return;
    b.dim = of(b.dim), b.fact.left = of(b.fact.left), b.fact.right = of(b.fact.right);
    for (Dim& d : b.dims) d = of(d);
    for (ApplyTarget& t : b.targets) {
        for (Dim& d : t.dims) d = of(d);
        for (Dim& d : t.results) d = of(d);
    }
    for (Attribute& attribute : b.attributes) {
        if (Dim* d = std::get_if<Dim>(&attribute.value)) *d = of(*d);
        if (TypeId* type = std::get_if<TypeId>(&attribute.value)) *type = of(*type);
    }
}

void SymbolImage::in_place(Function& f) {
    if (image_.empty()) return;
    for (ValueInfo& value : f.values) value.type = of(value.type), value.known = of(value.known);
    for (Binding& b : f.bindings) in_place(b);
    for (Block& block : f.blocks)
        for (Dim& d : block.dims) d = of(d);
    f.result = of(f.result);
    for (Dim& d : f.result_dims) d = of(d);
    for (DimFact& fact : f.where) fact.left = of(fact.left), fact.right = of(fact.right);
}

void match_symbols(const Module& m, TypeId pattern, TypeId type, const std::vector<Sym>& open, std::unordered_map<Sym, Dim>& out) {
    const Type &p = m.types[pattern], &t = m.types[type];
    auto dims = [&](Dim from, Dim to) {
        std::optional<Sym> s = from.valid() && to.valid() ? m.dims.as_symbol(from) : std::nullopt;
        if (s && std::find(open.begin(), open.end(), *s) != open.end()) out.try_emplace(*s, to);
    };
    auto shapes = [&](const Shape& from, const Shape& to) {
        for (size_t i = 0; i < from.dims.size() && from.dims.size() == to.dims.size(); ++i) dims(from.dims[i], to.dims[i]);
    };
    if (p.kind != t.kind) return;
    shapes(p.shape, t.shape);
    for (size_t i = 0; i < p.parts.size() && p.parts.size() == t.parts.size(); ++i) match_symbols(m, p.parts[i], t.parts[i], open, out);
    for (size_t i = 0; i < p.args.size() && p.args.size() == t.args.size(); ++i) {
        if (p.args[i].index() != t.args[i].index()) continue;
        if (const TypeId* inner = std::get_if<TypeId>(&p.args[i])) match_symbols(m, *inner, std::get<TypeId>(t.args[i]), open, out);
        if (const Dim* d = std::get_if<Dim>(&p.args[i])) dims(*d, std::get<Dim>(t.args[i]));
        if (const Shape* s = std::get_if<Shape>(&p.args[i])) shapes(*s, std::get<Shape>(t.args[i]));
    }
}

bool mentions_shape_variable(const Module& m, TypeId id) {
    const Type& type = m.types[id];
    auto in_shape = [&](const Shape& s) {
        return s.tail.valid() || std::ranges::any_of(s.dims, [&](Dim d) { return m.dims.of_shape(d); });
    };
    if (in_shape(type.shape)) return true;
    for (TypeId part : type.parts)
        if (mentions_shape_variable(m, part)) return true;
    for (const TypeArg& arg : type.args) {
        if (const TypeId* inner = std::get_if<TypeId>(&arg); inner && mentions_shape_variable(m, *inner)) return true;
        if (const Shape* s = std::get_if<Shape>(&arg); s && in_shape(*s)) return true;
        if (const Dim* d = std::get_if<Dim>(&arg); d && d->valid() && m.dims.of_shape(*d)) return true;
    }
    return false;
}

void collect_type_symbols(const Module& m, TypeId id, std::vector<Sym>& out) {
    const Type& type = m.types[id];
    auto dim = [&](Dim d) {
        if (d.valid())
            for (Sym s : m.dims.symbols_of(d)) out.push_back(s);
    };
    for (Dim d : type.shape.dims) dim(d);
    for (TypeId part : type.parts) collect_type_symbols(m, part, out);
    for (const TypeArg& arg : type.args) {
        if (const TypeId* inner = std::get_if<TypeId>(&arg)) collect_type_symbols(m, *inner, out);
        if (const Dim* d = std::get_if<Dim>(&arg)) dim(*d);
        if (const Shape* s = std::get_if<Shape>(&arg))
            for (Dim d : s->dims) dim(d);
    }
}
} // namespace nereus
