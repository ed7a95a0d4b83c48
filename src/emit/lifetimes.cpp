// Steps that can only follow one another are a *stretch*. From every use, backwards until a write, from stretch to stretch:
// each slot on its own, so the work is its events and the stretches it lives through, however long they are.
#include "emit/lifetimes.h"
#include <algorithm>

namespace nereus {
namespace {
struct Stretch { uint32_t first, last; std::vector<uint32_t> before; };      // before: stretches that lead here

std::vector<Stretch> cut(uint32_t steps, const std::vector<StepSpan>& jumps, const std::vector<uint32_t>& stops) {
    std::vector<bool> begins(steps + 1), stop(steps);
    for (uint32_t step : stops) stop[step] = begins[step + 1] = true;
    for (StepSpan jump : jumps) begins[jump.last] = begins[jump.first + 1] = true;
    std::vector<Stretch> all;
    std::vector<uint32_t> of(steps);
    for (uint32_t step = 0; step < steps; ++step) {
        if (step == 0 || begins[step]) {
            all.push_back({step, step, {}});
            if (step > 0 && !stop[step - 1]) all.back().before.push_back(uint32_t(all.size() - 2));
        }
        all.back().last = step;
        of[step] = uint32_t(all.size() - 1);
    }
    for (StepSpan jump : jumps) all[of[jump.last]].before.push_back(of[jump.first]);
    return all;
}
} // namespace

std::vector<std::vector<StepSpan>> Lifetimes::find(uint32_t slots, uint32_t steps) const {
    const std::vector<Stretch> stretches = cut(steps, jumps_, stops_);
    std::vector<Event> events = events_;
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
        return a.slot != b.slot ? a.slot < b.slot : a.step != b.step ? a.step < b.step : a.order < b.order;
    });
    std::vector<std::vector<StepSpan>> spans(slots);
    constexpr uint32_t nothing = UINT32_MAX;
    std::vector<uint32_t> last_touch(stretches.size(), nothing);     // of the slot at hand: its last step in a stretch
    std::vector<bool> left(stretches.size());              // of the slot at hand: alive when the stretch ends
    std::vector<uint32_t> open;                            // stretches at whose beginning it is alive
    std::vector<uint32_t> visited;
    std::vector<StepSpan> found;
    for (size_t i = 0; i < events.size();) {
        const uint32_t slot = events[i].slot;
        size_t at = 0;                                     // the stretch of the event
        for (bool is_first = true; i < events.size() && events[i].slot == slot; is_first = false) {
            const uint32_t step = events[i].step;
            const bool enters = !events[i].write;          // else what was in it is dead
            while (i < events.size() && events[i].slot == slot && events[i].step == step) ++i;
            if (is_first || step > stretches[at].last)
                at = size_t(std::upper_bound(stretches.begin(), stretches.end(), step,
                                             [](uint32_t wanted, const Stretch& s) { return wanted < s.first; }) - stretches.begin()) - 1;
            const uint32_t previous = last_touch[at];
            if (!enters) found.push_back({step, step});
            else found.push_back({previous == nothing ? stretches[at].first : previous, step});
            if (enters && previous == nothing) open.push_back(uint32_t(at));
            if (previous == nothing) visited.push_back(uint32_t(at));
            last_touch[at] = step;
        }
        while (!open.empty()) {
            const Stretch& entered = stretches[open.back()];
            open.pop_back();
            for (uint32_t from : entered.before) {
                if (left[from]) continue;
                left[from] = true;
                visited.push_back(from);
                const bool through = last_touch[from] == nothing;
                found.push_back({through ? stretches[from].first : last_touch[from], stretches[from].last});
                if (through) open.push_back(from);
            }
        }
        std::sort(found.begin(), found.end(), [](StepSpan a, StepSpan b) { return a.first < b.first; });
        for (StepSpan span : found) {
            std::vector<StepSpan>& merged = spans[slot];
            if (!merged.empty() && span.first <= merged.back().last + 1) merged.back().last = std::max(merged.back().last, span.last);
            else merged.push_back(span);
        }
        for (uint32_t each : visited) last_touch[each] = nothing, left[each] = false;
        visited.clear();
        found.clear();
    }
    for (std::vector<StepSpan>& each : spans)
        if (each.empty()) each.push_back({0, 0});          // never touched: costs a moment
    return spans;
}
} // namespace nereus
