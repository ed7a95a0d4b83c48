#include "pack/occupied.h"
#include <gtest/gtest.h>
#include <random>

namespace nereus {
// The definition: the first multiple of the alignment where no buffer placed before is in the way.
static int64_t walk(const std::vector<PackBuffer>& buffers, const std::vector<int64_t>& offsets, size_t next, int64_t bytes) {
    auto together = [&](const PackBuffer& a, const PackBuffer& b) {
        for (uint32_t step = 0; step < 60; ++step)
            if (a.alive_at(step) && b.alive_at(step)) return true;
        return false;
    };
    for (int64_t at = 0;; at += slot_alignment) {
        bool is_free = true;
        for (size_t i = 0; i < next; ++i)
            is_free &= at + bytes <= offsets[i] || offsets[i] + buffers[i].size <= at || !together(buffers[i], buffers[next]);
        if (is_free) return at;
    }
}

TEST(Occupied, FindsTheLowestPlace) {
    std::mt19937 random(5);
    for (int round = 0; round < 200; ++round) {
        std::vector<PackBuffer> buffers(1 + random() % 60);
        std::vector<std::vector<uint32_t>> more(buffers.size());
        for (size_t i = 0; i < buffers.size(); ++i) {
            buffers[i].size = slot_alignment * int64_t(1 + random() % 5);
            buffers[i].first = random() % 40;
            buffers[i].last = buffers[i].first + random() % (round % 2 ? 20 : 3);
            if (random() % 3 == 0) more[i] = {buffers[i].last + 2, buffers[i].last + 2 + uint32_t(random() % 4)};
            buffers[i].more = more[i];
        }
        Occupied occupied(buffers);
        for (int again = 0; again < 2; ++again) {
            std::vector<int64_t> offsets;
            occupied.clear();
            for (size_t i = 0; i < buffers.size(); ++i) {
                offsets.push_back(occupied.lowest(buffers[i], buffers[i].size));
                EXPECT_EQ(offsets[i], walk(buffers, offsets, i, buffers[i].size));
                occupied.place(buffers[i], offsets[i], buffers[i].size);
            }
        }
    }
}
} // namespace nereus
