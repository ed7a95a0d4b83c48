// dim/polynomial.cpp - merging of sorted terms, with every coefficient checked.
#include "dim/polynomial.h"
#include <algorithm>
#include <numeric>

namespace nereus {
static constexpr int32_t largest_power = 32;             // beyond this a factor is kept whole by the caller
static constexpr size_t most_products = 4096;            // terms multiplied out before we give up

static int64_t degree(const Monomial& m) {
    int64_t sum = 0;
    for (const Factor& f : m) sum += f.power;
    return sum;
}

bool precedes(const Monomial& a, const Monomial& b) {
    int64_t da = degree(a), db = degree(b);
    if (da != db) return da > db;
    for (size_t i = 0; i < a.size() && i < b.size(); i++) {
        if (a[i].atom != b[i].atom) return a[i].atom < b[i].atom;
        if (a[i].power != b[i].power) return a[i].power > b[i].power;
    }
    return false;
}

std::optional<Monomial> multiply(const Monomial& a, const Monomial& b) {
    Monomial out;
    out.reserve(a.size() + b.size());
    size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        if (j == b.size() || (i < a.size() && a[i].atom < b[j].atom)) out.push_back(a[i++]);
        else if (i == a.size() || b[j].atom < a[i].atom) out.push_back(b[j++]);
        else {
            out.push_back({a[i].atom, a[i].power + b[j].power});
            if (out.back().power > largest_power) return std::nullopt;
            i++, j++;
        }
    }
    return out;
}

std::optional<Monomial> divide(const Monomial& a, const Monomial& b) {
    Monomial out;
    size_t j = 0;
    for (const Factor& f : a) {
        if (j == b.size() || f.atom < b[j].atom) { out.push_back(f); continue; }
        if (f.atom != b[j].atom || f.power < b[j].power) return std::nullopt;
        if (f.power > b[j].power) out.push_back({f.atom, f.power - b[j].power});
        j++;
    }
    if (j != b.size()) return std::nullopt;
    return out;
}

std::optional<Polynomial> add_scaled(const Polynomial& a, const Polynomial& b, int64_t by) {
    Polynomial out;
    out.reserve(a.size() + b.size());
    size_t i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        if (j == b.size() || (i < a.size() && precedes(a[i].factors, b[j].factors))) {
            out.push_back(a[i++]);
            continue;
        }
        int64_t c;
        if (__builtin_mul_overflow(b[j].coefficient, by, &c)) return std::nullopt;
        if (i < a.size() && a[i].factors == b[j].factors) {
            if (__builtin_add_overflow(a[i].coefficient, c, &c)) return std::nullopt;
            i++;
        }
        if (c != 0) out.push_back({c, b[j].factors});
        j++;
    }
    return out;
}

std::optional<Polynomial> multiply(const Polynomial& a, const Term& b) {
    Polynomial out;
    out.reserve(a.size());
    for (const Term& t : a) {
        int64_t c;
        std::optional<Monomial> m = multiply(t.factors, b.factors);
        if (!m || __builtin_mul_overflow(t.coefficient, b.coefficient, &c)) return std::nullopt;
        if (c != 0) out.push_back({c, std::move(*m)});   // multiplying by one monomial keeps the order
    }
    return out;
}

std::optional<Polynomial> multiply(const Polynomial& a, const Polynomial& b) {
    if (a.size() * b.size() > most_products) return std::nullopt;
    Polynomial out;
    for (const Term& t : b) {
        std::optional<Polynomial> part = multiply(a, t);
        if (!part) return std::nullopt;
        std::optional<Polynomial> sum = add_scaled(out, *part, 1);
        if (!sum) return std::nullopt;
        out = std::move(*sum);
    }
    return out;
}

std::optional<Polynomial> negate(const Polynomial& a) { return add_scaled({}, a, -1); }

std::optional<Division> divide(const Polynomial& x, const Polynomial& by) {
    const Term& lead = by.front();
    Division out;
    Polynomial rest = x;
    for (int step = 0; !rest.empty(); step++) {
        if (step > 64) return std::nullopt;
        const Term& t = rest.front();
        std::optional<Monomial> m = divide(t.factors, lead.factors);
        bool whole = m && !(lead.coefficient == -1 && t.coefficient == INT64_MIN) &&
                     t.coefficient % lead.coefficient == 0;
        if (!whole) {
            out.remainder.push_back(t);
            rest.erase(rest.begin());
            continue;
        }
        Term q{t.coefficient / lead.coefficient, std::move(*m)};
        std::optional<Polynomial> product = multiply(by, q);
        if (!product) return std::nullopt;
        std::optional<Polynomial> less = add_scaled(rest, *product, -1);
        if (!less) return std::nullopt;
        rest = std::move(*less);
        out.quotient.push_back(std::move(q));
    }
    return out;
}

int64_t constant_term(const Polynomial& p) {
    return !p.empty() && p.back().factors.empty() ? p.back().coefficient : 0;
}

int64_t common_divisor(int64_t a, int64_t b) {
    auto magnitude = [](int64_t v) { return v < 0 ? uint64_t(0) - uint64_t(v) : uint64_t(v); };
    uint64_t g = std::gcd(magnitude(a), magnitude(b));
    return g > uint64_t(INT64_MAX) ? 1 : int64_t(g);
}

int64_t content(const Polynomial& p) {
    int64_t g = 0;
    for (const Term& t : p)
        if (!t.factors.empty()) g = common_divisor(g, t.coefficient);
    return g;
}

const Factor* lone_atom(const Term& t) {
    return t.factors.size() == 1 && t.factors[0].power == 1 ? &t.factors[0] : nullptr;
}
} // namespace nereus
