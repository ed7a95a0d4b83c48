// dim/bounds.cpp - what the facts say of single atoms: intervals, propagated through the list of p >= 0.
#include "dim/facts.h"
#include "dim/polynomial.h"

namespace nereus {
Interval Facts::form_interval(const AtomNode& node) {
    std::vector<Interval> args;
    for (Dim d : node.args) args.push_back(interval(dims_.polynomial(rewrite(d))));
    Interval out;
    switch (node.kind) {
    case AtomKind::symbol:
    case AtomKind::rank:
    case AtomKind::size: break;
    case AtomKind::floor_div: out = floor_div(args[0], args[1]); break;
    case AtomKind::mod: out = mod(args[0], args[1]); break;
    case AtomKind::min:
    case AtomKind::max: {
        bool smallest = node.kind == AtomKind::min;
        out = args[0];
        for (Interval a : args)
            out = smallest ? Interval{std::min(out.low, a.low), std::min(out.high, a.high)}
                           : Interval{std::max(out.low, a.low), std::max(out.high, a.high)};
        break;
    }
    case AtomKind::bcast: {                              // one of its arguments; the largest, if none is 0
        out = args[0];
        Wide low = args[0].low;
        bool positive = true;
        for (Interval a : args) out = hull(out, a), low = std::max(low, a.low), positive &= a.low >= 1;
        if (positive) out.low = low;
        break;
    }
    }
    return out;
}

Interval Facts::interval(Atom a) {
    if (auto found = known_.intervals.find(a); found != known_.intervals.end()) return found->second;
    Interval out;
    if (dims_.nonnegative(dims_.of(a))) out.low = 0;
    if (auto found = known_.learnt.find(a); found != known_.learnt.end()) out = intersect(out, found->second);
    known_.intervals[a] = out;                           // h = 32*(h//32) asks for itself: what is known so far serves
    const AtomNode& node = dims_.atom(a);
    if (!node.args.empty()) out = intersect(out, form_interval(node));
    return known_.intervals[a] = out;
}

Interval Facts::interval(const Monomial& m) {
    Interval out{1, 1};
    for (const Factor& f : m) {
        Interval base = interval(f.atom), power = base;
        for (int32_t i = 1; i < f.power; i++) power = multiply(power, base);
        if (f.power % 2 == 0) power.low = std::max<Wide>(power.low, 0);
        out = multiply(out, power);
    }
    return out;
}

Interval Facts::interval(const Polynomial& p) {
    Interval out{0, 0};
    for (const Term& t : p) out = add(out, multiply(interval(t.factors), {t.coefficient, t.coefficient}));
    return out;
}

// p >= 0 bounds each atom by the extremes of all the other terms; true if a bound became tighter.
bool Facts::propagate(const Polynomial& p) {
    bool tighter = false;
    if (p.size() > 8) return false;
    for (size_t i = 0; i < p.size(); i++) {
        const Factor* f = lone_atom(p[i]);
        if (!f) continue;
        Interval rest{0, 0};
        for (size_t j = 0; j < p.size(); j++)
            if (j != i) rest = add(rest, multiply(interval(p[j].factors), {p[j].coefficient, p[j].coefficient}));
        if (!rest.bounded_high()) continue;
        Interval& learnt = known_.learnt[f->atom];
        Wide c = p[i].coefficient;
        if (c > 0) {                                     // atom >= -rest/c
            Wide low = -floor_wide(rest.high, c);
            if (low > std::max(learnt.low, interval(f->atom).low)) learnt.low = saturate(low), tighter = true;
        } else {
            Wide high = floor_wide(rest.high, -c);
            if (high < std::min(learnt.high, interval(f->atom).high)) learnt.high = saturate(high), tighter = true;
        }
    }
    return tighter;
}

void Facts::refresh() {
    if (known_.state == state_) return;
    known_ = Known();
    known_.state = state_;
    auto keep = [&](const Polynomial& p) {
        if (p.empty()) return;
        int64_t g = content(p);
        if (g == 0) { contradictory_ |= constant_term(p) < 0; return; }
        Polynomial tight;                                // g*y + c >= 0 means y + c//g >= 0 for integers
        for (const Term& t : p)
            if (int64_t c = floor_quotient(t.coefficient, g)) tight.push_back({c, t.factors});
        known_.nonnegative.push_back(std::move(tight));
    };
    for (Dim d : nonnegative_) keep(dims_.polynomial(rewrite(d)));
    for (Dim d : nonzero_) {
        const Polynomial& p = dims_.polynomial(rewrite(d));
        if (p.empty()) contradictory_ = true;
        known_.nonzero.push_back(p);
    }
    known_.intervals.clear();
    constexpr int rounds = 4;                            // chains of bounds are short; more rounds may never end
    for (int round = 0; round < rounds; round++) {
        bool tighter = false;
        for (size_t i = 0; i < known_.nonnegative.size(); i++) tighter |= propagate(Polynomial(known_.nonnegative[i]));
        known_.intervals.clear();
        for (Polynomial& p : known_.nonzero) {           // p >= 0 and p != 0 make p >= 1
            Interval range = interval(p);
            if (p.empty() || (range.low != 0 && range.high != 0)) continue;
            std::optional<Polynomial> less = range.low == 0 ? p : negate(p);
            if (less) less = add_scaled(*less, {{1, {}}}, -1);
            if (!less || range.empty()) continue;
            keep(*less);
            p.clear();                                   // said better by the new fact
            tighter = true;
        }
        if (!tighter) break;
    }
    std::erase(known_.nonzero, Polynomial());
    for (const Polynomial& p : known_.nonnegative) contradictory_ |= interval(p).high < 0;
    for (const auto& [atom, range] : known_.learnt) contradictory_ |= intersect(range, interval(atom)).empty();
}

Bounds Facts::bounds(Dim a) {
    Dim d = normalise(a);
    refresh();
    const Polynomial& p = dims_.polynomial(d);
    Interval range = interval(p);
    for (const Polynomial& fact : known_.nonnegative) {  // fact = c - p or p + c
        std::optional<Polynomial> sum = add_scaled(p, fact, 1), gap = add_scaled(p, fact, -1);
        if (sum && content(*sum) == 0) range.high = std::min<Wide>(range.high, constant_term(*sum));
        if (gap && content(*gap) == 0) range.low = std::max<Wide>(range.low, constant_term(*gap));
    }
    Bounds out;
    if (range.bounded_low() && range.low < Interval::limit) out.low = int64_t(range.low);
    if (range.bounded_high() && range.high > -Interval::limit) out.high = int64_t(range.high);
    return out;
}
} // namespace nereus
