// dim/query.cpp - the questions one may ask, each answered once per state of the facts.
#include "dim/facts.h"
#include "dim/polynomial.h"

namespace nereus {
namespace {
enum Query : uint32_t { ask_equal, ask_less_equal, ask_compatible };
Answer reversed(Answer a) { return a == Answer::yes ? Answer::no : a == Answer::no ? Answer::yes : a; }
} // namespace

size_t Facts::KeyHash::operator()(const Key& k) const {
    uint64_t hash = (k.state * 8 + k.query) * 0x9e3779b97f4a7c15u;
    hash = (hash ^ (uint64_t(k.a) << 32 | k.b)) * 0xff51afd7ed558ccdu;
    return size_t(hash ^ hash >> 32);
}

Answer Facts::cached(uint32_t query, Dim a, Dim b, Answer (Facts::*compute)(Dim, Dim)) {
    constexpr size_t most_cached = 1 << 20;              // states come and go; what is dropped is found again
    if (answers_.size() > most_cached) answers_.clear();
    if (forms_.size() > most_cached) forms_.clear();
    Key key{state_, query, a.index, b.index};
    if (auto found = answers_.find(key); found != answers_.end()) return found->second;
    Answer out = (this->*compute)(a, b);
    return answers_[key] = out;
}

Answer Facts::equal(Dim a, Dim b) {
    if (a == b) return Answer::yes;
    return cached(ask_equal, std::min(a, b), std::max(a, b), &Facts::compute_equal);
}

Answer Facts::less_equal(Dim a, Dim b) {
    if (a == b) return Answer::yes;
    return cached(ask_less_equal, a, b, &Facts::compute_less_equal);
}

Answer Facts::less(Dim a, Dim b) { return reversed(less_equal(b, a)); }

Answer Facts::compatible(Dim a, Dim b) {
    if (a == b) return Answer::yes;
    return cached(ask_compatible, std::min(a, b), std::max(a, b), &Facts::compute_compatible);
}

// p is a multiple of a polynomial that is known not to be 0.
bool Facts::known_nonzero(const Polynomial& p) {
    int64_t g = common_divisor(content(p), constant_term(p));
    for (size_t index : facts_near(p)) {
        const Polynomial& fact = dims_.polynomial(facts_[index].form);
        if (!facts_[index].nonzero || fact.size() != p.size()) continue;
        int64_t h = common_divisor(content(fact), constant_term(fact));
        bool same = true, opposite = true;
        for (size_t i = 0; i < p.size(); i++) {
            int64_t x = p[i].coefficient / g, y = fact[i].coefficient / h;
            same &= p[i].factors == fact[i].factors && x == y;
            opposite &= p[i].factors == fact[i].factors && y != INT64_MIN && x == -y;
        }
        if (same || opposite) return true;
    }
    return false;
}

// n*m = n*k means m = k where n is not 0.
Dim Facts::without_nonzero_factors(Dim d) {
    const Polynomial& p = dims_.polynomial(d);
    if (p.empty()) return d;
    Dim out = d;
    for (const Factor& f : p[0].factors) {
        if (!is_not(dims_.of(f.atom), 0)) continue;
        for (int32_t i = 0; i < f.power; i++) {
            Polynomial rest = dims_.polynomial(out);
            bool common = true;
            for (Term& t : rest) {
                std::optional<Monomial> m = divide(t.factors, {{f.atom, 1}});
                common &= bool(m);
                if (m) t.factors = std::move(*m);
            }
            if (!common) break;
            out = dims_.from_terms(std::move(rest));
        }
    }
    return out;
}

bool Facts::recorded_as_compatible(Dim a, Dim b) {
    if (compatible_.empty()) return false;
    auto pair = [](Dim x, Dim y) { return uint64_t(std::min(x, y).index) << 32 | std::max(x, y).index; };
    if (pairs_state_ != state_) {
        pairs_.clear();
        for (const auto& [x, y] : compatible_) pairs_.insert(pair(normalise(x), normalise(y)));
        pairs_state_ = state_;
    }
    return pairs_.contains(pair(a, b));
}

bool Facts::is_not(Dim a, int64_t value) {
    refresh();
    const Polynomial& p = dims_.polynomial(dims_.sub(rewrite(a), dims_.constant(value)));
    return interval(p).excludes(0) || known_nonzero(p);
}

Answer Facts::compute_equal(Dim a, Dim b) {
    Dim x = normalise(a), y = normalise(b);
    if (x == y) return Answer::yes;
    Dim d = dims_.sub(x, y);
    const Polynomial& p = dims_.polynomial(d);
    if (p.empty()) return Answer::yes;
    int64_t g = content(p);
    if (g == 0 || constant_term(p) % g != 0) return Answer::no;        // 2*n is never 2*m + 1
    refresh();
    if (interval(p).excludes(0) || known_nonzero(p)) return Answer::no;
    Dim rest = without_nonzero_factors(d);
    if (rest != d && known_nonzero(dims_.polynomial(rest))) return Answer::no;
    if (recorded_as_compatible(x, y) && is_not(x, 1) && is_not(y, 1)) return Answer::yes;
    Dim minus = dims_.scale(rest, -1), one = dims_.constant(1);
    bool at_least = prove(rest), at_most = prove(minus);
    if (at_least && at_most) return Answer::yes;
    if (prove(dims_.sub(rest, one)) || prove(dims_.sub(minus, one))) return Answer::no;
    return Answer::unknown;
}

Answer Facts::compute_less_equal(Dim a, Dim b) {
    Dim d = dims_.sub(normalise(b), normalise(a));
    if (prove(d)) return Answer::yes;
    if (prove(dims_.sub(dims_.constant(-1), d))) return Answer::no;
    return Answer::unknown;
}

Answer Facts::divides(int64_t k, Dim a) {
    Dim zero = dims_.constant(0);
    if (k == 0) return equal(a, zero);
    if (k == INT64_MIN) return Answer::unknown;
    return equal(dims_.mod(normalise(a), dims_.constant(k < 0 ? -k : k)), zero);
}

Answer Facts::compute_compatible(Dim a, Dim b) {
    Dim one = dims_.constant(1), x = normalise(a), y = normalise(b);
    Answer same = equal(x, y), one_x = equal(x, one), one_y = equal(y, one);
    if (same == Answer::yes || one_x == Answer::yes || one_y == Answer::yes) return Answer::yes;
    if (recorded_as_compatible(x, y)) return Answer::yes;
    // bcast(x, y) has a value only if x and y fit each other, so it fits both; and it is x or y, so whatever fits
    // both fits it.
    for (auto [wide, other] : {std::pair(x, y), std::pair(y, x)}) {
        const Polynomial& p = dims_.polynomial(wide);
        if (p.size() != 1 || p[0].coefficient != 1 || !lone_atom(p[0])) continue;
        const AtomNode& node = dims_.atom(p[0].factors[0].atom);
        if (node.kind != AtomKind::bcast) continue;
        bool all = true, any = false;
        for (size_t i = 0; i < node.args.size(); i++) {
            any |= node.args[i] == other;
            all = all && compatible(node.args[i], other) == Answer::yes;
        }
        if (all || any) return Answer::yes;
    }
    if (same == Answer::no && one_x == Answer::no && one_y == Answer::no) return Answer::no;
    return Answer::unknown;
}
} // namespace nereus
