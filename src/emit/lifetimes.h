// emit/lifetimes.h - when the slots of a function are alive, in steps: from who writes and reads them and from how control
// flows. Steps number the bindings in program order; between two of them control goes on unless something else is said.
#pragma once
#include <cstdint>
#include <vector>

namespace nereus {
struct StepSpan { uint32_t first, last; };                 // both included

class Lifetimes {
 public:
    void write(uint32_t slot, uint32_t step) { add(slot, step, true); }      // what was in it is dead
    void use(uint32_t slot, uint32_t step) { add(slot, step, false); }       // read, or written in part
    void jump(uint32_t from, uint32_t to) { jumps_.push_back({from, to}); }
    void stop(uint32_t step) { stops_.push_back(step); }                           // the next step does not follow this one

    // Per slot the spans in which something else in its place would be wrong: where it is touched, and wherever a value
    // is still to be read on some way. Ascending, with gaps between them; at least one.
    std::vector<std::vector<StepSpan>> find(uint32_t slots, uint32_t steps) const;

 private:
    struct Event { uint32_t slot, step, order; bool write; };
    void add(uint32_t slot, uint32_t step, bool write) { events_.push_back({slot, step, uint32_t(events_.size()), write}); }
    std::vector<Event> events_;              // in program order
    std::vector<StepSpan> jumps_;
    std::vector<uint32_t> stops_;
};
} // namespace nereus
