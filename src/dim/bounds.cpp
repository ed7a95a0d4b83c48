// dim/bounds.cpp - what the facts say of single atoms: intervals, propagated from fact to fact.
#include "dim/facts.h"
#include "dim/polynomial.h"
#include "dim/rounded.h"

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
    case AtomKind::rounded: {                            // keeps the order
        const int bits = int(args[1].low);
        if (args[0].bounded_low()) out.low = saturate(rounded_to_bits(args[0].low, bits));
        if (args[0].bounded_high()) out.high = saturate(rounded_to_bits(args[0].high, bits));
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
    if (auto found = intervals_.find(a); found != intervals_.end()) return found->second;
    Interval out;
    if (dims_.nonnegative(dims_.of(a))) out.low = 0;
    if (auto found = learnt_.find(a); found != learnt_.end()) out = intersect(out, found->second);
    intervals_[a] = out;                           // h = 32*(h//32) asks for itself: what is known so far serves
    const AtomNode& node = dims_.atom(a);
    if (!node.args.empty()) out = intersect(out, form_interval(node));
    return intervals_[a] = out;
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

// p >= 0 bounds each atom by the extremes of all the other terms.
std::vector<Atom> Facts::tighten(const Polynomial& p) {
    std::vector<Atom> out;
    if (p.size() > 8) return out;
    for (size_t i = 0; i < p.size(); i++) {
        const Factor* f = lone_atom(p[i]);
        if (!f) continue;
        Interval rest{0, 0};
        for (size_t j = 0; j < p.size(); j++)
            if (j != i) rest = add(rest, multiply(interval(p[j].factors), {p[j].coefficient, p[j].coefficient}));
        if (!rest.bounded_high()) continue;
        Interval before = interval(f->atom), after = before;
        Wide c = p[i].coefficient;
        if (c > 0) after.low = std::max(after.low, saturate(-floor_wide(rest.high, c)));     // atom >= -rest/c
        else after.high = std::min(after.high, saturate(floor_wide(rest.high, -c)));
        if (after.low == before.low && after.high == before.high) continue;
        Interval& learnt = learnt_[f->atom];
        note({Change::bound, f->atom, 0, learnt});
        learnt = intersect(learnt, after);
        contradictory_ |= after.empty();
        intervals_.clear();
        out.push_back(f->atom);
    }
    return out;
}

void Facts::propagate(size_t first) {
    constexpr size_t most_steps = 64;                    // i < n < i + j < ... might tighten for ever
    std::vector<size_t> queue{first};
    for (size_t step = 0; step < queue.size() && step < most_steps && !contradictory_; step++) {
        const Fact& fact = facts_[queue[step]];
        if (!fact.live) continue;
        const Dim form = fact.form;                      // facts move when there are more of them
        const Polynomial& p = dims_.polynomial(form);
        Interval range = interval(p);
        if (fact.nonzero) {                              // p >= 0 and p != 0 make p >= 1
            if (range.low == 0) add_fact(dims_.sub(form, dims_.constant(1)), false);
            else if (range.high == 0) add_fact(dims_.sub(dims_.constant(-1), form), false);
            else continue;
            facts_[queue[step]].live = false;            // the new fact says more
            note({Change::death, {}, queue[step], {}});
            queue.push_back(facts_.size() - 1);
            continue;
        }
        contradictory_ |= range.high < 0;
        for (Atom a : tighten(p))
            for (size_t other : mentions_[a])
                if (facts_[other].live) queue.push_back(other);
    }
}

void Facts::refresh() {
    if (derived_state_ == state_) return;
    derived_state_ = state_;
    intervals_.clear();
    definitions_.clear();
}

Bounds Facts::bounds(Dim a) {
    Dim d = normalise(a);
    refresh();
    const Polynomial& p = dims_.polynomial(d);
    Interval range = interval(p);
    for (size_t index : facts_near(p)) {                 // fact = c - p or p + c
        if (facts_[index].nonzero) continue;
        const Polynomial& fact = dims_.polynomial(facts_[index].form);
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
