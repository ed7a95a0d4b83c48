// infer/shapes_states.h - what each size and number of a loop's states does from one iteration to the next.
//
// A leaf that comes out of the body unchanged is *invariant*; one that grows by the same delta, free of what is local to
// the body, is *affine*: init + i*delta; any other is *varying*. Varying leaves share a symbol while they enter equal and
// come out equal (partition refinement, sizes and numbers together). A leaf only rises through these kinds.
#pragma once
#include "infer/shapes_facts.h"
#include "infer/shapes_program.h"

namespace nereus {
struct LeafState {
    enum class Kind : uint8_t { invariant, affine, varying } kind = Kind::invariant;
    Dim init, delta;
    Dim out;                                             // what the last walk gave
    size_t group = 0;                                    // varying
    bool is_new = true;                                  // varying since the last walk
    bool recalled = false;                               // it was so when the loop was walked before
    bool extent = false;
};
using LeafStates = std::map<Path, LeafState>;

// The states at the head of iteration `counter`, from the states as they enter; `groups`: the symbols of varying leaves.
AbsId states_at(Abstracts& abstracts, const LeafStates& states, Dim counter, const std::map<size_t, Dim>& groups,
                AbsId enter);

struct Comparison {
    AbsId enter;                                         // the states as they enter, containers widened
    bool changed = false;
    bool too_wide = false;                               // what was recalled says less than the walk itself would
};
// Compares the head of an iteration with what came out of it, under the facts at the end of the body.
Comparison compare_states(Program& program, Knowledge& know, LeafStates& states, Dim counter,
                          const std::function<bool(Dim)>& visible, std::map<Path, VarId>& tails, bool first, AbsId head,
                          AbsId out, Span span);
// Splits groups whose members came out different; puts new members together by how they enter. True: some group split.
bool regroup(LeafStates& states);

// What the rounds of a loop came to. A loop inside a loop is walked in every round of the one around, each time with states
// that say less; what its own leaves do can then only rise, so it begins where it had ended: from the start again it would
// take as many rounds, and nests time exponential in their depth.
struct Settled {
    AbsId entered, enter;                                // before and after containers were widened
    LeafStates states;
    std::map<Path, VarId> tails;
};
// Begins with what is `outer`, which is to say still there; `enter` is widened where what enters is the same.
LeafStates recall(Abstracts& abstracts, const Settled& before, const std::function<bool(Dim)>& outer, AbsId& enter);

// A while whose condition compares something that grows by a constant with something that stays: how often it runs.
std::optional<Dim> counted_trips(Dims& dims, const Condition& condition, Sym counter);
// The stack of a yielded value: one row per trip. Sizes of a row that are local to the body are given to `local`.
AbsId stacked(Abstracts& abstracts, AbsId row, Dim trips, const std::function<bool(Dim)>& visible,
              const std::function<Dim(Dim)>& local);
} // namespace nereus
