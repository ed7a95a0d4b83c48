#include "infer/abstract.h"
#include <algorithm>
#include <set>

namespace nereus {
namespace {
// One word list per value, for hash-consing.
struct Words {
    std::vector<uint32_t> out;
    void add(size_t word) { out.push_back(uint32_t(word)); }
    void add(Dim d) { add(d.index); }
    void add(const Shape& s) {
        add(s.dims.size());
        for (Dim d : s.dims) add(d);
        add(size_t(s.ranked)), add(s.tail.index);
    }
    void add(const Condition& c) {
        add(size_t(c.kind)), add(size_t(c.relation)), add(c.left), add(c.right), add(c.parts.size());
        for (const Condition& part : c.parts) add(part);
    }
    void add(const ShapedTensor& t) {
        add(size_t(t.dtype)), add(t.shape), add(size_t(t.known.kind)), add(t.known.numbers.size());
        for (Dim d : t.known.numbers) add(d);
        add(t.known.condition), add(t.low), add(t.high);
    }
    void add(const std::vector<AbsId>& ids) {
        add(ids.size());
        for (AbsId id : ids) add(id.index);
    }
    void add(const AbsArg& arg) {
        add(arg.index());
        if (const AbsId* id = std::get_if<AbsId>(&arg)) add(id->index);
        if (const Dim* dim = std::get_if<Dim>(&arg)) add(*dim);
        if (const Shape* shape = std::get_if<Shape>(&arg)) add(*shape);
        if (const Element* e = std::get_if<Element>(&arg)) add(e->dtype ? size_t(*e->dtype) : 99), add(e->var.index);
    }
};

std::vector<uint32_t> words_of(const Abs& a) {
    Words w;
    w.add(size_t(a.kind));
    if (a.kind == AbsKind::tensor) w.add(a.tensor);
    w.add(a.parts), w.add(a.decl.index), w.add(a.args.size());
    for (const AbsArg& arg : a.args) w.add(arg);
    w.add(a.cells.size());
    for (uint32_t cell : a.cells) w.add(cell);
    for (const Closure& c : a.closures) w.add(c.code), w.add(c.env);
    w.add(a.declared.index);
    return std::move(w.out);
}
} // namespace

Abstracts::Abstracts(Dims& dims) : dims_(dims) {
    intern({.kind = AbsKind::bottom});                   // bottom() == AbsId(0)
    intern({.kind = AbsKind::tuple});                    // unit() == AbsId(1)
}

AbsId Abstracts::intern(Abs abs) {
    auto [it, is_new] = by_content_.try_emplace(words_of(abs), AbsId(table_.size()));
    if (is_new) mentions_.push_back(mentions_of(abs)), table_.push_back(std::move(abs));
    return it->second;
}

size_t Abstracts::WordsHash::operator()(const std::vector<uint32_t>& words) const {
    uint64_t hash = words.size();
    for (uint32_t word : words) hash = (hash ^ word) * 0x9e3779b97f4a7c15u, hash ^= hash >> 29;
    return hash;
}

// Goes through a value in the order of Join, whose numbering of unknowns it foretells.
class Abstracts::Mentioning {
 public:
    explicit Mentioning(const Abstracts& abstracts) : abstracts_(abstracts) {}
    bool settled = true, tails = false;

    void shape(const Shape& s) {
        for (Dim d : s.dims) leaf(d);
        tails = tails || !s.ranked;
    }
    void leaf(Dim d) {
        if (!d.valid()) return;
        if (std::optional<Unknown> u = abstracts_.as_unknown(d)) return add({*u, true});
        settled = settled && !abstracts_.has_unknown(d);
        for (Sym s : abstracts_.dims_.symbols_of(d)) symbols_.insert(s);
    }
    void part(AbsId id) {
        if (take(id))
            for (const OpenUnknown& u : abstracts_.mentions_[id.index].open) add(u);
    }
    void inside(AbsId id) {
        if (!take(id)) return;
        uint32_t count = 0;                              // of this container's unknowns, so far
        for (const auto& [u, direct] : abstracts_.mentions_[id.index].open) {
            if (u.level > 0) add({{u.level - 1, u.k}, false});
            else if (direct && u.k == count) ++count;
            else settled = settled && u.k < count;
        }
    }
    Mentions take() && {
        if (!settled) return {.settled = false};
        return {.symbols = {symbols_.begin(), symbols_.end()}, .open = std::move(open_), .tails = tails};
    }

 private:
    bool take(AbsId id) {
        const Mentions& of = abstracts_.mentions_[id.index];
        settled = settled && of.settled;
        tails = tails || of.tails;
        if (settled) symbols_.insert(of.symbols.begin(), of.symbols.end());
        return settled;
    }
    void add(OpenUnknown u) {
        if (seen_.insert({u.unknown.level, u.unknown.k}).second) open_.push_back(u);
    }

