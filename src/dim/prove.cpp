// dim/prove.cpp - proves p >= 0 by writing p as facts, times what is >= 0, plus what is >= 0 by intervals.
//
// A term that may be negative has to be cancelled by a fact that holds the same term, or a divisor of it. So a step
// picks such a term and a fact f, scales both, and goes on with  a*p + (a - 1) - l*m*f  for a, l > 0 and a monomial
// m >= 0: since p is an integer, p >= 0 already follows from a*p >= -(a - 1). Facts are those assumed, those of an
// open case, and the definitions of the atoms in p. Where this ends without success, min, max and bcast are split
// into cases. Depth and number of steps are bounded, so a true p may stay unproved; a false one never is proved.
#include "dim/facts.h"
#include "dim/polynomial.h"
#include <algorithm>

namespace nereus {
// What an atom's definition says, as dims >= 0. A quotient or remainder has a value only if its divisor is not 0.
const std::vector<Dim>& Facts::definitions(Atom a) {
    auto found = definitions_.find(a);
    if (found != definitions_.end()) return found->second;
    const AtomNode& node = dims_.atom(a);
    Dim self = dims_.of(a), one = dims_.constant(1);
    std::vector<Dim> out;
    auto at_least = [&](Dim x, Dim y) { out.push_back(dims_.sub(x, y)); };
    switch (node.kind) {
    case AtomKind::symbol:
    case AtomKind::rank:
    case AtomKind::size:
    case AtomKind::rounded:
    case AtomKind::bcast: break;
    case AtomKind::floor_div: {
        Dim x = node.args[0], k = node.args[1], product = dims_.mul(k, self);
        if (interval(dims_.polynomial(rewrite(k))).low < 0) break;
        at_least(x, product);
        at_least(dims_.add(product, dims_.sub(k, one)), x);
        if (interval(dims_.polynomial(rewrite(x))).low >= 0 && !dims_.constant_value(k)) at_least(x, self);
        break;
    }
    case AtomKind::mod: {
        Dim x = node.args[0], k = node.args[1];
        Dim same = dims_.sub(x, dims_.mul(k, dims_.floor_div(x, k)));
        at_least(self, same), at_least(same, self);
        if (interval(dims_.polynomial(rewrite(k))).low >= 0) at_least(dims_.sub(k, one), self);
        break;
    }
    case AtomKind::min:
        for (Dim d : node.args) at_least(d, self);
        break;
    case AtomKind::max:
        for (Dim d : node.args) at_least(self, d);
        break;
    }
    for (Dim& d : out) d = rewrite(d);
    return definitions_[a] = std::move(out);
}

std::vector<size_t> Facts::facts_near(const Polynomial& p) {
    constexpr size_t most_facts = 48;                    // the newest: they were learnt near the question
    std::vector<size_t> out;
    for (const Term& t : p)
        for (const Factor& f : t.factors)
            if (auto found = mentions_.find(f.atom); found != mentions_.end())
                for (size_t i = found->second.size(); i-- > 0 && out.size() < 4 * most_facts;)
                    if (facts_[found->second[i]].live) out.push_back(found->second[i]);
    std::sort(out.begin(), out.end(), std::greater());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    if (out.size() > most_facts) out.resize(most_facts);
    return out;
}

struct Search {
    Facts& facts;
    int budget;                                          // steps left
    bool cut = false;                                    // somewhere only the depth was too small
    std::vector<Polynomial> cases = {};                  // facts of the open cases
    std::vector<Atom> looked_at = {};                    // atoms of all goals on the way

    bool nonnegative(const Monomial& m) { return facts.interval(m).low >= 0; }

    // p >= 0 and y + c//g >= 0 are the same for integers, where p = g*y + c.
    static Polynomial tightened(const Polynomial& p) {
        int64_t g = content(p);
        if (g <= 1) return p;
        Polynomial out;
        for (const Term& t : p)
            if (int64_t c = floor_quotient(t.coefficient, g)) out.push_back({c, t.factors});
        return out;
    }

    // a*p + (a - 1) - l*m*f, with a and l the least that cancel the term `bad` of p against the term t of f.
    static std::optional<Polynomial> step(const Polynomial& p, const Term& bad, const Polynomial& f, const Term& t,
                                          const Monomial& m) {
        int64_t g = common_divisor(bad.coefficient, t.coefficient);
        if (bad.coefficient == INT64_MIN || t.coefficient == INT64_MIN) return std::nullopt;
        int64_t a = std::abs(t.coefficient / g), l = std::abs(bad.coefficient / g);
        std::optional<Polynomial> scaled = add_scaled({}, p, a), taken = multiply(f, Term{l, m});
        if (scaled && a > 1) scaled = add_scaled(*scaled, {{a - 1, {}}}, 1);
        return scaled && taken ? add_scaled(*scaled, *taken, -1) : std::nullopt;
    }

    static bool overlaps(const Polynomial& p, const Polynomial& f, const Monomial& m) {
        for (const Term& t : f) {
            std::optional<Monomial> product = t.factors.empty() ? std::nullopt : multiply(t.factors, m);
            for (const Term& other : p)
                if (product && other.factors == *product) return true;
        }
        return false;
    }

