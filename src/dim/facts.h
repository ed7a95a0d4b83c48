// dim/facts.h - what is known about symbolic sizes, in nested scopes; what is learnt inside one is gone after it.
#pragma once
#include "dim/dead_ends.h"
#include "dim/dims.h"
#include "dim/interval.h"
#include <optional>
#include <unordered_set>

namespace nereus {
enum class Answer : uint8_t { no, yes, unknown };        // unknown is always sound

struct Bounds {
    std::optional<int64_t> low, high;                    // inclusive; absent = unbounded
};

class Facts {
 public:
    explicit Facts(Dims& dims);                          // knows: sizes, counters, late and fresh symbols are >= 0
    Dims& dims() { return dims_; }

    void push();                                         // opens a frame
    void pop();                                          // forgets everything since the matching push
    size_t depth() const;

    // Each returns false if the fact contradicts what is known: the frame is then unreachable.
    bool assume_equal(Dim a, Dim b);
    bool assume_less_equal(Dim a, Dim b);
    bool assume_less(Dim a, Dim b);
    bool assume_not_equal(Dim a, Dim b);
    bool assume_divides(int64_t k, Dim a);
    bool assume_compatible(Dim a, Dim b);                // equal, or one of them is 1
    bool contradictory() const;

    Answer equal(Dim a, Dim b);
    Answer less_equal(Dim a, Dim b);
    Answer less(Dim a, Dim b);
    Answer divides(int64_t k, Dim a);
    Answer compatible(Dim a, Dim b);
    Bounds bounds(Dim a);
    Dim normalise(Dim a);                                // known equalities substituted, simplified under the facts
    Dim broadcast(Dim a, Dim b);                         // a, b or bcast(a, b), as far as is proved

 private:
    friend struct Search;
    struct Fact { Dim form; bool nonzero, live; std::vector<Atom> atoms; };      // form >= 0, or form != 0; dead once replaced
    struct Change {                                      // what pop takes back
        enum Kind : uint8_t { rewrite, pin, birth, death, bound } kind;
        Atom atom;
        size_t fact;
        Interval before;
    };
    struct Frame { size_t changes, compatible; uint64_t state, rewrite_state; bool contradictory; };
    struct Key {
        uint64_t state;
        uint32_t query, a, b;
        bool operator==(const Key&) const = default;
    };
    struct KeyHash { size_t operator()(const Key& k) const; };

    // facts.cpp: learning
    void changed(bool rewrites);
    void note(Change change);                            // for pop, and for what was searched in vain
    void touch(const Change& change);
    bool contradict();
    bool is_capped(Dim a, Dim b);
    void add_fact(Dim form, bool nonzero);
    bool learn_nonnegative(Dim p);
    bool learn_zero(Dim p);
    std::optional<Atom> solvable(const Polynomial& p);
    // `missed`: atoms from which it was not reached, with the least fuel; they share parts, and paths are too many.
    bool reaches(Dim d, Atom target, int fuel, std::unordered_map<Atom, int>& missed);
    void eliminate(Atom a, Dim image);
    void eliminate_by_quotient(const AtomNode& mod, Dim remainder);

    // query.cpp: answers
    Answer cached(uint32_t query, Dim a, Dim b, Answer (Facts::*compute)(Dim, Dim));
    Answer compute_equal(Dim a, Dim b);
    Answer compute_less_equal(Dim a, Dim b);
    Answer compute_compatible(Dim a, Dim b);
    bool recorded_as_compatible(Dim a, Dim b);           // both normalised
    bool is_not(Dim a, int64_t value);                   // by an interval or a fact != 0; no search
    bool known_nonzero(const Polynomial& p);
    Dim without_nonzero_factors(Dim d);

    // normalise.cpp: forms
    Dim rewrite(Dim d);                                  // known equalities substituted
    Dim rewrite_atom(Atom a);
    Dim simplify(Dim d);                                 // min, max, bcast, // and mod decided by the facts
    std::optional<Dim> simplify_atom(Atom a);

    // prove.cpp: search
    bool prove(Dim p, int depth, int budget);            // p >= 0; p is rewritten
    static constexpr int whole_depth = 4, whole_budget = 250;
    bool prove(Dim p) { return prove(p, whole_depth, whole_budget); }
    const std::vector<Dim>& definitions(Atom a);         // what an atom's definition says, each >= 0
    std::vector<size_t> facts_near(const Polynomial& p); // live facts that share an atom with p

    // bounds.cpp: intervals
    void refresh();                                      // forgets what was derived in another state
    void propagate(size_t fact);                         // and whatever follows for others, within a limit
    std::vector<Atom> tighten(const Polynomial& p);      // the atoms whose bounds p >= 0 improves
    Interval interval(Atom a);
    Interval interval(const Monomial& m);
    Interval interval(const Polynomial& p);
    Interval form_interval(const AtomNode& node);

    Dims& dims_;
    std::vector<Fact> facts_;
    std::unordered_map<Atom, std::vector<size_t>> mentions_;     // facts by every atom in them, at any depth
    std::unordered_map<Atom, Interval> learnt_;          // bounds that follow from facts
    std::unordered_map<Atom, Dim> rewrites_;             // acyclic, but for pinned atoms
    std::unordered_set<Atom> pinned_;                    // quotients that stand for h//32 in h = 32*(h//32)
    std::vector<std::pair<Dim, Dim>> compatible_;
    std::vector<Change> changes_;
    std::vector<Frame> frames_;
    bool contradictory_ = false;

    // A state's number is never used for another one, so that what is cached under it is valid again after a pop.
    uint64_t state_ = 0, rewrite_state_ = 0, last_state_ = 0, derived_state_ = 0, pairs_state_ = UINT64_MAX;
    std::unordered_map<Key, Answer, KeyHash> answers_;
    std::unordered_map<Key, Dim, KeyHash> forms_;
    std::unordered_map<Atom, Interval> intervals_;       // of derived_state_: by facts and form together
    std::unordered_map<Atom, std::vector<Dim>> definitions_;
    std::unordered_set<uint64_t> pairs_;                 // of pairs_state_: compatible_, normalised
    std::unordered_set<Atom> rewriting_;
    DeadEnds dead_ends_;
    size_t cycles_cut_ = 0, simplifying_ = 0;
};
} // namespace nereus