    const Abstracts& abstracts_;
    std::set<Sym> symbols_;
    std::vector<OpenUnknown> open_;
    std::set<std::pair<uint32_t, uint32_t>> seen_;
};

Abstracts::Mentions Abstracts::mentions_of(const Abs& abs) const {
    Mentioning of(*this);
    if (abs.kind == AbsKind::tensor) {
        const ShapedTensor& t = abs.tensor;
        of.shape(t.shape);
        for (Dim d : t.known.numbers) of.leaf(d);
        auto forgets = [&](Dim d) { return !d.valid() || has_unknown(d); };
        const bool forgotten = t.known.kind != Known::Kind::none &&
                               (t.known.numbers.empty() || std::any_of(t.known.numbers.begin(), t.known.numbers.end(), forgets));
        of.settled = of.settled && !forgotten && !t.low.valid() && !t.high.valid();
    }
    const bool holds = abs.kind != AbsKind::tuple && abs.kind != AbsKind::gradient;
    for (AbsId id : abs.parts) holds ? of.inside(id) : of.part(id);
    for (const AbsArg& arg : abs.args) {
        if (const AbsId* id = std::get_if<AbsId>(&arg)) of.inside(*id);
        if (const Dim* d = std::get_if<Dim>(&arg)) of.leaf(*d);
        if (const Shape* s = std::get_if<Shape>(&arg)) of.shape(*s);
    }
    for (const Closure& c : abs.closures)
        for (AbsId id : c.env) of.inside(id);
    return std::move(of).take();
}

AbsId Abstracts::tuple(std::vector<AbsId> parts) {
    for (AbsId part : parts)
        if (is_bottom(part)) return bottom();
    return intern({.kind = AbsKind::tuple, .parts = std::move(parts)});
}

AbsId Abstracts::number(Dim d, DType dtype) {
    ShapedTensor t{.dtype = dtype, .shape = {}};
    if (is_integer(dtype) && d.valid()) t.known = known_number(d);
    return tensor(std::move(t));
}

Dim Abstracts::unknown(uint32_t level, uint32_t k) {
    auto [it, is_new] = unknowns_.try_emplace({level, k});
    if (is_new) {
        Sym s = dims_.new_symbol("?" + std::to_string(k), SymKind::unknown);
        unknown_of_[s] = {level, k};
        it->second = dims_.of(s);
    }
    return it->second;
}
std::optional<Abstracts::Unknown> Abstracts::as_unknown(Dim d) const {
    std::optional<Sym> s = d.valid() ? dims_.as_symbol(d) : std::nullopt;
    if (!s) return std::nullopt;
    auto it = unknown_of_.find(*s);
    return it == unknown_of_.end() ? std::nullopt : std::optional(it->second);
}
bool Abstracts::has_unknown(Dim d) const {
    for (Sym s : dims_.symbols_of(d))
        if (unknown_of_.contains(s)) return true;
    return false;
}

namespace {
class Mapping {
 public:
    Mapping(Abstracts& abstracts, LeafMap& map) : abstracts_(abstracts), map_(map) {}

    AbsId value(AbsId id, uint32_t depth) {
        if (map_.keeps(id, depth)) return id;
        const uint64_t key = uint64_t(id.index) << 32 | depth;
        if (auto it = done_.find(key); it != done_.end()) return it->second;
        const AbsId result = changed(id, depth);
        done_.emplace(key, result);
        return result;
    }

