// dim/transform.cpp - replacing symbols and atoms; a dim as a linear function of one symbol.
#include "dim/dims.h"
#include "dim/polynomial.h"
#include <algorithm>

namespace nereus {
Dim Dims::apply_like(Atom a, std::span<const Dim> args) {
    switch (atoms_[a.index].kind) {
    case AtomKind::floor_div: return floor_div(args[0], args[1]);
    case AtomKind::mod: return mod(args[0], args[1]);
    case AtomKind::min: return min(args);
    case AtomKind::max: return max(args);
    case AtomKind::bcast: return bcast(args);
    case AtomKind::rounded: return rounded(args[0], int(constant_value(args[1]).value_or(53)));
    case AtomKind::symbol:
    case AtomKind::rank:
    case AtomKind::size: break;
    }
    return of(a);                                        // takes no arguments
}

namespace {
// Parts are shared, so each is replaced once: time is linear in distinct parts, not in printed length.
struct Replacing {
    Dims& dims;
    const std::function<std::optional<Dim>(Atom)>& image;
    std::unordered_map<Atom, Dim> atoms = {};

    Dim atom(Atom a) {
        if (auto known = atoms.find(a); known != atoms.end()) return known->second;
        std::optional<Dim> out = image(a);
        const AtomNode& node = dims.atom(a);
        if (!out && !node.args.empty()) {
            std::vector<Dim> args;
            for (Dim d : node.args) args.push_back(dim(d));
            out = args == node.args ? dims.of(a) : dims.apply_like(a, args);
        }
        return atoms[a] = out ? *out : dims.of(a);
    }

    Dim dim(Dim d) {
        const Polynomial& p = dims.polynomial(d);
        bool changed = false;
        for (const Term& t : p)
            for (const Factor& f : t.factors) changed |= atom(f.atom) != dims.of(f.atom);
        if (!changed) return d;
        Dim sum = dims.constant(0);
        for (const Term& t : p) {
            Dim product = dims.constant(t.coefficient);
            for (const Factor& f : t.factors)
                for (int32_t i = 0; i < f.power; i++) product = dims.mul(product, atom(f.atom));
            sum = dims.add(sum, product);
        }
        return sum;
    }
};
} // namespace

Dim Dims::substitute_atoms(Dim d, const std::function<std::optional<Dim>(Atom)>& image) {
    return Replacing{*this, image}.dim(d);
}

Dim Dims::substitute(Dim d, const std::function<std::optional<Dim>(Sym)>& image) {
    return substitute_atoms(d, [&](Atom a) -> std::optional<Dim> {
        const AtomNode& node = atoms_[a.index];
        return node.kind == AtomKind::symbol ? image(node.symbol) : std::nullopt;
    });
}

std::optional<Dims::Linear> Dims::linear_in(Dim d, Sym s) {
    Polynomial a, b;
    for (const Term& t : polynomials_[d.index]) {
        Term rest = t;
        bool here = false;
        for (const Factor& f : t.factors) {
            const AtomNode& node = atoms_[f.atom.index];
            if (node.kind == AtomKind::symbol && node.symbol == s) {
                if (f.power != 1) return std::nullopt;
                here = true;
                std::erase(rest.factors, f);
            }
            for (Dim argument : node.args) {
                std::vector<Sym> inside = symbols_of(argument);
                if (std::binary_search(inside.begin(), inside.end(), s)) return std::nullopt;
            }
        }
        (here ? a : b).push_back(std::move(rest));
    }
    return Linear{from_terms(std::move(a)), intern(std::move(b))};
}
} // namespace nereus