    bool by_fact(const Polynomial& p, const Term& bad, const Polynomial& f, int depth) {
        for (const Term& t : f) {
            if ((t.coefficient < 0) != (bad.coefficient < 0)) continue;
            std::optional<Monomial> m = divide(bad.factors, t.factors);
            if (!m || (!m->empty() && !nonnegative(*m))) continue;
            if (t.factors.empty() && !overlaps(p, f, *m)) continue;    // every fact has such a term: few can help
            std::optional<Polynomial> next = step(p, bad, f, t, *m);
            if (next && next->size() <= 24 && holds(*next, depth - 1)) return true;
            if (budget < 0) return false;
        }
        return false;
    }

    // The facts that can matter: assumed, of cases, and of definitions of the atoms in p.
    bool by_facts(const Polynomial& p, const Term& bad, int depth) {
        for (size_t i = 0; i < cases.size(); i++)
            if (by_fact(p, bad, Polynomial(cases[i]), depth)) return true;
        for (size_t index : facts.facts_near(p))
            if (const Facts::Fact& f = facts.facts_[index];
                !f.nonzero && by_fact(p, bad, facts.dims_.polynomial(f.form), depth))
                return true;
        for (const Term& t : p)
            for (const Factor& f : t.factors)
                if (by_definition(p, bad, f.atom, depth)) return true;
        return false;
    }

    bool by_definition(const Polynomial& p, const Term& t, Atom a, int depth) {
        std::vector<Dim> definitions = facts.definitions(a);
        for (Dim d : definitions)
            if (by_fact(p, t, facts.dims_.polynomial(d), depth)) return true;
        return false;
    }

    std::optional<Polynomial> replace(const Polynomial& p, Atom a, const Polynomial& image) {
        Polynomial out;
        for (const Term& t : p) {
            Term rest = t;
            std::optional<Polynomial> part;
            int32_t power = 0;
            for (const Factor& f : t.factors)
                if (f.atom == a) power = f.power;
            std::erase_if(rest.factors, [&](const Factor& f) { return f.atom == a; });
            part = Polynomial{rest};
            for (int32_t i = 0; i < power && part; i++) part = multiply(*part, image);
            std::optional<Polynomial> sum = part ? add_scaled(out, *part, 1) : std::nullopt;
            if (!sum || sum->size() > 40) return std::nullopt;
            out = std::move(*sum);
        }
        return out;
    }

    // min, max and bcast are one of their arguments; min and max say which.
    bool by_cases(const Polynomial& p, Atom a, int depth) {
        const AtomNode& node = facts.dims_.atom(a);
        if (node.args.size() > 4) return false;
        std::vector<Polynomial> args;
        for (Dim d : node.args) args.push_back(facts.dims_.polynomial(facts.rewrite(d)));
        for (size_t i = 0; i < args.size(); i++) {
            size_t before = cases.size();
            for (size_t j = 0; j < args.size() && node.kind != AtomKind::bcast; j++) {
                bool smallest = node.kind == AtomKind::min;
                std::optional<Polynomial> gap = add_scaled(args[smallest ? j : i], args[smallest ? i : j], -1);
                if (j != i && gap) cases.push_back(std::move(*gap));
            }
            std::optional<Polynomial> next = replace(p, a, args[i]);
            bool proved = next && holds(*next, depth - 1);
            cases.resize(before);
            if (!proved) return false;
        }
        return true;
    }

    bool holds(const Polynomial& given, int depth) {
        if (--budget < 0) return false;
        Polynomial p = tightened(given);
        for (const Term& t : p)
            for (const Factor& f : t.factors) looked_at.push_back(f.atom);
        Interval range = facts.interval(p);
        if (range.low >= 0) return true;
        if (range.high < 0) return false;
        if (depth <= 0) {
            cut = true;
            return false;
        }
        int tried = 0;
        for (const Term& t : p) {
            Interval part = multiply(facts.interval(t.factors), {t.coefficient, t.coefficient});
            if (part.low >= 0 || ++tried > 3) continue;
            if (by_facts(p, t, depth)) return true;
            if (budget < 0) return false;
        }
        for (const Term& t : p)                          // a quotient is >= 0, and also >= (x - k + 1)/k
            for (const Factor& f : t.factors)
                if (t.coefficient > 0 && facts.dims_.atom(f.atom).kind == AtomKind::floor_div &&
                    by_definition(p, t, f.atom, depth))
                    return true;
        for (const Term& t : p)
            for (const Factor& f : t.factors) {
                AtomKind kind = facts.dims_.atom(f.atom).kind;
                if (kind == AtomKind::min || kind == AtomKind::max || kind == AtomKind::bcast)
                    return by_cases(p, f.atom, depth);
            }
        return false;
    }
};

bool Facts::prove(Dim p, int depth, int budget) {
    refresh();
    const Polynomial& goal = dims_.polynomial(p);
    if (interval(goal).low >= 0) return true;
    const bool whole = depth == whole_depth && budget == whole_budget;
    if (whole && dead_ends_.know(p)) return false;
    Search search{*this, budget};
    for (int d = 1; d <= depth; d++) {                   // short proofs first: they are the common ones
        search.cut = false;
        if (search.holds(goal, d)) return true;
        if (!search.cut || search.budget < 0) break;
    }
    if (whole) dead_ends_.add(p, dims_.with_parts(std::move(search.looked_at)));
    return false;
}
} // namespace nereus
