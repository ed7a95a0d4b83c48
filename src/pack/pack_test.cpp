#include "pack/pack.h"
#include <gtest/gtest.h>
#include <random>

namespace nereus {
static int64_t place(const std::vector<PackBuffer>& buffers, std::vector<int64_t>& offsets, PackMode mode = PackMode::packed) {
    offsets.resize(buffers.size());
    std::vector<uint32_t> order(buffers.size());
    return *pack(buffers, mode, offsets, order);
}

TEST(Pack, DisjointLifetimesShare) {
    std::vector<int64_t> offsets;
    EXPECT_EQ(place({{128, 0, 1}, {128, 2, 3}}, offsets), 128);
    EXPECT_EQ(offsets[0], offsets[1]);
    EXPECT_EQ(place({{128, 0, 1}, {128, 2, 3}}, offsets, PackMode::apart), 256);
}

TEST(Pack, LowBuffersComeFirst) {
    std::vector<int64_t> offsets;
    place({{4096, 0, 5}, {64, 0, 5, true}}, offsets);
    EXPECT_EQ(offsets[1], 0);
}

TEST(Pack, RandomBuffersAliveTogetherNeverOverlap) {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        std::vector<PackBuffer> buffers(1 + random() % (round % 30 ? 40 : 1000));
        for (PackBuffer& b : buffers) {
            b.size = int64_t(random() % 1000);
            b.first = random() % 30;
            b.last = b.first + random() % 8;
            b.low = random() % 4 == 0;
        }
        std::vector<int64_t> offsets;
        int64_t pool = place(buffers, offsets, PackMode::pool), apart = place(buffers, offsets, PackMode::apart);
        PackMode mode = round % 2 ? PackMode::packed : PackMode::pool;
        int64_t total = place(buffers, offsets, mode);
        EXPECT_GE(total, max_live(buffers));
        EXPECT_LE(total, pool);
        EXPECT_LE(pool, apart);
        for (size_t i = 0; i < buffers.size(); ++i) {
            EXPECT_EQ(offsets[i] % slot_alignment, 0);
            EXPECT_LE(offsets[i] + buffers[i].size, total);
            for (size_t j = 0; j < i; ++j) {
                bool together = buffers[i].first <= buffers[j].last && buffers[j].first <= buffers[i].last;
                bool disjoint = offsets[i] + buffers[i].size <= offsets[j] || offsets[j] + buffers[j].size <= offsets[i];
                EXPECT_TRUE(!together || disjoint || buffers[i].size == 0 || buffers[j].size == 0);
            }
        }
    }
}

TEST(Pack, OverflowIsAnError) {
    std::vector<PackBuffer> buffers = {{INT64_MAX - 10, 0, 1}, {1000, 0, 1}};
    std::vector<int64_t> offsets(2);
    std::vector<uint32_t> order(2);
    EXPECT_EQ(pack(buffers, PackMode::packed, offsets, order).error().code, Code::memory);
}
} // namespace nereus
