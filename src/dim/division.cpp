// dim/division.cpp - normal forms of x//k and mod(x, k).
//
// By a constant k > 0: every coefficient of x lies in [0, k) and they share no divisor with k, because
//     (k*q + r)//k      = q + r//k                 mod(k*q + r, k)   = mod(r, k)
//     (g*y + c)//(g*k)  = (y + c//g)//k            mod(g*y + c, g*k) = g*mod(y + c//g, k) + mod(c, g)
//     (u//a + y)//k     = (u + a*y)//(a*k)         mod(c*mod(u, e) + y, k) = mod(c*u + y, k) if k divides c*e
// By a polynomial: whole multiples are taken out by polynomial division and common factors cancelled. Where a
// factor that was cancelled is 0 the original had no value, so nothing that had a value changes.
#include "dim/dims.h"
#include "dim/polynomial.h"
#include <algorithm>

namespace nereus {
// The largest monomial and the largest integer that divide every term of both.
static Term common_factor(const Polynomial& x, const Polynomial& d) {
    Term out{0, d.front().factors};
    for (const Polynomial* p : {&x, &d})
        for (const Term& t : *p) {
            out.coefficient = common_divisor(out.coefficient, t.coefficient);
            Monomial shared;
            for (const Factor& f : out.factors)
                for (const Factor& g : t.factors)
                    if (f.atom == g.atom) shared.push_back({f.atom, std::min(f.power, g.power)});
            out.factors = std::move(shared);
        }
    return out;
}

static Polynomial divided(Polynomial p, const Term& by) {
    for (Term& t : p) t = {t.coefficient / by.coefficient, *divide(t.factors, by.factors)};
    return p;
}

// p = k * quotient + remainder, coefficient by coefficient.
static Division split(const Polynomial& p, int64_t k) {
    Division out;
    for (const Term& t : p) {
        int64_t q = floor_quotient(t.coefficient, k), r = floor_remainder(t.coefficient, k);
        if (q) out.quotient.push_back({q, t.factors});
        if (r) out.remainder.push_back({r, t.factors});
    }
    return out;
}

// (g*y + c) -> y + c//g, where g divides all coefficients but the constant's.
static Polynomial shrunk(const Polynomial& p, int64_t g) {
    Polynomial out;
    for (const Term& t : p)
        if (int64_t c = floor_quotient(t.coefficient, g)) out.push_back({c, t.factors});
    return out;
}

static bool is_constant(const Polynomial& p) { return p.empty() || p[0].factors.empty(); }

Dim Dims::divide_by_constant(Dim a, int64_t k) {
    const Polynomial& x = polynomials_[a.index];
    if (k == 1 || (x.empty() && k != 0)) return a;
    if (k < 0) {
        std::optional<Polynomial> negated = negate(x);
        if (negated && k != INT64_MIN) return divide_by_constant(intern(std::move(*negated)), -k);
    }
    if (k <= 0) return apply(AtomKind::floor_div, {a, constant(k)});
    Division parts = split(x, k);
    if (!parts.quotient.empty()) {
        Dim rest = divide_by_constant(folded(std::move(parts.remainder)), k);
        return add(intern(std::move(parts.quotient)), rest);
    }
    if (is_constant(x)) return constant(0);              // 0 <= c < k
    if (int64_t g = common_divisor(content(x), k); g > 1)
        return divide_by_constant(folded(shrunk(x, g)), k / g);
    for (const Term& t : x) {
        const Factor* f = lone_atom(t);
        if (!f || t.coefficient != 1 || atoms_[f->atom.index].kind != AtomKind::floor_div) continue;
        const AtomNode& inner = atoms_[f->atom.index];
        std::optional<int64_t> e = constant_value(inner.args[1]);
        if (!e && x.size() == 1) return floor_div(inner.args[0], scale(inner.args[1], k));
        int64_t product;
        if (!e || *e <= 0 || __builtin_mul_overflow(*e, k, &product)) continue;
        std::optional<Polynomial> rest = add_scaled(x, {t}, -1);
        std::optional<Polynomial> joined = add_scaled(polynomials_[inner.args[0].index], *rest, *e);
        if (joined && fits(*joined)) return divide_by_constant(folded(std::move(*joined)), product);
    }
    return apply(AtomKind::floor_div, {a, constant(k)});
}

Dim Dims::floor_div(Dim a, Dim b) {
    if (std::optional<int64_t> k = constant_value(b)) return divide_by_constant(a, *k);
    Polynomial x = polynomials_[a.index], d = polynomials_[b.index];
    if (x.empty()) return a;
    Term common = common_factor(x, d);
    x = divided(std::move(x), common), d = divided(std::move(d), common);
    fold_mod_pairs(x), fold_mod_pairs(d);
    if (x.empty()) return constant(0);
    if (d.front().coefficient < 0) {
        std::optional<Polynomial> minus_x = negate(x), minus_d = negate(d);
        if (minus_x && minus_d) x = std::move(*minus_x), d = std::move(*minus_d);
    }
    Dim divisor = intern(d);
    if (is_constant(d)) return divide_by_constant(intern(std::move(x)), d.front().coefficient);
    std::optional<Division> parts = divide(x, d);
    if (parts && !parts->quotient.empty() && fits(parts->quotient) && fits(parts->remainder))
        return add(intern(std::move(parts->quotient)), floor_div(folded(std::move(parts->remainder)), divisor));
    if (x.size() == 1 && x[0].coefficient == 1 && lone_atom(x[0]) && nonnegative(divisor)) {
        const AtomNode& inner = atoms_[x[0].factors[0].atom.index];
        if (inner.kind == AtomKind::floor_div) return floor_div(inner.args[0], mul(inner.args[1], divisor));
    }
    return apply(AtomKind::floor_div, {intern(std::move(x)), divisor});
}

Dim Dims::remainder_by_constant(Dim a, int64_t k) {
    const Polynomial& x = polynomials_[a.index];
    if (k == 1 || k == -1 || (x.empty() && k != 0)) return constant(0);
    if (k < 0) {
        std::optional<Polynomial> negated = negate(x);
        if (negated && k != INT64_MIN) return scale(remainder_by_constant(intern(std::move(*negated)), -k), -1);
    }
    if (k <= 0) return apply(AtomKind::mod, {a, constant(k)});
    Division parts = split(x, k);
    if (!parts.quotient.empty()) return remainder_by_constant(folded(std::move(parts.remainder)), k);
    if (is_constant(x)) return a;
    if (int64_t g = common_divisor(content(x), k); g > 1) {
        Dim inner = remainder_by_constant(folded(shrunk(x, g)), k / g);
        return add(scale(inner, g), constant(floor_remainder(constant_term(x), g)));
    }
    for (const Term& t : x) {
        const Factor* f = lone_atom(t);
        if (!f || atoms_[f->atom.index].kind != AtomKind::mod) continue;
        const AtomNode& inner = atoms_[f->atom.index];
        std::optional<int64_t> e = constant_value(inner.args[1]);
        int64_t period;
        if (!e || __builtin_mul_overflow(*e, t.coefficient, &period) || period % k != 0) continue;
        std::optional<Polynomial> rest = add_scaled(x, {t}, -1);
        std::optional<Polynomial> joined = add_scaled(*rest, polynomials_[inner.args[0].index], t.coefficient);
        if (joined && fits(*joined)) return remainder_by_constant(folded(std::move(*joined)), k);
    }
    Dim out = apply(AtomKind::mod, {a, constant(k)});
    Atom atom = polynomials_[out.index][0].factors[0].atom;
    if (!mod_quotients_[atom.index].valid()) mod_quotients_[atom.index] = divide_by_constant(a, k);
    return out;
}

Dim Dims::mod(Dim a, Dim b) {
    if (std::optional<int64_t> k = constant_value(b)) return remainder_by_constant(a, *k);
    Polynomial x = polynomials_[a.index], d = polynomials_[b.index];
    if (x.empty()) return a;
    Term common = common_factor(x, d);
    if (common.coefficient != 1 || !common.factors.empty()) {
        Dim inner = mod(folded(divided(std::move(x), common)), folded(divided(std::move(d), common)));
        return mul(intern({std::move(common)}), inner);
    }
    std::optional<Division> parts = divide(x, d);
    if (parts && !parts->quotient.empty() && fits(parts->remainder))
        return mod(folded(std::move(parts->remainder)), b);
    Dim out = apply(AtomKind::mod, {a, b});
    Atom atom = polynomials_[out.index][0].factors[0].atom;
    if (!mod_quotients_[atom.index].valid()) mod_quotients_[atom.index] = floor_div(a, b);
    return out;
}

Dim Dims::folded(Polynomial p) {
    fold_mod_pairs(p);
    return intern(std::move(p));
}

// k*(x//k) + mod(x, k) = x, also under a common coefficient and common factors.
void Dims::fold_mod_pairs(Polynomial& p) const {
    if (!any_mod_) return;
    for (size_t i = 0; i < p.size(); i++)
        for (const Factor& f : p[i].factors) {
            const AtomNode& node = atoms_[f.atom.index];
            if (node.kind != AtomKind::mod || !mod_quotients_[f.atom.index].valid()) continue;
            const Polynomial& q = polynomials_[mod_quotients_[f.atom.index].index];
            const Polynomial& k = polynomials_[node.args[1].index];
            if (q.size() != 1 || q[0].coefficient != 1 || k.size() != 1) continue;
            Term rest{p[i].coefficient, *divide(p[i].factors, {{f.atom, 1}})};
            std::optional<Polynomial> partner = multiply({k[0]}, q[0]);
            if (partner) partner = multiply(*partner, rest);
            if (!partner || std::find(p.begin(), p.end(), (*partner)[0]) == p.end()) continue;
            std::optional<Polynomial> joined = multiply(polynomials_[node.args[0].index], rest);
            if (!joined) continue;
            std::optional<Polynomial> less = add_scaled(p, {p[i]}, -1);
            if (less) less = add_scaled(*less, *partner, -1);
            if (less) less = add_scaled(*less, *joined, 1);
            if (!less) continue;
            p = std::move(*less);
            return fold_mod_pairs(p);
        }
}
} // namespace nereus
