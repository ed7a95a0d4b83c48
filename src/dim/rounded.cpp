// dim/rounded.cpp - sizes that went through floats. Powers of two and signs go through unchanged, so they stand outside.
#include "dim/rounded.h"
#include "dim/dims.h"

namespace nereus {
Dim Dims::rounded(Dim a, int bits) {
    const Polynomial p = polynomials_[a.index];
    if (p.empty()) return a;
    if (std::optional<int64_t> value = constant_value(a)) {
        const Wide nearest = rounded_to_bits(*value, bits);
        return nearest == Wide(int64_t(nearest)) ? constant(int64_t(nearest)) : apply(AtomKind::rounded, {a, constant(bits)});
    }
    int twos = 62;
    for (const Term& t : p) twos = std::min(twos, std::countr_zero(uint64_t(t.coefficient)));
    int64_t factor = int64_t(1) << twos;
    if (p.front().coefficient < 0 && p.front().coefficient != INT64_MIN) factor = -factor;
    Polynomial rest = p;
    for (Term& t : rest) t.coefficient /= factor;
    const Dim inner = intern(std::move(rest));
    const Polynomial& q = polynomials_[inner.index];
    if (q.size() == 1 && q[0].coefficient == 1 && q[0].factors.size() == 1 && q[0].factors[0].power == 1) {
        const AtomNode& node = atoms_[q[0].factors[0].atom.index];
        if (node.kind == AtomKind::rounded && constant_value(node.args[1]).value_or(INT64_MAX) <= bits) return a;    // is one already
    }
    return scale(apply(AtomKind::rounded, {inner, constant(bits)}), factor);
}
} // namespace nereus
