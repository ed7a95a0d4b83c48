// dim/extremum.cpp - normal forms of min, max and bcast: flat, sorted, without arguments that can never decide.
#include "dim/dims.h"
#include "dim/polynomial.h"
#include <algorithm>

namespace nereus {
static void sort_unique(std::vector<Dim>& args) {
    std::sort(args.begin(), args.end());
    args.erase(std::unique(args.begin(), args.end()), args.end());
}

Dim Dims::extremum(AtomKind kind, std::vector<Dim> args) {
    invariant(!args.empty(), "min or max of nothing");
    for (size_t i = 0; i < args.size(); i++) {           // flatten: max(max(a, b), c)
        const Polynomial& p = polynomials_[args[i].index];
        if (p.size() != 1 || p[0].coefficient != 1 || !lone_atom(p[0])) continue;
        const AtomNode& node = atoms_[p[0].factors[0].atom.index];
        if (node.kind != kind || node.args.size() < 2) continue;       // one argument: a part kept whole
        args.insert(args.end(), node.args.begin(), node.args.end());
        args.erase(args.begin() + long(i--));
    }
    sort_unique(args);
    // An argument goes if another is at least as extreme whatever the symbols are.
    constexpr size_t most_compared = 16;
    for (size_t i = 0; i < args.size() && args.size() <= most_compared; i++)
        for (size_t j = 0; j < args.size(); j++) {
            if (i == j) continue;
            const Polynomial &x = polynomials_[args[i].index], &y = polynomials_[args[j].index];
            std::optional<Polynomial> gap = add_scaled(x, y, -1);
            if (gap && kind == AtomKind::max) gap = negate(*gap);
            if (!gap || !fits(*gap) || !nonnegative(intern(std::move(*gap)))) continue;
            args.erase(args.begin() + long(i--));        // min: args[i] >= args[j]; max: args[i] <= args[j]
            break;
        }
    if (args.size() == 1) return args[0];
    size_t nodes = 1;
    for (Dim d : args) nodes += node_count(d);
    if (nodes > 64 && args.size() > 2) {                 // keep halves whole, so that sizes stay bounded
        auto middle = args.begin() + long(args.size() / 2);
        Dim left = extremum(kind, {args.begin(), middle}), right = extremum(kind, {middle, args.end()});
        return apply(kind, {whole(left), whole(right)});
    }
    return apply(kind, std::move(args));
}

Dim Dims::min(std::span<const Dim> args) { return extremum(AtomKind::min, {args.begin(), args.end()}); }
Dim Dims::max(std::span<const Dim> args) { return extremum(AtomKind::max, {args.begin(), args.end()}); }

Dim Dims::bcast(std::span<const Dim> given) {
    std::vector<Dim> args(given.begin(), given.end());
    for (size_t i = 0; i < args.size(); i++) {
        const Polynomial& p = polynomials_[args[i].index];
        if (p.size() != 1 || p[0].coefficient != 1 || !lone_atom(p[0])) continue;
        const AtomNode& node = atoms_[p[0].factors[0].atom.index];
        if (node.kind != AtomKind::bcast) continue;
        args.insert(args.end(), node.args.begin(), node.args.end());
        args.erase(args.begin() + long(i--));
    }
    std::erase(args, constant(1));
    sort_unique(args);
    std::vector<Dim> constants;
    for (Dim d : args)
        if (constant_value(d)) constants.push_back(d);
    if (constants.size() == 1) return constants[0];      // whatever is compatible with it is it or 1
    if (!constants.empty()) args = std::move(constants); // never compatible, and evaluation will say so
    if (args.empty()) return constant(1);
    if (args.size() == 1) return args[0];
    return apply(AtomKind::bcast, std::move(args));
}
} // namespace nereus
