#include "ir/instantiate.h"
#include <unordered_map>

namespace nereus {
namespace {
struct Instantiation {
    Module& module;
    std::unordered_map<VarId, TypeArg> vars;
    std::unordered_map<Sym, Dim> dims;
    std::unordered_map<TypeId, TypeId> done;

    Dim of(Dim d) {
        if (!d.valid()) return d;                        // a size that is not known, of a type that takes one
        for (Sym s : module.dims.symbols_of(d))          // and what is computed from one
            if (auto it = dims.find(s); it != dims.end() && !it->second.valid()) return {};
        return module.dims.substitute(d, [&](Sym s) -> std::optional<Dim> {
            auto it = dims.find(s);
            return it == dims.end() ? std::nullopt : std::optional(it->second);
        });
    }
    Element of(const Element& e) {
        auto it = e.var.valid() ? vars.find(e.var) : vars.end();
        const Element* put = it == vars.end() ? nullptr : std::get_if<Element>(&it->second);
        return put ? *put : e;
    }
    Shape of(const Shape& s) {
        Shape made = s;
        for (Dim& d : made.dims) d = of(d);
        auto it = s.tail.valid() ? vars.find(s.tail) : vars.end();
        if (it != vars.end())
            if (const Shape* tail = std::get_if<Shape>(&it->second)) {
                made.dims.insert(made.dims.end(), tail->dims.begin(), tail->dims.end());
                made.ranked = tail->ranked;
                made.tail = tail->tail;
            }
        return made;
    }
    TypeId of(TypeId id) {
        if (auto it = done.find(id); it != done.end()) return it->second;
        Type type = module.types[id];                    // a copy: interning moves the table
        if (type.kind == TypeKind::var) {
            auto it = vars.find(type.var);
            const TypeId* put = it == vars.end() ? nullptr : std::get_if<TypeId>(&it->second);
            return done[id] = put ? *put : id;
        }
        type.element = of(type.element);
        type.shape = of(type.shape);
        for (TypeId& part : type.parts) part = of(part);
        for (TypeArg& arg : type.args) arg = std::visit([&](auto a) -> TypeArg { return of(a); }, arg);
        return done[id] = module.types.intern(std::move(type));
    }
};
} // namespace

std::vector<TypeId> instantiate_fields(Module& module, TypeId data, uint32_t constructor, std::span<const Dim> bound) {
    const Type type = module.types[data];
    const TypeDecl decl = module.decls[type.decl.index];
    Instantiation put{module, {}, {}, {}};
    for (size_t i = 0; i < decl.params.size() && i < type.args.size(); ++i) {
        if (decl.params[i].kind == TypeParam::Kind::dim) put.dims.emplace(decl.params[i].dim, std::get<Dim>(type.args[i]));
        else put.vars.emplace(decl.params[i].var, type.args[i]);
    }
    const Constructor& c = decl.constructors[constructor];
    for (size_t i = 0; i < c.dims.size() && i < bound.size(); ++i) put.dims.emplace(c.dims[i], bound[i]);
    std::vector<TypeId> fields;
    for (TypeId field : c.fields) fields.push_back(put.of(field));
    return fields;
}

TypeId substitute_symbols(Module& module, TypeId type, std::span<const Sym> symbols, std::span<const Dim> dims) {
    Instantiation put{module, {}, {}, {}};
    for (size_t i = 0; i < symbols.size() && i < dims.size(); ++i) put.dims.emplace(symbols[i], dims[i]);
    return put.of(type);
}
} // namespace nereus
