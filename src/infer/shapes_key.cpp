#include "infer/shapes_key.h"
#include <algorithm>

namespace nereus {
Sym PatternPool::get(std::vector<Sym>& pool, size_t i, bool extent, const char* name) {
    while (pool.size() <= i)
        pool.push_back(module_.dims.new_symbol(name + std::to_string(pool.size()), extent ? SymKind::size : SymKind::host));
    return pool[i];
}
VarId PatternPool::get(std::vector<VarId>& pool, size_t i, const char* name) {
    while (pool.size() <= i) pool.push_back(module_.add_var(name + std::to_string(pool.size()), VarKind::shape));
    return pool[i];
}

namespace {
class Rename : public LeafMap {
 public:
    Rename(Abstracts& abstracts, const std::map<Dim, Dim>& whole, const std::map<Sym, Dim>& symbols, const std::map<VarId, VarId>& tails)
        : abstracts_(abstracts), dims_(abstracts.dims()), whole_(whole), symbols_(symbols), tails_(tails) {}
    bool keeps(AbsId id, uint32_t) override {
        return abstracts_.is_settled(id) && !abstracts_.has_tails(id) && abstracts_.symbols_of(id).empty();
    }
    Dim extent(Dim d, uint32_t) override {
        if (auto it = whole_.find(d); it != whole_.end()) return it->second;
        return dims_.substitute(d, [&](Sym s) -> std::optional<Dim> {
            auto it = symbols_.find(s);
            return it == symbols_.end() ? std::nullopt : std::optional(it->second);
        });
    }
    Shape tail(VarId v, uint32_t) override {
        auto it = tails_.find(v);
        return Shape{{}, false, it == tails_.end() ? v : it->second};
    }
    bool keeps_hints() const override { return false; }

 private:
    const Abstracts& abstracts_;
    Dims& dims_;
    const std::map<Dim, Dim>& whole_;
    const std::map<Sym, Dim>& symbols_;
    const std::map<VarId, VarId>& tails_;
};

// Shape variables in order of occurrence.
class Tails : public LeafMap {
 public:
    explicit Tails(const Abstracts& abstracts) : abstracts_(abstracts) {}
    std::vector<VarId> found;
    bool keeps(AbsId id, uint32_t) override { return abstracts_.is_settled(id) && !abstracts_.has_tails(id); }
    Dim extent(Dim d, uint32_t) override { return d; }
    Shape tail(VarId v, uint32_t) override {
        if (v.valid() && std::find(found.begin(), found.end(), v) == found.end()) found.push_back(v);
        return Shape{{}, false, v};
    }

 private:
    const Abstracts& abstracts_;
};
} // namespace

KeyPlan make_key(Abstracts& abstracts, PatternPool& pool, uint32_t code, const std::vector<AbsId>& args, const RangeOf& range,
                 bool as_declared) {
    Dims& dims = abstracts.dims();
    std::vector<Dim> polys;                              // distinct, in order of first occurrence
    std::map<Dim, bool> is_extent;
    std::map<Sym, int> uses;                             // in how many distinct polynomials
    Tails tails(abstracts);
    for (AbsId arg : args) {
        for (const Leaf& leaf : leaves_of(abstracts, arg)) {
            if (dims.constant_value(leaf.dim) || abstracts.has_unknown(leaf.dim)) continue;
            auto [it, is_new] = is_extent.try_emplace(leaf.dim, !leaf.is_number);
            it->second = it->second || !leaf.is_number;
            if (!is_new) continue;
            polys.push_back(leaf.dim);
            for (Sym s : dims.symbols_of(leaf.dim)) ++uses[s];
        }
        map_leaves(abstracts, arg, tails);
    }
    KeyPlan plan{.key = {.code = code}};
    std::map<Dim, Dim> whole;
    std::map<Sym, Dim> symbols;
    std::map<VarId, VarId> tail_names;
    auto add = [&](Dim actual, bool extent) {
        Range r = range(actual, extent);
        Sym symbol = pool.symbol(plan.symbols.size(), r.like_extent());
        plan.symbols.push_back(symbol), plan.actuals.push_back(actual), plan.key.ranges.push_back(r);
        return dims.of(symbol);
    };
    for (Dim poly : polys) {
        std::vector<Sym> inside = dims.symbols_of(poly);
        bool alone = !as_declared && std::all_of(inside.begin(), inside.end(), [&](Sym s) { return uses[s] == 1; });
        if (alone || dims.as_symbol(poly)) {
            std::optional<Sym> bare = dims.as_symbol(poly);
            if (bare && symbols.contains(*bare)) continue;
            Dim image = add(poly, is_extent[poly]);
            if (bare) symbols[*bare] = image;
            else whole[poly] = image;
            continue;
        }
        for (Sym s : inside) {
            if (symbols.contains(s)) continue;
            Dim bare = dims.of(s);
            auto as_leaf = is_extent.find(bare);
            symbols[s] = add(bare, as_leaf != is_extent.end() && as_leaf->second);
        }
    }
    for (VarId tail : tails.found) {
        VarId name = pool.tail(plan.tails.size());
        plan.tails.push_back(name), plan.tail_actuals.push_back(Shape{{}, false, tail});
        tail_names[tail] = name;
    }
    Rename rename(abstracts, whole, symbols, tail_names);
    for (AbsId arg : args) plan.key.args.push_back(map_leaves(abstracts, arg, rename));
    return plan;
}

namespace {
// First walk: which leaves stand against each other.
class Pairs : public Join {
 public:
    using Join::Join;
    std::vector<std::pair<Dim, Dim>> found;