 private:
    // Most parts stay as they are: those are not looked up again.
    AbsId changed(AbsId id, uint32_t depth) {
        const Abs& from = abstracts_[id];
        if (from.kind == AbsKind::tensor) {
            ShapedTensor to = tensor(from.tensor, depth);
            return to == from.tensor ? id : abstracts_.tensor(std::move(to));
        }
        uint32_t inside = from.kind == AbsKind::tuple || from.kind == AbsKind::gradient ? depth : depth + 1;
        if (from.kind == AbsKind::tuple) {
            std::vector<AbsId> parts = values(from.parts, inside);
            return parts == from.parts ? id : abstracts_.tuple(std::move(parts));
        }
        std::vector<AbsId> parts = values(from.parts, inside);
        std::vector<AbsArg> args = from.args;
        for (AbsArg& arg : args) {
            if (AbsId* part = std::get_if<AbsId>(&arg)) *part = value(*part, inside);
            if (Dim* d = std::get_if<Dim>(&arg); d && d->valid()) *d = map_.extent(*d, depth);
            if (Shape* s = std::get_if<Shape>(&arg)) *s = shape(*s, depth);
        }
        bool same = parts == from.parts && args == from.args;
        std::vector<Closure> closures;
        for (const Closure& c : from.closures) {
            closures.push_back({c.code, values(c.env, inside)});
            same = same && closures.back().env == c.env;
        }
        if (same) return id;
        Abs to = from;
        to.parts = std::move(parts), to.args = std::move(args), to.closures = std::move(closures);
        return abstracts_.intern(std::move(to));
    }
    std::vector<AbsId> values(const std::vector<AbsId>& from, uint32_t depth) {
        std::vector<AbsId> to;
        to.reserve(from.size());
        for (AbsId part : from) to.push_back(value(part, depth));
        return to;
    }
    Shape shape(const Shape& from, uint32_t depth) {
        Shape to;
        for (Dim d : from.dims) to.dims.push_back(map_.extent(d, depth));
        if (from.ranked) return to;
        Shape rest = map_.tail(from.tail, depth);        // extents of the image are already the caller's
        to.dims.insert(to.dims.end(), rest.dims.begin(), rest.dims.end());
        to.ranked = rest.ranked, to.tail = rest.tail;
        return to;
    }

    ShapedTensor tensor(const ShapedTensor& from, uint32_t depth) {
        ShapedTensor to{.dtype = from.dtype, .shape = shape(from.shape, depth)};
        if (from.known.kind == Known::Kind::number || from.known.kind == Known::Kind::list) {
            to.known.kind = from.known.kind;
            for (Dim d : from.known.numbers) {
                to.known.numbers.push_back(map_.number(d, depth));
                if (!to.known.numbers.back().valid()) { to.known = {}; break; }
            }
        }
        if (from.known.kind == Known::Kind::grid) {
            to.known.kind = Known::Kind::grid;
            for (Dim d : from.known.numbers) to.known.numbers.push_back(d.valid() ? map_.number(d, depth) : d);
            if (std::ranges::none_of(to.known.numbers, &Dim::valid)) to.known = {};
        }
        const bool decided = from.known.kind == Known::Kind::condition && (from.known.condition.kind == Condition::Kind::always || from.known.condition.kind == Condition::Kind::never);
        if (decided && map_.keeps_decisions()) to.known = from.known;
        if (!map_.keeps_hints()) return to;
        if (from.known.kind == Known::Kind::condition) {
            to.known = from.known;
            condition(to.known.condition, depth);
            if (to.known.condition.kind == Condition::Kind::unknown) to.known = {};
        }
        if (from.low.valid()) to.low = map_.number(from.low, depth);
        if (from.high.valid()) to.high = map_.number(from.high, depth);
        return to;
    }

    void condition(Condition& c, uint32_t depth) {
        if (c.kind == Condition::Kind::relation) {
            c.left = map_.number(c.left, depth), c.right = map_.number(c.right, depth);
            if (!c.left.valid() || !c.right.valid()) c = {};
        }
        for (Condition& part : c.parts) condition(part, depth);
    }

    Abstracts& abstracts_;
    LeafMap& map_;
    std::unordered_map<uint64_t, AbsId> done_;           // by value and depth
};

class Substitution : public LeafMap {
 public:
    Substitution(Abstracts& abstracts, const SymImage& image, const TailImage& tail)
        : abstracts_(abstracts), dims_(abstracts.dims()), image_(image), tail_(tail) {}
    bool keeps(AbsId id, uint32_t) override {
        if (!abstracts_.is_settled(id) || abstracts_.has_tails(id)) return false;
        const std::vector<Sym>& symbols = abstracts_.symbols_of(id);
        return std::none_of(symbols.begin(), symbols.end(), [&](Sym s) { return image_(s).has_value(); });
    }
    Dim extent(Dim d, uint32_t) override {
        auto [it, is_new] = done_.try_emplace(d);
        if (is_new) it->second = dims_.substitute(d, image_);
        return it->second;
    }
    Shape tail(VarId v, uint32_t) override {
        std::optional<Shape> image = v.valid() ? tail_(v) : std::nullopt;
        return image ? *image : Shape{{}, false, v};
    }

