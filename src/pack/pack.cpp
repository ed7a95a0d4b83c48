// Size-first-fit. The buffers placed so far are kept sorted by offset in the front of `order`, so that finding the
// lowest gap for a new one is a single walk over those whose lifetimes meet its own.
#include "pack/pack.h"
#include <algorithm>

namespace nereus {
namespace {
bool round_up(int64_t size, int64_t* out) {
    if (size < 0 || __builtin_add_overflow(size, slot_alignment - 1, out)) return false;
    *out &= ~(slot_alignment - 1);
    return true;
}
bool meet(const PackBuffer& a, const PackBuffer& b) { return a.first <= b.last && b.first <= a.last; }
} // namespace

Result<int64_t> pack(std::span<const PackBuffer> buffers, PackMode mode, std::span<int64_t> offsets,
                     std::span<uint32_t> order) {
    invariant(offsets.size() == buffers.size() && order.size() == buffers.size(), "pack: spans of different length");
    int64_t sum = 0;                                     // bounds every offset below, so that no later sum overflows
    for (size_t i = 0; i < buffers.size(); ++i) {
        int64_t rounded;
        if (!round_up(buffers[i].size, &rounded) || __builtin_add_overflow(sum, rounded, &sum))
            return Error{Code::memory, "the sizes of the program's buffers overflow"};
        order[i] = uint32_t(i);
        offsets[i] = sum - rounded;
    }
    if (mode == PackMode::apart) return sum;

    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        if (buffers[a].low != buffers[b].low) return buffers[a].low;
        if (buffers[a].size != buffers[b].size) return buffers[a].size > buffers[b].size;
        return a < b;
    });
    int64_t total = 0;
    for (size_t placed = 0; placed < order.size(); ++placed) {
        uint32_t next = order[placed];
        int64_t size = 0, at = 0;
        round_up(buffers[next].size, &size);
        for (size_t i = 0; i < placed; ++i) {            // by offset
            const PackBuffer& other = buffers[order[i]];
            if (!meet(other, buffers[next])) continue;
            if (offsets[order[i]] >= at + size) break;
            int64_t other_size = 0;
            round_up(other.size, &other_size);
            at = std::max(at, offsets[order[i]] + other_size);
        }
        offsets[next] = at;
        total = std::max(total, at + size);
        size_t i = placed;
        for (; i > 0 && offsets[order[i - 1]] > at; --i) order[i] = order[i - 1];
        order[i] = next;
    }
    return total;
}

int64_t max_live(std::span<const PackBuffer> buffers) {
    int64_t most = 0;
    for (const PackBuffer& at : buffers) {               // the maximum is reached when some buffer begins
        int64_t live = 0;
        for (const PackBuffer& other : buffers)
            if (other.first <= at.first && at.first <= other.last) live += other.size;
        most = std::max(most, live);
    }
    return most;
}
} // namespace nereus