 protected:
    bool in_scope(Dim) override { return true; }
    bool agreed_symbols_stay() const override { return false; }      // a name of the key, and one of the caller's
    Dim extent(const std::vector<Dim>& arms, const Path&) override { return note(arms); }
    Dim number(const std::vector<Dim>& arms, const Path&) override { return note(arms); }
    Shape other_rank(const std::vector<const Shape*>&, const Path&) override { return Shape{{}, false, {}}; }
    Dim element(const std::vector<Dim>& arms) override {
        if (arms[0].valid() && arms[1].valid() && !abstracts_.has_unknown(arms[0]) && !abstracts_.has_unknown(arms[1])) note(arms);
        return arms[0].valid() ? arms[0] : arms[1];
    }

 private:
    Dim note(const std::vector<Dim>& arms) {
        if (arms[0].valid() && arms[1].valid()) found.push_back({arms[0], arms[1]});
        return arms[0].valid() ? arms[0] : arms[1];
    }
};

// Second walk: a leaf that matches stays, any other becomes the symbol of its pair.
class Cover : public Join {
 public:
    Cover(Abstracts& abstracts, Module& module, const std::map<std::pair<Dim, Dim>, bool>& matches)
        : Join(abstracts), module_(module), matches_(matches) {}
    std::map<Sym, Dim> actual;                           // of the symbols made here
    std::map<Sym, Dim> was;
    std::map<VarId, Shape> tail_actual;

 protected:
    bool in_scope(Dim) override { return true; }
    bool agreed_symbols_stay() const override { return false; }      // a name of the key, and one of the caller's
    Dim extent(const std::vector<Dim>& arms, const Path&) override { return pair(arms); }
    Dim number(const std::vector<Dim>& arms, const Path&) override { return pair(arms); }
    Dim element(const std::vector<Dim>& arms) override {
        bool unknown = (arms[0].valid() && abstracts_.has_unknown(arms[0])) || (arms[1].valid() && abstracts_.has_unknown(arms[1]));
        return unknown ? Join::element(arms) : pair(arms);
    }
    Shape other_rank(const std::vector<const Shape*>& arms, const Path&) override {
        const Shape* there = arms[1] ? arms[1] : arms[0];
        std::vector<uint32_t> name;
        for (const Shape* arm : arms) {
            for (size_t i = 0; arm && i < arm->dims.size(); ++i) name.push_back(arm->dims[i].index);
            name.push_back(arm ? arm->tail.index : 0), name.push_back(arm ? arm->ranked : 2);
        }
        auto [it, is_new] = tails_.try_emplace(name);
        if (is_new) it->second = module_.add_var("s", VarKind::shape), tail_actual[it->second] = *there;
        return Shape{{}, false, it->second};
    }

 private:
    Dim pair(const std::vector<Dim>& arms) {
        auto key = std::pair(arms[0], arms[1]);
        if (auto it = matches_.find(key); it != matches_.end() && it->second) return arms[0];
        if (arms[0] == arms[1] && module_.dims.constant_value(arms[0])) return arms[0];
        auto [it, is_new] = symbols_.try_emplace(key);
        if (is_new) {
            Sym s = module_.dims.new_symbol("g", SymKind::host);
            it->second = module_.dims.of(s);
            if (arms[0].valid()) was[s] = arms[0];
            actual[s] = arms[1].valid() ? arms[1] : arms[0];
        }
        return it->second;
    }

