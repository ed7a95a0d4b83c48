// Each slot on its own, backwards from touch to touch. What lies between two of them, and has none inside, is passed at once,
// so the work is that of the touches and of what they are nested in, however long the code is.
#include "emit/lifetimes.h"
#include <algorithm>
#include <span>

namespace nereus {
namespace {
struct Touch { uint32_t step; bool enters; };              // enters: it is read before it is written, so it is alive before
using Touches = std::span<const Touch>;                    // ascending

size_t first_at(Touches touches, uint32_t step) {
    return size_t(std::lower_bound(touches.begin(), touches.end(), step, [](Touch t, uint32_t wanted) { return t.step < wanted; }) - touches.begin());
}

class SlotWalk {
 public:
    // Where the slot is alive, descending. `live`: behind the part; returns whether it is alive when the part begins.
    bool part(const Lifetimes::Part& part, Touches touches, bool live) {
        uint32_t end = part.span.last + 1;                 // all from here on is done
        while (!touches.empty()) {
            const Lifetimes::Region* region = inside(part, touches.back().step);
            const StepSpan at = region ? region->span() : StepSpan{touches.back().step, touches.back().step};
            if (live) found(at.last + 1, end);
            const size_t before = region ? first_at(touches, at.first) : touches.size() - 1;
            if (!region) found(at.first, at.last + 1);
            live = region ? this->region(*region, touches.subspan(before), live) : touches.back().enters;
            touches = touches.first(before);
            end = at.first;
        }
        if (live) found(part.span.first, end);
        return live;
    }
    std::vector<StepSpan> spans;

 private:
    static const Lifetimes::Region* inside(const Lifetimes::Part& part, uint32_t step) {
        auto next = std::upper_bound(part.inside.begin(), part.inside.end(), step,
                                     [](uint32_t wanted, const Lifetimes::Region& r) { return wanted < r.span().first; });
        return next != part.inside.begin() && step <= std::prev(next)->span().last ? &*std::prev(next) : nullptr;
    }
    bool region(const Lifetimes::Region& region, Touches touches, bool live) {
        if (region.kind == Lifetimes::Kind::loop) return loop(region.parts[0], region.parts[1], touches, live);
        bool enters = false;
        for (size_t i = region.parts.size(); i-- > 0;) {
            const size_t before = first_at(touches, region.parts[i].span.first);
            enters |= part(region.parts[i], touches.subspan(before), live);
            touches = touches.first(before);
        }
        return enters;
    }
    // Behind the body comes the head, so whether that begins alive is asked before.
    bool loop(const Lifetimes::Part& head, const Lifetimes::Part& body, Touches touches, bool live) {
        const size_t before = first_at(touches, body.span.first);
        const Touches in_head = touches.first(before), in_body = touches.subspan(before);
        ++asking_;
        const bool enters = part(head, in_head, part(body, in_body, false) || live);
        --asking_;
        if (asking_ == 0) part(head, in_head, part(body, in_body, enters) || live);
        return enters;
    }
    void found(uint32_t first, uint32_t end) {
        if (asking_ == 0 && first < end) spans.push_back({first, end - 1});
    }
    int asking_ = 0;                                       // above 0: nothing is written down
};
} // namespace

void Lifetimes::part(uint32_t first) {
    std::vector<Part>& parts = open_.back().parts;
    if (!parts.empty()) parts.back().span.last = first - 1;
    parts.push_back({{first, first}, {}});
}

void Lifetimes::leave(uint32_t last) {
    Region done = std::move(open_.back());
    open_.pop_back();
    done.parts.back().span.last = last;
    (open_.empty() ? top_ : open_.back().parts.back().inside).push_back(std::move(done));
}

std::vector<std::vector<StepSpan>> Lifetimes::find(uint32_t slots, uint32_t steps) const {
    std::vector<Event> events = events_;
    std::sort(events.begin(), events.end(), [](const Event& a, const Event& b) {
        return a.slot != b.slot ? a.slot < b.slot : a.step != b.step ? a.step < b.step : a.order < b.order;
    });
    const Part all{{0, steps - 1}, top_};
    std::vector<std::vector<StepSpan>> spans(slots);
    std::vector<Touch> touches;
    for (size_t i = 0; i < events.size();) {
        const uint32_t slot = events[i].slot;
        touches.clear();
        for (; i < events.size() && events[i].slot == slot; ++i)
            if (touches.empty() || touches.back().step != events[i].step) touches.push_back({events[i].step, !events[i].write});
        SlotWalk walk;
        walk.part(all, touches, false);
        for (size_t k = walk.spans.size(); k-- > 0;) {
            std::vector<StepSpan>& merged = spans[slot];
            if (!merged.empty() && walk.spans[k].first == merged.back().last + 1) merged.back().last = walk.spans[k].last;
            else merged.push_back(walk.spans[k]);
        }
    }
    for (std::vector<StepSpan>& each : spans)
        if (each.empty()) each.push_back({0, 0});          // never touched: costs a moment
    return spans;
}
} // namespace nereus