 private:
    const Abstracts& abstracts_;
    Dims& dims_;
    const SymImage& image_;
    const TailImage& tail_;
    std::map<Dim, Dim> done_;
};

class Opening : public LeafMap {
 public:
    Opening(Abstracts& abstracts, const std::function<Dim()>& fresh, const std::function<VarId()>& fresh_tail)
        : abstracts_(abstracts), fresh_(fresh), fresh_tail_(fresh_tail) {}
    bool keeps(AbsId id, uint32_t depth) override { return depth > 0 && abstracts_.is_settled(id); }
    Dim extent(Dim d, uint32_t depth) override {
        std::optional<Abstracts::Unknown> u = abstracts_.as_unknown(d);
        if (!u || u->level < depth) return d;
        if (u->level > depth) return abstracts_.unknown(u->level - 1, u->k);
        auto [it, is_new] = opened_.try_emplace(u->k);
        if (is_new) it->second = fresh_();
        return it->second;
    }
    Shape tail(VarId v, uint32_t depth) override {
        return Shape{{}, false, v.valid() || depth > 0 ? v : fresh_tail_()};
    }

 private:
    Abstracts& abstracts_;
    const std::function<Dim()>& fresh_;
    const std::function<VarId()>& fresh_tail_;
    std::map<uint32_t, Dim> opened_;
};

class Listing : public LeafMap {
 public:
    std::vector<Leaf> leaves;
    Dim extent(Dim d, uint32_t depth) override { leaves.push_back({d, depth, false}); return d; }
    Dim number(Dim d, uint32_t depth) override { leaves.push_back({d, depth, true}); return d; }
    bool keeps_hints() const override { return false; }
};
} // namespace

AbsId map_leaves(Abstracts& abstracts, AbsId value, LeafMap& map) { return Mapping(abstracts, map).value(value, 0); }

AbsId substitute(Abstracts& abstracts, AbsId value, const SymImage& image, const TailImage& tail) {
    Substitution map(abstracts, image, tail);
    return map_leaves(abstracts, value, map);
}
AbsId open_element(Abstracts& abstracts, AbsId element, const std::function<Dim()>& fresh,
                   const std::function<VarId()>& fresh_tail) {
    Opening map(abstracts, fresh, fresh_tail);
    return map_leaves(abstracts, element, map);
}
std::vector<Leaf> leaves_of(Abstracts& abstracts, AbsId value) {
    Listing map;
    map_leaves(abstracts, value, map);
    return std::move(map.leaves);
}

namespace {
// Sizes that the program writes are symbols of its own functions: they mean nothing where no value shows them.
TypeId unsized(Types& types, TypeId written) {
    Type t = types[written];
    if (t.kind == TypeKind::tensor) t.shape = Shape{{}, false, {}};
    for (TypeId& part : t.parts) part = unsized(types, part);
    for (TypeArg& arg : t.args) {
        if (TypeId* inner = std::get_if<TypeId>(&arg)) *inner = unsized(types, *inner);
        if (Dim* d = std::get_if<Dim>(&arg)) *d = Dim();
        if (Shape* s = std::get_if<Shape>(&arg)) *s = Shape{{}, false, {}};
    }
    return types.intern(std::move(t));
}
} // namespace

TypeId type_of(Module& module, Abstracts& abstracts, AbsId value, TypeId skeleton) {
    Types& types = module.types;
    const Abs& a = abstracts[value];
    const Type s = types[skeleton];                      // a copy: interning moves the table
    auto part = [&](size_t i) { return i < s.parts.size() ? s.parts[i] : types.hole(); };
    switch (a.kind) {
    case AbsKind::bottom: case AbsKind::closures: case AbsKind::gradient: return unsized(types, skeleton);
    case AbsKind::outside: return a.declared;
    case AbsKind::tensor: return types.tensor(a.tensor.shape, a.tensor.dtype);
    case AbsKind::seq: return types.seq(type_of(module, abstracts, a.parts[0], part(0)));
    case AbsKind::ref: return types.ref(type_of(module, abstracts, a.parts[0], part(0)));
    case AbsKind::tuple: {
        std::vector<TypeId> parts;
        for (size_t i = 0; i < a.parts.size(); ++i) parts.push_back(type_of(module, abstracts, a.parts[i], part(i)));
        return types.tuple(std::move(parts));
    }
    case AbsKind::data: {
        std::vector<TypeArg> args;
        for (size_t i = 0; i < a.args.size(); ++i) {
            const TypeId* inner = i < s.args.size() ? std::get_if<TypeId>(&s.args[i]) : nullptr;
            if (const AbsId* v = std::get_if<AbsId>(&a.args[i]))
                args.push_back(type_of(module, abstracts, *v, inner ? *inner : types.hole()));
            if (const Dim* d = std::get_if<Dim>(&a.args[i])) args.push_back(d->valid() ? *d : abstracts.unknown(0, 0));
            if (const Element* e = std::get_if<Element>(&a.args[i])) args.push_back(*e);
            if (const Shape* shape = std::get_if<Shape>(&a.args[i])) args.push_back(*shape);
        }
        return types.data(a.decl, std::move(args));
    }
    }
    return skeleton;
}
} // namespace nereus