    Module& module_;
    const std::map<std::pair<Dim, Dim>, bool>& matches_;
    std::map<std::pair<Dim, Dim>, Dim> symbols_;
    std::map<std::vector<uint32_t>, VarId> tails_;
};
} // namespace

KeyPlan generalise(Abstracts& abstracts, PatternPool& pool, Module& module, const KeyPlan& under,
                   const std::vector<AbsId>& args, const RangeOf& range, const std::function<bool(Dim, Dim)>& equal) {
    Dims& dims = module.dims;
    Pairs pairs(abstracts);
    for (size_t i = 0; i < args.size(); ++i) pairs({under.key.args[i], args[i]});
    std::map<Sym, Dim> bound;                            // the key's symbols: what they are in the caller
    auto image = [&](Dim d) {
        return dims.substitute(d, [&](Sym s) -> std::optional<Dim> {
            auto it = bound.find(s);
            return it == bound.end() ? std::nullopt : std::optional(it->second);
        });
    };
    for (auto [pattern, actual] : pairs.found)
        if (std::optional<Sym> bare = dims.as_symbol(pattern)) bound.try_emplace(*bare, actual);
    for (auto [pattern, actual] : pairs.found) {         // symbols that never stand alone: solve where it is easy
        std::vector<Sym> open;
        for (Sym s : dims.symbols_of(pattern))
            if (!bound.contains(s)) open.push_back(s);
        std::optional<Dims::Linear> linear = open.size() == 1 ? dims.linear_in(pattern, open[0]) : std::nullopt;
        if (linear && dims.constant_value(linear->a) == 1) bound[open[0]] = dims.sub(actual, image(linear->b));
    }
    std::map<std::pair<Dim, Dim>, bool> matches;
    for (auto [pattern, actual] : pairs.found) {
        bool solved = true;
        for (Sym s : dims.symbols_of(pattern)) solved = solved && bound.contains(s);
        matches[{pattern, actual}] = solved && equal(image(pattern), actual);
    }
    Cover cover(abstracts, module, matches);
    std::vector<AbsId> joined;
    for (size_t i = 0; i < args.size(); ++i) joined.push_back(cover({under.key.args[i], args[i]}));

    std::map<Sym, Range> ranges;
    for (size_t i = 0; i < under.symbols.size(); ++i) ranges[under.symbols[i]] = under.key.ranges[i];
    auto in_caller = [&](Dim d) {
        Dim at = dims.substitute(d, [&](Sym s) -> std::optional<Dim> {
            auto it = cover.actual.find(s);
            return it == cover.actual.end() ? std::nullopt : std::optional(it->second);
        });
        return at == d ? image(d) : at;
    };
    auto range_in_key = [&](Dim d, bool extent) -> Range {
        if (std::optional<int64_t> value = dims.constant_value(d))
            return {*value > 0 ? Sign::positive : *value == 0 ? Sign::natural : Sign::any, true, true};
        std::optional<Sym> bare = dims.as_symbol(d);
        auto it = bare ? ranges.find(*bare) : ranges.end();
        return it == ranges.end() ? Range{extent ? Sign::natural : Sign::any, extent} : it->second;
    };
    auto common_range = [&](Dim d, bool extent) {
        std::optional<Sym> bare = dims.as_symbol(d);
        bool made_here = bare && cover.actual.contains(*bare);
        Range here = range(in_caller(d), extent);
        if (made_here && !cover.was.contains(*bare)) return here;
        return widest(range_in_key(made_here ? cover.was[*bare] : d, extent), here);
    };
    KeyPlan plan = make_key(abstracts, pool, under.key.code, joined, common_range);
    for (Dim& actual : plan.actuals) actual = in_caller(actual);
    for (Shape& tail : plan.tail_actuals)
        if (auto it = cover.tail_actual.find(tail.tail); it != cover.tail_actual.end()) tail = it->second;
    return plan;
}

std::string rank_skeleton(const Abstracts& abstracts, const std::vector<AbsId>& args, bool with_codes) {
    std::string out;
    for (AbsId id : args) {
        const Abs& a = abstracts[id];
        out += char('a' + int(a.kind));
        if (a.kind == AbsKind::tensor) out += std::to_string(a.tensor.shape.dims.size()) + (a.tensor.shape.ranked ? "" : ".");
        std::vector<AbsId> inner = a.parts;
        for (const AbsArg& arg : a.args) {
            if (const AbsId* part = std::get_if<AbsId>(&arg)) inner.push_back(*part);
            if (const Shape* s = std::get_if<Shape>(&arg)) out += std::to_string(s->dims.size()) + (s->ranked ? "" : ".");
        }
        if (!inner.empty()) out += "(" + rank_skeleton(abstracts, inner, with_codes) + ")";
        for (const Closure& c : a.closures)
            if (with_codes) out += "#" + std::to_string(c.code) + "(" + rank_skeleton(abstracts, c.env, true) + ")";
    }
    return out;
}
} // namespace nereus
