#include "infer/shapes_match.h"

namespace nereus {
Dim Names::image(Dims& d, Dim written) const {
    const Dim named = d.substitute(written, [&](Sym s) -> std::optional<Dim> {
        auto it = dims.find(s);
        return it == dims.end() ? std::nullopt : std::optional(it->second);
    });
    if (!named.valid() || !d.of_shape(named)) return named;
    return d.substitute_atoms(named, [&](Atom a) -> std::optional<Dim> {
        const AtomNode atom = d.atom(a);
        if (atom.kind != AtomKind::rank && atom.kind != AtomKind::size) return std::nullopt;
        auto it = tails.find(VarId(atom.shape));
        if (it == tails.end() || !it->second.ranked) return std::nullopt;
        return atom.kind == AtomKind::rank ? d.constant(int64_t(it->second.dims.size())) : d.product(it->second.dims);
    });
}

void Matching::add(Dim written, Dim found, uint32_t depth, std::string where, bool in_values) {
    if (!written.valid() || !found.valid()) return;
    std::optional<Sym> bare = module_.dims.as_symbol(written);
    if (bare && module_.dims.symbol(*bare).kind == SymKind::unknown) return;     // '?' states nothing
    equations.push_back({written, found, depth, std::move(where), in_values});
}

void Matching::collect(TypeId written, AbsId found, const std::string& where, uint32_t depth) {
    const Type t = module_.types[written];
    const Abs& v = abstracts_[found];
    if (v.kind == AbsKind::bottom || t.kind == TypeKind::hole || t.kind == TypeKind::function) return;
    auto inner = [&](const char* what, size_t i) { return what + std::to_string(i) + " of " + where; };
    switch (t.kind) {
    case TypeKind::hole: case TypeKind::function: return;
    case TypeKind::var: return;                          // the constructor's own business
    case TypeKind::tensor: return shape(t.shape, v.tensor.shape, where, depth);
    case TypeKind::tuple:
        for (size_t i = 0; i < t.parts.size() && i < v.parts.size(); ++i)
            collect(t.parts[i], v.parts[i], inner("element ", i), depth);
        return;
    case TypeKind::ref: case TypeKind::seq: return collect(t.parts[0], v.parts[0], "an element of " + where, depth + 1);
    case TypeKind::data:
        for (size_t i = 0; i < t.args.size() && i < v.args.size(); ++i) {
            const AbsArg& arg = v.args[i];
            if (const TypeId* type = std::get_if<TypeId>(&t.args[i]))
                collect(*type, std::get<AbsId>(arg), "an element of " + where, depth + 1);
            if (const Dim* dim = std::get_if<Dim>(&t.args[i])) add(*dim, std::get<Dim>(arg), depth, where);
            if (const Shape* s = std::get_if<Shape>(&t.args[i])) shape(*s, std::get<Shape>(arg), where, depth);
        }
    }
}

void Matching::shape(const Shape& written, const Shape& found, const std::string& where, uint32_t depth) {
    size_t common = std::min(written.dims.size(), found.dims.size());
    auto axis = [&](size_t i) { return "axis " + std::to_string(i) + " of " + where; };
    if (found.ranked && (written.ranked ? found.dims.size() != written.dims.size() : found.dims.size() < written.dims.size())) {
        rank_errors.push_back(where + " has rank " + std::to_string(found.dims.size()) + ", declared is " +
                              (written.ranked ? "rank " : "at least rank ") + std::to_string(written.dims.size()));
        return;
    }
    for (size_t i = 0; i < common; ++i) add(written.dims[i], found.dims[i], depth, axis(i));
    if (!found.ranked && (written.ranked || written.dims.size() > found.dims.size())) must_look = true;
    if (written.ranked || !written.tail.valid() || must_look) return;
    Shape rest{{found.dims.begin() + ptrdiff_t(written.dims.size()), found.dims.end()}, found.ranked, found.tail};
    auto [it, is_new] = names_.tails.try_emplace(written.tail, rest);
    if (is_new) return;
    if (rest.ranked && !it->second.ranked) must_look = true, std::swap(it->second, rest);
    const Shape& bound = it->second;                     // ..s met again: the same shape
    if (bound.ranked == rest.ranked && bound.tail == rest.tail && bound.dims.size() != rest.dims.size())
        return rank_errors.push_back(where + " has rank " + std::to_string(found.dims.size()) + ", by .." + module_.vars[written.tail.index].name +
                                     " it has rank " + std::to_string(written.dims.size() + bound.dims.size()));
    if (bound.ranked != rest.ranked || bound.tail != rest.tail) must_look = true;
    for (size_t i = 0; i < std::min(bound.dims.size(), rest.dims.size()); ++i)
        if (!abstracts_.has_unknown(bound.dims[i]))      // elements of a container do not tell which size they have
            add(bound.dims[i], rest.dims[i], depth, axis(written.dims.size() + i), true);
}

void Matching::solve() {
    Dims& dims = module_.dims;
    auto unbound = [&](Dim written) {
        std::vector<Sym> missing;
        for (Sym s : dims.symbols_of(written))
            if (!names_.dims.contains(s)) missing.push_back(s);
        return missing;
    };
    auto bind_bare = [&](bool elements) {
        for (const Equation& e : equations) {
            std::optional<Sym> bare = dims.as_symbol(e.written);
            if (bare && !e.in_values && (e.depth > 0) == elements && !abstracts_.has_unknown(e.found)) names_.dims.try_emplace(*bare, e.found);
        }
    };
    auto bind_linear = [&](bool elements) {              // a*d + b, in the order they are written
        for (const Equation& e : equations) {
            if (e.in_values) continue;
            std::vector<Sym> missing = unbound(e.written);
            if ((e.depth > 0) != elements || missing.size() != 1 || abstracts_.has_unknown(e.found)) continue;
            std::optional<Dims::Linear> linear = dims.linear_in(e.written, missing[0]);
            std::optional<int64_t> by = linear ? dims.constant_value(linear->a) : std::nullopt;
            if (!by || *by == 0) continue;
            Dim rest = dims.sub(e.found, names_.image(dims, linear->b));
            names_.dims[missing[0]] = dims.floor_div(rest, dims.constant(*by));
        }
    };
    bind_bare(false);
    bind_linear(false);
    bind_bare(true);
    bind_linear(true);
}

Element Names::dtype(const Element& written) const {
    auto it = written.var.valid() ? dtypes.find(written.var) : dtypes.end();
    return it == dtypes.end() ? written : it->second;
}

bool Matching::unsolved(const Equation& e) const {
    if (e.in_values) return false;
    for (Sym s : module_.dims.symbols_of(e.written))
        if (!names_.dims.contains(s) && module_.dims.symbol(s).kind != SymKind::unknown) return true;
    return false;
}

Dim Matching::image(const Equation& e) const { return e.in_values ? e.written : names_.image(module_.dims, e.written); }

namespace {
// Written types as values; `found`, where there is one, wins over what is written.
class Instantiation {
 public:
    Instantiation(Module& module, Abstracts& abstracts, const Names& names, const std::function<Dim(Sym)>& fresh,
                  const std::function<VarId()>& fresh_tail, bool refines, bool tails_too, CarriedPlace place)
        : module_(module), abstracts_(abstracts), names_(names), fresh_(fresh), fresh_tail_(fresh_tail), refines_(refines),
          tails_too_(tails_too), place_(std::move(place)) {}

