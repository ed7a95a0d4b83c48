// dim/facts.h - what is known about symbolic sizes, in nested scopes; what is learnt inside one is gone after it.
#pragma once
#include "dim/dims.h"
#include <optional>

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
    Dim normalise(Dim a);                                // a with known equalities substituted, simplified under the facts
    Dim broadcast(Dim a, Dim b);                         // a, b or bcast(a, b), as far as is proved

 private:
    Dims& dims_;
    // (the implementer fills this in)
};
} // namespace nereus
