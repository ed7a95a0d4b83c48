// emit/lifetimes.h - when the slots of a function are alive, in steps: from who writes and reads them and from how control
// flows. Steps number the bindings in program order; control goes from one to the next but for branches and loops, which are
// told as they are written: enter, one part after the other, leave.
#pragma once
#include <cstdint>
#include <vector>

namespace nereus {
struct StepSpan { uint32_t first, last; };                 // both included

class Lifetimes {
 public:
    enum class Kind : uint8_t {
        branch,                                            // its parts are arms: one of them runs
        loop,                                              // the head, whose last step leaves the loop or not; then the body
    };
    struct Region;
    struct Part { StepSpan span; std::vector<Region> inside; };
    struct Region { Kind kind; std::vector<Part> parts; StepSpan span() const { return {parts.front().span.first, parts.back().span.last}; } };

    void write(uint32_t slot, uint32_t step) { add(slot, step, true); }      // what was in it is dead
    void use(uint32_t slot, uint32_t step) { add(slot, step, false); }       // read, or written in part
    void enter(Kind kind) { open_.push_back({kind, {}}); }
    void part(uint32_t first);                             // the one before ends here
    void leave(uint32_t last);

    // Per slot the spans in which something else in its place would be wrong: where it is touched, and wherever a value
    // is still to be read on some way. Ascending, with gaps between them; at least one.
    std::vector<std::vector<StepSpan>> find(uint32_t slots, uint32_t steps) const;

 private:
    struct Event { uint32_t slot, step, order; bool write; };
    void add(uint32_t slot, uint32_t step, bool write) { events_.push_back({slot, step, uint32_t(events_.size()), write}); }
    std::vector<Event> events_;              // in program order
    std::vector<Region> top_;
    std::vector<Region> open_;               // each in the last part of the one before
};
} // namespace nereus