    AbsId value(TypeId written, AbsId found, uint32_t depth) {
        const Type t = module_.types[written];
        const Abs* v = abstracts_.is_bottom(found) ? nullptr : &abstracts_[found];
        switch (t.kind) {
        case TypeKind::hole: return found;
        case TypeKind::var: {
            auto it = names_.types.find(t.var);
            AbsId element = it == names_.types.end() ? abstracts_.bottom() : it->second;
            return depth > 0 ? element : open_element(abstracts_, element, [&] { return fresh_({}); }, fresh_tail_);
        }
        case TypeKind::tensor: {
            ShapedTensor out = v ? v->tensor : ShapedTensor{.dtype = names_.dtype(t.element).dtype.value_or(DType::f32)};
            out.shape = shape(t.shape, v ? &v->tensor.shape : nullptr, depth);
            return abstracts_.tensor(std::move(out));
        }
        case TypeKind::tuple: {
            std::vector<AbsId> parts;
            for (size_t i = 0; i < t.parts.size(); ++i)
                parts.push_back(part(i, [&] { return value(t.parts[i], v ? v->parts[i] : abstracts_.bottom(), depth); }));
            return abstracts_.tuple(std::move(parts));
        }
        case TypeKind::seq:
            return abstracts_.seq(part(0, [&] { return element(t.parts[0], v ? v->parts[0] : abstracts_.bottom(), depth); }));
        case TypeKind::ref: return v || refines_ ? found : cell(t.parts[0], depth);      // refined: none is there
        case TypeKind::function: return v || refines_ ? found : function(written, depth);
        case TypeKind::data: return data(t, v, depth);
        }
        return found;
    }

