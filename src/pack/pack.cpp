// First fit in three orders, the best one kept: by size, by birth, and by death from the end on. Few buffers are kept sorted
// by offset in the front of `order` once they are placed, so that finding the lowest gap for a new one is a single walk over
// those whose lifetimes meet its own; many are looked up in a tree.
#include "pack/pack.h"
#include "pack/occupied.h"
#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

namespace nereus {
namespace {
bool round_up(int64_t size, int64_t* out) {
    if (size < 0 || __builtin_add_overflow(size, slot_alignment - 1, out)) return false;
    *out &= ~(slot_alignment - 1);
    return true;
}
int64_t rounded(const PackBuffer& buffer) { return (buffer.size + slot_alignment - 1) & ~(slot_alignment - 1); }
size_t spans(const PackBuffer& b) { return 1 + b.more.size() / 2; }
uint32_t first(const PackBuffer& b, size_t span) { return span == 0 ? b.first : b.more[2 * span - 2]; }
uint32_t last(const PackBuffer& b, size_t span) { return span == 0 ? b.last : b.more[2 * span - 1]; }

bool meet(const PackBuffer& a, const PackBuffer& b) {
    for (size_t i = 0, j = 0; i < spans(a) && j < spans(b);) {
        if (last(a, i) < first(b, j)) ++i;
        else if (last(b, j) < first(a, i)) ++j;
        else return true;
    }
    return false;
}

enum class Order : uint8_t { size, birth, death };
constexpr size_t few = 512;                              // up to here a walk is faster

void sort(std::span<const PackBuffer> buffers, Order by, std::span<uint32_t> order) {
    for (size_t i = 0; i < buffers.size(); ++i) order[i] = uint32_t(i);
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
        if (buffers[a].low != buffers[b].low) return buffers[a].low;
        if (by == Order::birth && buffers[a].first != buffers[b].first) return buffers[a].first < buffers[b].first;
        uint32_t death_a = last(buffers[a], spans(buffers[a]) - 1), death_b = last(buffers[b], spans(buffers[b]) - 1);
        if (by == Order::death && death_a != death_b) return death_a > death_b;
        if (buffers[a].size != buffers[b].size) return buffers[a].size > buffers[b].size;
        return a < b;
    });
}

int64_t first_fit_of_many(std::span<const PackBuffer> buffers, Occupied& occupied, std::span<int64_t> offsets,
                          std::span<const uint32_t> order) {
    int64_t total = 0;
    occupied.clear();
    for (uint32_t next : order) {
        int64_t size = rounded(buffers[next]);
        offsets[next] = occupied.lowest(buffers[next], size);
        occupied.place(buffers[next], offsets[next], size);
        total = std::max(total, offsets[next] + size);
    }
    return total;
}

int64_t first_fit_of_few(std::span<const PackBuffer> buffers, std::span<int64_t> offsets, std::span<uint32_t> order) {
    int64_t total = 0;
    for (size_t placed = 0; placed < order.size(); ++placed) {
        uint32_t next = order[placed];
        int64_t size = rounded(buffers[next]), at = 0;
        for (size_t i = 0; i < placed; ++i) {            // by offset
            const PackBuffer& other = buffers[order[i]];
            if (!meet(other, buffers[next])) continue;
            if (offsets[order[i]] >= at + size) break;
            at = std::max(at, offsets[order[i]] + rounded(other));
        }
        offsets[next] = at;
        total = std::max(total, at + size);
        size_t i = placed;
        for (; i > 0 && offsets[order[i - 1]] > at; --i) order[i] = order[i - 1];
        order[i] = next;
    }
    return total;
}

int64_t max_sum(std::span<const PackBuffer> buffers, int64_t (*bytes)(const PackBuffer&)) {
    std::vector<std::pair<uint64_t, int64_t>> changes;   // from a step on; what ends there comes before what begins
    for (const PackBuffer& buffer : buffers)
        for (size_t span = 0; span < spans(buffer); ++span) {
            changes.emplace_back(first(buffer, span), bytes(buffer));
            changes.emplace_back(uint64_t(last(buffer, span)) + 1, -bytes(buffer));
        }
    std::sort(changes.begin(), changes.end());
    int64_t live = 0, most = 0;
    for (auto [step, change] : changes) most = std::max(most, live += change);
    return most;
}
} // namespace

bool PackBuffer::alive_at(uint32_t step) const {
    for (size_t span = 0; span < spans(*this); ++span)
        if (nereus::first(*this, span) <= step && step <= nereus::last(*this, span)) return true;
    return false;
}

Result<int64_t> pack(std::span<const PackBuffer> buffers, PackMode mode, std::span<int64_t> offsets,
                     std::span<uint32_t> order) {
    invariant(offsets.size() == buffers.size() && order.size() == buffers.size(), "pack: spans of different length");
    int64_t sum = 0;                                     // bounds every offset, so that no later sum overflows
    for (size_t i = 0; i < buffers.size(); ++i) {
        int64_t size;
        if (!round_up(buffers[i].size, &size) || __builtin_add_overflow(sum, size, &sum))
            return Error{Code::memory, "the sizes of the program's buffers overflow"};
        offsets[i] = sum - size;
    }
    if (mode == PackMode::apart) return sum;
    std::optional<Occupied> occupied;
    if (buffers.size() > few) occupied.emplace(buffers);
    auto first_fit = [&](Order by) {
        sort(buffers, by, order);
        return occupied ? first_fit_of_many(buffers, *occupied, offsets, order) : first_fit_of_few(buffers, offsets, order);
    };
    if (mode == PackMode::pool) return first_fit(Order::birth);
    const int64_t bound = max_sum(buffers, rounded);     // none can be smaller
    Order best = Order::size;
    int64_t least = INT64_MAX, total = 0;
    for (Order by : {Order::size, Order::birth, Order::death}) {
        total = first_fit(by);
        if (total == bound) return total;
        if (total < least) least = total, best = by;
    }
    return total == least ? total : first_fit(best);
}

int64_t max_live(std::span<const PackBuffer> buffers) {
    return max_sum(buffers, [](const PackBuffer& buffer) { return buffer.size; });
}
} // namespace nereus
