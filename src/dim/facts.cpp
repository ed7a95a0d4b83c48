// dim/facts.cpp - frames and what is learnt in them.
//
// An equation p = 0 is solved for an atom with coefficient 1 or -1, which then is rewritten everywhere; what the
// atom's kind or definition said of it is kept as facts of its image. An equation that cannot be solved is kept as
// p >= 0 and -p >= 0. A state has a number that is never given to another: caches are keyed by it, and leaving a
// frame makes the older ones valid again.
#include "dim/facts.h"
#include "dim/polynomial.h"

namespace nereus {
Facts::Facts(Dims& dims) : dims_(dims) {}

void Facts::push() {
    frames_.push_back({nonnegative_.size(), nonzero_.size(), compatible_.size(), changes_.size(), state_,
                       rewrite_state_, contradictory_, std::nullopt});
}

void Facts::pop() {
    invariant(!frames_.empty(), "pop without push");
    Frame& frame = frames_.back();
    nonnegative_.resize(frame.nonnegative), nonzero_.resize(frame.nonzero), compatible_.resize(frame.compatible);
    for (; changes_.size() > frame.changes; changes_.pop_back()) {
        if (changes_.back().pinned) pinned_.erase(changes_.back().atom);
        else rewrites_.erase(changes_.back().atom);
    }
    if (frame.known) known_ = std::move(*frame.known);
    state_ = frame.state, rewrite_state_ = frame.rewrite_state, contradictory_ = frame.contradictory;
    frames_.pop_back();
}

size_t Facts::depth() const { return frames_.size(); }
bool Facts::contradictory() const { return contradictory_; }

void Facts::changed(bool rewrites) {
    if (!frames_.empty() && !frames_.back().known && state_ == frames_.back().state)
        frames_.back().known = std::move(known_);
    state_ = ++last_state_;
    if (rewrites) rewrite_state_ = state_;
}

bool Facts::contradict() {
    contradictory_ = true;
    return false;
}

bool Facts::learn_nonnegative(Dim p) {
    Dim d = normalise(p);
    if (prove(d)) return !contradictory_;
    if (prove(dims_.sub(dims_.constant(-1), d))) return contradict();
    if (prove(dims_.scale(d, -1))) return learn_zero(d); // <= 0 was known
    nonnegative_.push_back(d);
    changed(false);
    refresh();
    return !contradictory_;
}

// Whether replacing an atom in d step by step can arrive at the target.
bool Facts::reaches(Dim d, Atom target, int fuel) {
    if (fuel <= 0) return true;
    for (const Term& t : dims_.polynomial(d))
        for (const Factor& f : t.factors) {
            if (f.atom == target) return true;
            if (auto found = rewrites_.find(f.atom); found != rewrites_.end()) {
                if (reaches(found->second, target, fuel - 1)) return true;
            } else if (!pinned_.contains(f.atom)) {
                for (Dim argument : dims_.atom(f.atom).args)
                    if (reaches(argument, target, fuel - 1)) return true;
            }
        }
    return false;
}

// How gladly an atom is eliminated: what the user never wrote goes first, and a function of symbols last.
static int eagerness(const Dims& dims, const AtomNode& node) {
    if (node.kind != AtomKind::symbol) return 0;
    switch (dims.symbol(node.symbol).kind) {
    case SymKind::unknown: return 7;
    case SymKind::fresh: return 6;
    case SymKind::join: return 5;
    case SymKind::late: return 4;
    case SymKind::counter: return 3;
    case SymKind::host: return 2;
    case SymKind::size: return 1;
    }
    return 0;
}

std::optional<Atom> Facts::solvable(const Polynomial& p) {
    std::optional<Atom> best;
    for (const Term& t : p) {
        const Factor* f = lone_atom(t);
        if (!f || (t.coefficient != 1 && t.coefficient != -1) || rewrites_.contains(f->atom)) continue;
        std::pair rank(eagerness(dims_, dims_.atom(f->atom)), f->atom);
        if (best && rank < std::pair(eagerness(dims_, dims_.atom(*best)), *best)) continue;
        std::optional<Polynomial> rest = add_scaled(p, {t}, -1);
        bool cyclic = false;
        for (const Term& other : *rest)
            for (const Factor& g : other.factors) cyclic |= reaches(dims_.of(g.atom), f->atom, 24);
        if (!cyclic) best = f->atom;
    }
    return best;
}

void Facts::eliminate(Atom a, Dim image) {
    refresh();
    std::vector<Dim> kept = definitions(a);
    if (dims_.nonnegative(dims_.of(a))) kept.push_back(image);
    changed(true);                                       // first: nothing may be cached under the old number
    rewrites_[a] = image;
    changes_.push_back({a, false});
    for (Dim d : kept)
        if (!dims_.nonnegative(rewrite(d))) nonnegative_.push_back(d);
}

// n*m = n*k gives m = k where n is not 0.
Dim Facts::without_nonzero_factors(Dim d) {
    const Polynomial& p = dims_.polynomial(d);
    if (p.empty()) return d;
    Dim out = d;
    for (const Factor& f : p[0].factors) {
        if (!is_not(dims_.of(f.atom), 0)) continue;
        Polynomial rest = dims_.polynomial(out);
        bool common = true;
        for (int32_t i = 0; i < f.power && common; i++) {
            for (Term& t : rest) {
                std::optional<Monomial> m = divide(t.factors, {{f.atom, 1}});
                common &= bool(m);
                if (m) t.factors = std::move(*m);
            }
            if (common) out = dims_.from_terms(rest);
        }
    }
    return out;
}

bool Facts::learn_zero(Dim given) {
    Dim d = without_nonzero_factors(normalise(given));
    Polynomial p = dims_.polynomial(d);
    refresh();
    if (p.empty()) return !contradictory_;
    int64_t g = content(p), c = constant_term(p);
    if (g == 0 || c % g != 0 || interval(p).excludes(0) || known_nonzero(p)) return contradict();
    for (Term& t : p) t.coefficient /= g;
    d = dims_.from_terms(p);
    if (std::optional<Atom> a = solvable(p)) {
        bool positive = false;
        for (const Term& t : p)
            if (t.factors == Monomial{{*a, 1}}) positive = t.coefficient > 0;
        Dim self = dims_.of(*a);
        Dim image = positive ? dims_.sub(self, d) : dims_.add(self, d);
        eliminate(*a, image);
        const AtomNode& node = dims_.atom(*a);
        if (node.kind == AtomKind::mod) {                // mod(x, k) = r: x = k*(x//k) + r, and that quotient stays
            Dim x = node.args[0], k = node.args[1], quotient = dims_.floor_div(x, k);
            const Polynomial& q = dims_.polynomial(quotient);
            if (q.size() == 1 && q[0].coefficient == 1 && lone_atom(q[0]) && !rewrites_.contains(q[0].factors[0].atom)) {
                changed(true);
                if (pinned_.insert(q[0].factors[0].atom).second) changes_.push_back({q[0].factors[0].atom, true});
                return learn_zero(dims_.sub(x, dims_.add(dims_.mul(k, quotient), image)));
            }
        }
    } else if (p.size() == 2 && c == 0 && lone_atom(p[0]) && lone_atom(p[1]) && p[0].coefficient != INT64_MIN) {
        // a*x = b*y with a and b coprime: b divides x, and then y can be solved for.
        if (!assume_divides(p[1].coefficient, dims_.of(p[0].factors[0].atom))) return false;
        if (rewrites_.contains(p[0].factors[0].atom)) return learn_zero(d);
        nonnegative_.push_back(d), nonnegative_.push_back(dims_.scale(d, -1));
        changed(false);
    } else {
        nonnegative_.push_back(d), nonnegative_.push_back(dims_.scale(d, -1));
        changed(false);
    }
    refresh();
    return !contradictory_;
}

bool Facts::assume_equal(Dim a, Dim b) {
    if (equal(a, b) == Answer::no) return contradict();
    return learn_zero(dims_.sub(normalise(a), normalise(b)));
}

bool Facts::assume_less_equal(Dim a, Dim b) { return learn_nonnegative(dims_.sub(normalise(b), normalise(a))); }
bool Facts::assume_less(Dim a, Dim b) { return assume_less_equal(dims_.add(a, dims_.constant(1)), b); }

bool Facts::assume_not_equal(Dim a, Dim b) {
    Answer known = equal(a, b);
    if (known == Answer::yes) return contradict();
    if (known == Answer::no) return !contradictory_;
    Dim d = dims_.sub(normalise(a), normalise(b)), one = dims_.constant(1);
    if (prove(d)) return learn_nonnegative(dims_.sub(d, one));
    if (prove(dims_.scale(d, -1))) return learn_nonnegative(dims_.sub(dims_.scale(d, -1), one));
    nonzero_.push_back(d);
    changed(false);
    refresh();
    return !contradictory_;
}

bool Facts::assume_divides(int64_t k, Dim a) {
    Answer known = divides(k, a);
    if (known == Answer::no) return contradict();
    if (known == Answer::yes || k == INT64_MIN) return !contradictory_;
    Dim d = normalise(a);
    return learn_zero(k == 0 ? d : dims_.mod(d, dims_.constant(k < 0 ? -k : k)));
}

bool Facts::assume_compatible(Dim a, Dim b) {
    Dim one = dims_.constant(1);
    Answer known = compatible(a, b);
    if (known == Answer::no) return contradict();
    if (known == Answer::yes) return !contradictory_;
    bool wide_a = equal(a, one) == Answer::no, wide_b = equal(b, one) == Answer::no;
    if (wide_a && wide_b) return assume_equal(a, b);
    if (equal(a, b) == Answer::no && (wide_a || wide_b)) return assume_equal(wide_a ? b : a, one);
    compatible_.push_back({a, b});
    changed(false);
    return !contradictory_;
}
} // namespace nereus