 private:
    template <class Make> AbsId part(size_t step, Make make) {
        place_.path.push_back(uint32_t(step));
        AbsId result = make();
        place_.path.pop_back();
        return result;
    }

    AbsId carried(const CarriedPlace& place) const {
        auto it = names_.carried->find(place);
        return it == names_.carried->end() ? abstracts_.bottom() : it->second;
    }
    AbsId function(TypeId written, uint32_t depth) {
        if (!names_.carried) return abstracts_.intern({.kind = AbsKind::outside, .declared = written});
        return depth > 0 ? carried(place_) : open_element(abstracts_, carried(place_), [&] { return fresh_({}); }, fresh_tail_);
    }
    AbsId cell(TypeId written, uint32_t depth) {
        Abs out{.kind = AbsKind::ref, .parts = {abstracts_.bottom()}, .cells = {cell_from_outside}};
        if (names_.carried) {
            if (abstracts_.is_bottom(carried(place_))) return abstracts_.bottom();
            out = abstracts_[carried(place_)];
        }
        if (!out.cells.empty() && out.cells.back() == cell_from_outside)
            out.parts[0] = part(0, [&] { return element(written, abstracts_.bottom(), depth); });
        if (names_.content) out.parts[0] = names_.content(out);
        return abstracts_.intern(std::move(out));
    }

    // What an object carries. Where a value is only refined, an object that is not there carries nothing.
    AbsId carried_inside(const CarriedPlace& place) {
        if (names_.carried) return carried(place);
        if (refines_) return abstracts_.bottom();
        TypeId written = type_at(module_, place);
        if (module_.types[written].kind == TypeKind::function) return abstracts_.intern({.kind = AbsKind::outside, .declared = written});
        return abstracts_.intern({.kind = AbsKind::ref, .parts = {abstracts_.bottom()}, .cells = {cell_from_outside}});
    }

    AbsId element(TypeId written, AbsId found, uint32_t depth) {
        counts_.push_back(0);
        AbsId result = value(written, found, depth + 1);
        counts_.pop_back();
        return result;
    }

    AbsId data(const Type& t, const Abs* v, uint32_t depth) {
        Abs out{.kind = AbsKind::data, .decl = t.decl};
        const TypeDecl& decl = module_[t.decl];
        if (v) out.parts = v->parts;
        else for (const CarriedPlace& place : carried_places(module_, t.decl)) out.parts.push_back(carried_inside(place));
        for (size_t i = 0; i < decl.params.size(); ++i) {
            const TypeArg* arg = i < t.args.size() ? &t.args[i] : nullptr;
            switch (decl.params[i].kind) {
            case TypeParam::Kind::type: {
                const TypeId* type = arg ? std::get_if<TypeId>(arg) : nullptr;
                AbsId inner = v ? std::get<AbsId>(v->args[i]) : abstracts_.bottom();
                out.args.push_back(type ? part(i, [&] { return element(*type, inner, depth); }) : inner);
                break;
            }
            case TypeParam::Kind::dim: {
                const Dim* dim = arg ? std::get_if<Dim>(arg) : nullptr;
                Dim inner = v ? std::get<Dim>(v->args[i]) : Dim();
                out.args.push_back(dim && dim->valid() ? extent(*dim, inner, depth) : inner);
                break;
            }
            case TypeParam::Kind::shape: {
                const Shape* s = arg ? std::get_if<Shape>(arg) : nullptr;
                const Shape* inner = v ? std::get_if<Shape>(&v->args[i]) : nullptr;
                Shape own = s ? shape(*s, inner, depth) : inner ? *inner : Shape{{}, false, {}};
                if (s && !s->ranked && !inner && !names_.tails.contains(s->tail)) own.tail = {};      // each field has its own
                out.args.push_back(std::move(own));
                break;
            }
            case TypeParam::Kind::dtype:
                out.args.push_back(arg && std::get_if<Element>(arg) ? names_.dtype(std::get<Element>(*arg)) : Element{});
            }
        }
        return abstracts_.intern(std::move(out));
    }

