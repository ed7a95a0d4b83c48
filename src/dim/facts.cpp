// dim/facts.cpp - frames and what is learnt in them.
//
// An equation p = 0 is solved for an atom with coefficient 1 or -1, which then is rewritten everywhere; what the
// atom's kind or definition said of it is kept as facts of its image. An equation that cannot be solved is kept as
// p >= 0 and -p >= 0. A state has a number that is never given to another: caches are keyed by it, and leaving a
// frame makes the older ones valid again.
#include "dim/facts.h"
#include "dim/polynomial.h"
#include <algorithm>

namespace nereus {
Facts::Facts(Dims& dims) : dims_(dims) {}

void Facts::push() {
    frames_.push_back({changes_.size(), compatible_.size(), state_, rewrite_state_, contradictory_});
}

void Facts::pop() {
    invariant(!frames_.empty(), "pop without push");
    const Frame& frame = frames_.back();
    for (; changes_.size() > frame.changes; changes_.pop_back()) {
        const Change& change = changes_.back();
        touch(change);
        switch (change.kind) {
        case Change::rewrite: rewrites_.erase(change.atom); break;
        case Change::pin: pinned_.erase(change.atom); break;
        case Change::death: facts_[change.fact].live = true; break;
        case Change::bound: learnt_[change.atom] = change.before; break;
        case Change::birth:
            for (Atom a : facts_.back().atoms) mentions_[a].pop_back();
            facts_.pop_back();
            break;
        }
    }
    compatible_.resize(frame.compatible);
    state_ = frame.state, rewrite_state_ = frame.rewrite_state, contradictory_ = frame.contradictory;
    frames_.pop_back();
}

void Facts::touch(const Change& change) {
    switch (change.kind) {
    case Change::rewrite:
    case Change::pin:
    case Change::bound: return dead_ends_.touch(change.atom);
    case Change::birth:
    case Change::death:
        for (Atom a : facts_[change.fact].atoms) dead_ends_.touch(a);
    }
}
void Facts::note(Change change) {
    touch(change);
    changes_.push_back(change);
}

size_t Facts::depth() const { return frames_.size(); }
bool Facts::contradictory() const { return contradictory_; }

// Called before anything else changes: nothing may be cached under the number of another state.
void Facts::changed(bool rewrites) {
    state_ = ++last_state_;
    if (rewrites) rewrite_state_ = state_;
    refresh();
}

// The form is rewritten. What is known at once is dropped.
void Facts::add_fact(Dim form, bool nonzero) {
    const Polynomial& p = dims_.polynomial(form);
    int64_t g = content(p), c = constant_term(p);
    if (g == 0) { contradictory_ |= nonzero ? c == 0 : c < 0; return; }
    if (!nonzero && dims_.nonnegative(form)) return;
    if (!nonzero && g > 1) {                             // g*y + c >= 0 means y + c//g >= 0 for integers
        Polynomial tight;
        for (const Term& t : p)
            if (int64_t v = floor_quotient(t.coefficient, g)) tight.push_back({v, t.factors});
        form = dims_.from_terms(std::move(tight));
    }
    facts_.push_back({form, nonzero, true, dims_.atoms_of(form)});
    for (Atom a : facts_.back().atoms) mentions_[a].push_back(facts_.size() - 1);
    note({Change::birth, {}, facts_.size() - 1, {}});
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
    changed(false);
    add_fact(d, false);
    if (!facts_.empty()) propagate(facts_.size() - 1);
    return !contradictory_;
}

// Whether replacing an atom in d step by step can arrive at the target.
bool Facts::reaches(Dim d, Atom target, int fuel, std::unordered_map<Atom, int>& missed) {
    if (fuel <= 0) return true;
    for (const Term& t : dims_.polynomial(d))
        for (const Factor& f : t.factors) {
            if (f.atom == target) return true;
            if (auto before = missed.find(f.atom); before != missed.end() && before->second <= fuel) continue;
            if (auto found = rewrites_.find(f.atom); found != rewrites_.end()) {
                if (reaches(found->second, target, fuel - 1, missed)) return true;
            } else if (!pinned_.contains(f.atom)) {
                for (Dim argument : dims_.atom(f.atom).args)
                    if (reaches(argument, target, fuel - 1, missed)) return true;
            }
            missed[f.atom] = fuel;
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
        std::unordered_map<Atom, int> missed;
        for (const Term& other : *rest)
            for (const Factor& g : other.factors) cyclic |= reaches(dims_.of(g.atom), f->atom, 24, missed);
        if (!cyclic) best = f->atom;
    }
    return best;
}

void Facts::eliminate(Atom a, Dim image) {
    refresh();
    std::vector<Dim> kept = definitions(a);              // what it says of itself has to be said of its image
    if (dims_.nonnegative(dims_.of(a))) kept.push_back(image);
    changed(true);
    rewrites_[a] = image;
    note({Change::rewrite, a, 0, {}});
    size_t first_new = facts_.size();
    std::vector<size_t> touched = mentions_[a];
    for (size_t index : touched) {
        Dim before = facts_[index].form, after = rewrite(before);
        if (!facts_[index].live || before == after) continue;
        facts_[index].live = false;
        note({Change::death, {}, index, {}});
        add_fact(after, facts_[index].nonzero);
    }
    for (Dim d : kept) add_fact(rewrite(d), false);
    for (size_t i = first_new, n = facts_.size(); i < n; i++) propagate(i);
}

// mod(x, k) = r, so x = k*(x//k) + r; that quotient then stands for itself.
void Facts::eliminate_by_quotient(const AtomNode& mod, Dim remainder) {
    Dim x = mod.args[0], k = mod.args[1], quotient = dims_.floor_div(x, k);
    const Polynomial& q = dims_.polynomial(quotient);
    if (q.size() != 1 || q[0].coefficient != 1 || !lone_atom(q[0])) return;
    Atom a = q[0].factors[0].atom;
    if (rewrites_.contains(a)) return;
    changed(true);
    if (pinned_.insert(a).second) note({Change::pin, a, 0, {}});
    learn_zero(dims_.sub(x, dims_.add(dims_.mul(k, quotient), remainder)));
}

bool Facts::learn_zero(Dim given) {
    Dim d = without_nonzero_factors(normalise(given));
    Polynomial p = dims_.polynomial(d);
    if (p.empty()) return !contradictory_;
    int64_t g = content(p), c = constant_term(p);
    if (g == 0 || c % g != 0 || interval(p).excludes(0) || known_nonzero(p)) return contradict();
    for (Term& t : p) t.coefficient /= g;
    d = dims_.from_terms(p);
    if (std::optional<Atom> a = solvable(p)) {
        bool positive = false;
        for (const Term& t : p)
            if (t.factors == Monomial{{*a, 1}}) positive = t.coefficient > 0;
        Dim self = dims_.of(*a), image = positive ? dims_.sub(self, d) : dims_.add(self, d);
        eliminate(*a, image);
        if (dims_.atom(*a).kind == AtomKind::mod) eliminate_by_quotient(dims_.atom(*a), image);
        return !contradictory_;
    }
    if (p.size() == 2 && c == 0 && lone_atom(p[0]) && lone_atom(p[1])) {
        // a*x = b*y with a and b coprime: b divides x, and then y can be solved for.
        Atom x = p[0].factors[0].atom;
        if (!assume_divides(p[1].coefficient, dims_.of(x))) return false;
        if (rewrites_.contains(x)) return learn_zero(d);
    }
    changed(false);
    for (Dim side : {d, dims_.scale(d, -1)}) {
        add_fact(side, false);
        if (!facts_.empty()) propagate(facts_.size() - 1);
    }
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
    changed(false);
    add_fact(d, true);
    if (!facts_.empty()) propagate(facts_.size() - 1);
    return !contradictory_;
}

bool Facts::assume_divides(int64_t k, Dim a) {
    Answer known = divides(k, a);
    if (known == Answer::no) return contradict();
    if (known == Answer::yes || k == INT64_MIN) return !contradictory_;
    Dim d = normalise(a);
    return learn_zero(k == 0 ? d : dims_.mod(d, dims_.constant(k < 0 ? -k : k)));
}

// Whether a is min(s, c, …) of b = s and of what is at least 2. It is s or 1 then, or s is 1: in each case s is the
// least.
bool Facts::is_capped(Dim a, Dim b) {
    const Polynomial p = dims_.polynomial(a);
    if (p.size() != 1 || p[0].coefficient != 1 || !lone_atom(p[0])) return false;
    const AtomNode node = dims_.atom(p[0].factors[0].atom);
    if (node.kind != AtomKind::min || std::ranges::find(node.args, b) == node.args.end()) return false;
    return std::ranges::all_of(node.args,
                               [&](Dim cap) { return cap == b || less_equal(dims_.constant(2), cap) == Answer::yes; });
}

bool Facts::assume_compatible(Dim a, Dim b) {
    Dim one = dims_.constant(1);
    Answer known = compatible(a, b);
    if (known == Answer::no) return contradict();
    if (known == Answer::yes) return !contradictory_;
    bool wide_a = equal(a, one) == Answer::no, wide_b = equal(b, one) == Answer::no;
    if (wide_a && wide_b) return assume_equal(a, b);
    if (is_capped(normalise(a), normalise(b)) || is_capped(normalise(b), normalise(a))) return assume_equal(a, b);
    if (equal(a, b) == Answer::no && (wide_a || wide_b)) return assume_equal(wide_a ? b : a, one);
    changed(false);
    compatible_.push_back({a, b});
    return !contradictory_;
}
} // namespace nereus
