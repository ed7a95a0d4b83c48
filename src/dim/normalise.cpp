// dim/normalise.cpp - a dim under the facts: equalities substituted, and functions decided where facts decide.
//
// Rewriting ends because an atom's image never leads back to it (facts.cpp sees to that), and the atoms that stand
// for a quotient of the rewritten symbol itself are pinned: h becomes 32*(h//32), and that h//32 stays.
#include "dim/facts.h"
#include "dim/polynomial.h"

namespace nereus {
namespace {
enum Form : uint32_t { rewritten, rewritten_atom, simplified };
}

Dim Facts::rewrite_atom(Atom a) {
    const AtomNode& node = dims_.atom(a);
    auto found = rewrites_.find(a);
    bool mapped = found != rewrites_.end();
    if (!mapped && (node.args.empty() || pinned_.contains(a))) return dims_.of(a);
    Key key{rewrite_state_, Form::rewritten_atom, a.index, 0};   // atoms share parts: without this, once per path to a part
    if (auto known = forms_.find(key); known != forms_.end()) return known->second;
    size_t before = cycles_cut_;
    if (!rewriting_.insert(a).second) {                  // only if the map had a cycle: left as it is
        cycles_cut_++;
        return dims_.of(a);
    }
    Dim out = dims_.of(a);
    if (mapped) {
        out = rewrite(found->second);
    } else {
        out = dims_.substitute_atoms(out, [&](Atom inner) -> std::optional<Dim> {
            if (inner == a) return std::nullopt;
            return rewrite_atom(inner);
        });
    }
    rewriting_.erase(a);
    if (cycles_cut_ == before) forms_[key] = out;
    return out;
}

Dim Facts::rewrite(Dim d) {
    if (rewrites_.empty() || dims_.constant_value(d)) return d;
    Key key{rewrite_state_, Form::rewritten, d.index, 0};
    if (auto found = forms_.find(key); found != forms_.end()) return found->second;
    size_t before = cycles_cut_;
    Dim out = dims_.substitute_atoms(d, [&](Atom a) { return std::optional(rewrite_atom(a)); });
    if (cycles_cut_ == before) forms_[key] = out;
    return out;
}

// The atom decided by the facts, if they decide it; its arguments are simplified already.
std::optional<Dim> Facts::simplify_atom(Atom a) {
    const AtomNode& node = dims_.atom(a);
    std::vector<Dim> args = node.args;
    auto at_least = [&](Dim x, Dim y) { return prove(dims_.sub(x, y), 2, 20); };
    switch (node.kind) {
    case AtomKind::symbol:
    case AtomKind::rank:
    case AtomKind::size: return std::nullopt;
    case AtomKind::min:
    case AtomKind::max:
        if (args.size() == 1 || args.size() > 8) return std::nullopt;
        for (size_t i = 0; i < args.size() && args.size() > 1; i++)
            for (size_t j = 0; j < args.size(); j++) {
                bool larger = node.kind == AtomKind::min;              // the larger of two never is the smallest
                if (i == j || !(larger ? at_least(args[i], args[j]) : at_least(args[j], args[i]))) continue;
                args.erase(args.begin() + long(i--));
                break;
            }
        if (args.size() == node.args.size()) return std::nullopt;
        return node.kind == AtomKind::min ? dims_.min(args) : dims_.max(args);
    case AtomKind::rounded: {
        const Interval range = interval(dims_.polynomial(args[0]));
        const Wide largest = Wide(1) << dims_.constant_value(args[1]).value_or(0);
        return range.low >= -largest && range.high <= largest ? std::optional(args[0]) : std::nullopt;
    }
    case AtomKind::bcast:
        for (Dim d : args)
            if (is_not(d, 1)) return d;
        std::erase_if(args, [&](Dim d) {
            Interval range = interval(dims_.polynomial(d));
            return range.low == 1 && range.high == 1;
        });
        if (args.size() == node.args.size()) return std::nullopt;
        return dims_.bcast(args);
    case AtomKind::floor_div:
    case AtomKind::mod: {
        Interval range = floor_div(interval(dims_.polynomial(args[0])), interval(dims_.polynomial(args[1])));
        std::optional<int64_t> quotient;
        if (range.low == range.high && range.low == Wide(int64_t(range.low))) quotient = int64_t(range.low);
        else if (!dims_.constant_value(args[1]) && at_least(args[0], dims_.constant(0)) &&
                 at_least(dims_.sub(args[1], dims_.constant(1)), args[0]))
            quotient = 0;
        if (!quotient) return std::nullopt;
        if (node.kind == AtomKind::floor_div) return dims_.constant(*quotient);
        return dims_.sub(args[0], dims_.scale(args[1], *quotient));
    }
    }
    return std::nullopt;
}

Dim Facts::simplify(Dim d) {
    bool flat = true;
    for (const Term& t : dims_.polynomial(d))
        for (const Factor& f : t.factors) flat &= dims_.atom(f.atom).args.empty();
    if (flat || simplifying_ > 32) return d;
    Key key{state_, Form::simplified, d.index, 0};
    if (auto found = forms_.find(key); found != forms_.end()) return found->second;
    simplifying_++;
    Dim out = dims_.substitute_atoms(d, [&](Atom a) -> std::optional<Dim> {
        if (pinned_.contains(a)) return dims_.of(a);
        std::vector<Dim> args;
        for (Dim argument : dims_.atom(a).args) args.push_back(simplify(argument));
        if (args.empty()) return std::nullopt;
        if (args != dims_.atom(a).args) return simplify(dims_.apply_like(a, args));
        return simplify_atom(a).value_or(dims_.of(a));   // nothing is left to do in its arguments
    });
    simplifying_--;
    return forms_[key] = out;
}

Dim Facts::normalise(Dim a) {
    refresh();
    Dim d = a;
    for (int round = 0; round < 4; round++) {
        Dim next = simplify(rewrite(d));
        if (next == d) break;
        d = next;
    }
    return d;
}

Dim Facts::broadcast(Dim a, Dim b) {
    Dim one = dims_.constant(1);
    if (equal(a, b) == Answer::yes) return dims_.node_count(b) < dims_.node_count(a) ? b : a;
    if (equal(b, one) == Answer::yes) return a;
    if (equal(a, one) == Answer::yes) return b;
    if (equal(a, one) == Answer::no) return a;           // b is a or 1: the check of the pair sees to it
    if (equal(b, one) == Answer::no) return b;
    return dims_.bcast(std::vector{a, b});
}
} // namespace nereus