    Dim extent(Dim written, Dim found, uint32_t depth) {
        bool told = found.valid() && !abstracts_.has_unknown(found);
        if (told) return found;
        Dims& dims = module_.dims;
        return dims.substitute(written, [&](Sym s) -> std::optional<Dim> {
            if (auto it = names_.dims.find(s); it != names_.dims.end()) return it->second;
            if (dims.symbol(s).kind != SymKind::unknown && !(depth > 0)) return fresh_(s);
            if (dims.symbol(s).kind != SymKind::unknown) return std::nullopt;
            if (found.valid()) return found;
            return depth == 0 ? fresh_(s) : abstracts_.unknown(0, counts_.back()++);
        });
    }

    Shape shape(const Shape& written, const Shape* found, uint32_t depth) {
        Shape out;
        for (size_t i = 0; i < written.dims.size(); ++i)
            out.dims.push_back(extent(written.dims[i], found && i < found->dims.size() ? found->dims[i] : Dim(), depth));
        if (written.ranked) return out;
        bool named = tails_too_ && found && !found->ranked && names_.tails.contains(written.tail);
        if (!named && found && found->dims.size() >= written.dims.size()) {      // what is found says at least as much
            out.dims.insert(out.dims.end(), found->dims.begin() + ptrdiff_t(written.dims.size()), found->dims.end());
            out.ranked = found->ranked, out.tail = found->tail;
            if (out.ranked || out.tail.valid()) return out;
            out.dims.resize(written.dims.size());
        }
        auto it = names_.tails.find(written.tail);
        Shape rest = it != names_.tails.end() ? it->second
                                              : Shape{{}, false, depth == 0 ? fresh_tail_() : VarId()};
        out.dims.insert(out.dims.end(), rest.dims.begin(), rest.dims.end());
        out.ranked = rest.ranked, out.tail = rest.tail;
        return out;
    }

    Module& module_;
    Abstracts& abstracts_;
    const Names& names_;
    const std::function<Dim(Sym)>& fresh_;
    const std::function<VarId()>& fresh_tail_;
    const bool refines_, tails_too_;
    CarriedPlace place_;                                // of the type under way
    std::vector<uint32_t> counts_;                       // element unknowns given out, per open container
};
} // namespace

AbsId instantiate(Module& module, Abstracts& abstracts, TypeId written, const Names& names,
                  const std::function<Dim(Sym)>& fresh, const std::function<VarId()>& fresh_tail, const CarriedPlace& place) {
    return Instantiation(module, abstracts, names, fresh, fresh_tail, false, false, place).value(written, abstracts.bottom(), 0);
}
AbsId refine(Module& module, Abstracts& abstracts, TypeId written, AbsId found, const Names& names,
             const std::function<Dim(Sym)>& fresh, const std::function<VarId()>& fresh_tail, bool tails_too) {
    return Instantiation(module, abstracts, names, fresh, fresh_tail, true, tails_too, {}).value(written, found, 0);
}

void collect_names(const Module& module, TypeId written, std::set<Sym>& out) {
    const Type& t = module.types[written];
    auto dim = [&](Dim d) {
        if (!d.valid()) return;
        for (Sym s : module.dims.symbols_of(d))
            if (module.dims.symbol(s).kind != SymKind::unknown) out.insert(s);
    };
    if (t.kind == TypeKind::function) return;
    for (Dim d : t.shape.dims) dim(d);
    for (TypeId part : t.parts) collect_names(module, part, out);
    for (const TypeArg& arg : t.args) {
        if (const TypeId* inner = std::get_if<TypeId>(&arg)) collect_names(module, *inner, out);
        if (const Dim* d = std::get_if<Dim>(&arg)) dim(*d);
        if (const Shape* s = std::get_if<Shape>(&arg))
            for (Dim d : s->dims) dim(d);
    }
}

bool states_sizes(const Module& module, TypeId written) {
    const Type& t = module.types[written];
    if (t.kind == TypeKind::tensor) return !t.shape.dims.empty() || t.shape.ranked || t.shape.tail.valid();
    if (t.kind == TypeKind::function) return false;
    for (TypeId part : t.parts)
        if (states_sizes(module, part)) return true;
    for (const TypeArg& arg : t.args) {
        if (const TypeId* type = std::get_if<TypeId>(&arg); type && states_sizes(module, *type)) return true;
        if (const Dim* dim = std::get_if<Dim>(&arg); dim && dim->valid()) return true;
        if (const Shape* s = std::get_if<Shape>(&arg); s && (!s->dims.empty() || s->ranked || s->tail.valid())) return true;
    }
    return false;
}
} // namespace nereus
