// From every use, backwards along all ways until a write: each slot on its own, so the work is the sum of all lifetimes.
#include "emit/lifetimes.h"
#include <algorithm>

namespace nereus {
std::vector<std::vector<StepSpan>> Lifetimes::find(uint32_t slots, uint32_t steps) const {
    std::vector<std::vector<uint32_t>> before(steps);      // besides the step that precedes it
    std::vector<bool> stops(steps);
    for (StepSpan jump : jumps_) before[jump.last].push_back(jump.first);
    for (uint32_t step : stops_) stops[step] = true;

    std::vector<Event> events = events_;
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
        return a.slot != b.slot ? a.slot < b.slot : a.step != b.step ? a.step < b.step : a.order < b.order;
    });
    std::vector<std::vector<StepSpan>> spans(slots);
    std::vector<bool> alive(steps), writes(steps), entered(steps);      // of the slot at hand; entered: alive when it begins
    std::vector<uint32_t> touched, open;
    auto reach = [&](uint32_t step) {
        if (!alive[step]) touched.push_back(step);
        alive[step] = true;
    };
    for (size_t i = 0; i < events.size();) {
        const uint32_t slot = events[i].slot;
        for (; i < events.size() && events[i].slot == slot; ++i) {
            const Event& event = events[i];
            reach(event.step);
            if (event.write) writes[event.step] = true;
            else if (!writes[event.step] && !entered[event.step]) entered[event.step] = true, open.push_back(event.step);
        }
        while (!open.empty()) {
            uint32_t step = open.back();
            open.pop_back();
            auto come_from = [&](uint32_t from) {
                reach(from);
                if (!writes[from] && !entered[from]) entered[from] = true, open.push_back(from);
            };
            if (step > 0 && !stops[step - 1]) come_from(step - 1);
            for (uint32_t from : before[step]) come_from(from);
        }
        std::sort(touched.begin(), touched.end());
        for (uint32_t step : touched) {
            std::vector<StepSpan>& found = spans[slot];
            if (!found.empty() && found.back().last + 1 == step) found.back().last = step;
            else found.push_back({step, step});
            alive[step] = writes[step] = entered[step] = false;
        }
        touched.clear();
    }
    for (std::vector<StepSpan>& each : spans)
        if (each.empty()) each.push_back({0, 0});          // never touched: costs a moment
    return spans;
}
} // namespace nereus
