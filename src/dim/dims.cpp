// dim/dims.cpp - the tables of symbols, atoms and polynomials; sums and products; growth.
//
// Growth. A polynomial is multiplied out as long as it has at most 64 nodes, its coefficients fit into 64 bits and
// its powers are small. Otherwise an operand is kept whole: it becomes one atom, `min` of that single argument,
// which counts as one node. That is exact - it evaluates, substitutes and prints as its argument does - but equal
// values may then have different forms, so equality of ids is lost, never truth. Sizes stay bounded for the
// products of sums that would grow exponentially, since every operation returns at most about 64 nodes.
#include "dim/dims.h"
#include "dim/polynomial.h"
#include <algorithm>
#include <unordered_set>

namespace nereus {
static constexpr uint32_t largest_size = 64;

static void mix(size_t& hash, uint64_t value) {
    hash ^= value + 0x9e3779b97f4a7c15u + (hash << 6) + (hash >> 2);
}

static size_t hash_of(const Polynomial& p) {
    size_t hash = p.size();
    for (const Term& t : p) {
        mix(hash, uint64_t(t.coefficient));
        for (const Factor& f : t.factors) mix(hash, uint64_t(f.atom.index) << 8 | uint64_t(f.power));
    }
    return hash;
}

static size_t hash_of(const AtomNode& node) {
    size_t hash = size_t(node.kind);
    mix(hash, uint64_t(node.symbol.index) << 32 | node.shape);
    for (Dim d : node.args) mix(hash, d.index);
    return hash;
}

static uint32_t size_of_polynomial(const Polynomial& p, const std::vector<uint32_t>& atom_sizes) {
    uint32_t sum = 0;
    for (const Term& t : p) {
        if (t.coefficient != 1 || t.factors.empty()) sum++;
        for (const Factor& f : t.factors) sum += atom_sizes[f.atom.index] + uint32_t(f.power > 1);
    }
    return sum;
}

Dims::Dims() { constant(0), constant(1); }

Sym Dims::new_symbol(std::string name, SymKind kind) {
    Sym s(symbols_.size());
    symbols_.push_back({std::move(name), kind});
    symbol_atoms_.push_back(intern_atom({AtomKind::symbol, s, {}}));
    return s;
}

Dim Dims::intern(Polynomial p) {
    size_t hash = hash_of(p);
    auto [first, last] = interned_.equal_range(hash);
    for (; first != last; ++first)
        if (polynomials_[first->second.index] == p) return first->second;
    Dim d(polynomials_.size());
    sizes_.push_back(size_of_polynomial(p, atom_sizes_));
    polynomials_.push_back(std::move(p));
    interned_.emplace(hash, d);
    return d;
}

Atom Dims::intern_atom(AtomNode node) {
    size_t hash = hash_of(node);
    auto [first, last] = interned_atoms_.equal_range(hash);
    for (; first != last; ++first) {
        const AtomNode& other = atoms_[first->second.index];
        if (other.kind == node.kind && other.symbol == node.symbol && other.args == node.args &&
            other.shape == node.shape)
            return first->second;
    }
    Atom a(atoms_.size());
    bool kept_whole = node.kind == AtomKind::min && node.args.size() == 1;
    uint32_t size = 1;
    for (Dim d : node.args) size += kept_whole ? 0 : sizes_[d.index];
    atom_sizes_.push_back(size);
    atom_nonnegative_.push_back(nonnegative_atom(node));
    mod_quotients_.push_back(Dim());
    any_mod_ |= node.kind == AtomKind::mod;
    atoms_.push_back(std::move(node));
    interned_atoms_.emplace(hash, a);
    return a;
}

Dim Dims::of(Atom a) { return intern({{1, {{a, 1}}}}); }
Dim Dims::of(Sym s) { return of(symbol_atoms_[s.index]); }
Dim Dims::constant(int64_t value) { return value == 0 ? intern({}) : intern({{value, {}}}); }
Dim Dims::rank_of(uint32_t variable) { return of(intern_atom({AtomKind::rank, {}, {}, variable})); }
Dim Dims::size_of(uint32_t variable) { return of(intern_atom({AtomKind::size, {}, {}, variable})); }

bool Dims::fits(const Polynomial& p) const { return size_of_polynomial(p, atom_sizes_) <= largest_size; }

Dim Dims::whole(Dim d) {
    const Polynomial& p = polynomials_[d.index];
    if (p.size() == 1 && p[0].coefficient == 1 && lone_atom(p[0]) && sizes_[d.index] == 1) return d;
    return of(intern_atom({AtomKind::min, {}, {d}}));
}

Dim Dims::apply(AtomKind kind, std::vector<Dim> args) {
    for (;;) {
        uint32_t size = 1;
        for (Dim d : args) size += sizes_[d.index];
        auto largest = std::max_element(args.begin(), args.end(),
                                        [&](Dim a, Dim b) { return sizes_[a.index] < sizes_[b.index]; });
        if (size <= largest_size || sizes_[largest->index] <= 1) break;
        *largest = whole(*largest);
    }
    if (kind != AtomKind::floor_div && kind != AtomKind::mod && kind != AtomKind::rounded) std::sort(args.begin(), args.end());
    return of(intern_atom({kind, {}, std::move(args)}));
}

// The larger operand is kept whole first; equal sizes go by id, so that a + b and b + a agree.
static bool is_larger(Dim a, Dim b, const std::vector<uint32_t>& sizes) {
    return std::pair(sizes[a.index], a) > std::pair(sizes[b.index], b);
}

Dim Dims::add(Dim a, Dim b) {
    auto sum = [&](Dim x, Dim y) { return add_scaled(polynomials_[x.index], polynomials_[y.index], 1); };
    std::optional<Polynomial> p = sum(a, b);
    if (p) fold_mod_pairs(*p);
    if (!p || !fits(*p)) {
        if (is_larger(b, a, sizes_)) std::swap(a, b);
        p = sum(whole(a), b);
        if (!p || !fits(*p)) p = sum(whole(a), whole(b));              // coefficients 1 and 1: cannot overflow
    }
    return intern(std::move(*p));
}

Dim Dims::sub(Dim a, Dim b) {
    std::optional<Polynomial> p = add_scaled(polynomials_[a.index], polynomials_[b.index], -1);
    if (p) fold_mod_pairs(*p);
    return p && fits(*p) ? intern(std::move(*p)) : add(a, scale(b, -1));
}

Dim Dims::mul(Dim a, Dim b) {
    auto product = [&](Dim x, Dim y) { return multiply(polynomials_[x.index], polynomials_[y.index]); };
    std::optional<Polynomial> p = product(a, b);
    if (p) fold_mod_pairs(*p);
    if (!p || !fits(*p)) {
        if (is_larger(b, a, sizes_)) std::swap(a, b);
        p = product(whole(a), b);
        if (!p || !fits(*p)) p = product(whole(a), whole(b));
    }
    return intern(std::move(*p));
}

Dim Dims::scale(Dim a, int64_t by) { return mul(a, constant(by)); }

Dim Dims::product(std::span<const Dim> args) {
    Dim out = constant(1);
    for (Dim d : args) out = mul(out, d);
    return out;
}

Dim Dims::from_terms(Polynomial terms) {
    std::sort(terms.begin(), terms.end(),
              [](const Term& a, const Term& b) { return precedes(a.factors, b.factors); });
    return intern(std::move(terms));
}

std::optional<int64_t> Dims::constant_value(Dim d) const {
    const Polynomial& p = polynomials_[d.index];
    if (p.empty()) return 0;
    if (p.size() == 1 && p[0].factors.empty()) return p[0].coefficient;
    return std::nullopt;
}

std::optional<Sym> Dims::as_symbol(Dim d) const {
    const Polynomial& p = polynomials_[d.index];
    if (p.size() != 1 || p[0].coefficient != 1 || !lone_atom(p[0])) return std::nullopt;
    const AtomNode& node = atoms_[p[0].factors[0].atom.index];
    return node.kind == AtomKind::symbol ? std::optional(node.symbol) : std::nullopt;
}

std::vector<Atom> Dims::atoms_of(Dim d) const {
    std::vector<Atom> own;
    for (const Term& t : polynomials_[d.index])
        for (const Factor& f : t.factors) own.push_back(f.atom);
    return with_parts(std::move(own));
}

std::vector<Atom> Dims::with_parts(std::vector<Atom> open) const {
    std::vector<Atom> out;
    std::unordered_set<Atom> seen;                       // atoms are shared: each is entered once
    while (!open.empty()) {
        const Atom a = open.back();
        open.pop_back();
        if (!seen.insert(a).second) continue;
        out.push_back(a);
        for (Dim part : atoms_[a.index].args)
            for (const Term& t : polynomials_[part.index])
                for (const Factor& f : t.factors) open.push_back(f.atom);
    }
    std::sort(out.begin(), out.end());
    return out;
}

std::vector<Sym> Dims::symbols_of(Dim d) const {
    std::vector<Sym> out;
    for (Atom a : atoms_of(d))
        if (atoms_[a.index].kind == AtomKind::symbol) out.push_back(atoms_[a.index].symbol);
    return out;                                          // symbols and their atoms are numbered in the same order
}

bool Dims::of_shape(Dim d) const {
    for (Atom a : atoms_of(d))
        if (atoms_[a.index].kind == AtomKind::rank || atoms_[a.index].kind == AtomKind::size) return true;
    return false;
}

size_t Dims::node_count(Dim d) const { return sizes_[d.index]; }

bool Dims::nonnegative(Dim d) const {
    for (const Term& t : polynomials_[d.index]) {
        if (t.coefficient < 0) return false;
        for (const Factor& f : t.factors)
            if (f.power % 2 && !atom_nonnegative_[f.atom.index]) return false;
    }
    return true;
}

bool Dims::nonnegative_atom(const AtomNode& node) const {
    auto holds = [&](Dim d) { return nonnegative(d); };
    switch (node.kind) {
    case AtomKind::symbol: {
        SymKind kind = symbols_[node.symbol.index].kind;
        return kind != SymKind::join && kind != SymKind::host;
    }
    case AtomKind::mod: return holds(node.args[1]);
    case AtomKind::floor_div:
    case AtomKind::min:
    case AtomKind::bcast: return std::all_of(node.args.begin(), node.args.end(), holds);
    case AtomKind::max: return std::any_of(node.args.begin(), node.args.end(), holds);
    case AtomKind::rounded: return holds(node.args[0]);
    case AtomKind::rank:
    case AtomKind::size: return true;
    }
    return false;
}
} // namespace nereus
