#include "emit/lifetimes.h"
#include <gtest/gtest.h>
#include <random>
#include <string>

namespace nereus {
static std::string spans(const Lifetimes& lifetimes, uint32_t slot, uint32_t steps) {
    std::string text;
    std::vector<std::vector<StepSpan>> found = lifetimes.find(8, steps);
    for (StepSpan span : found[slot])
        text += (text.empty() ? "" : " ") + std::to_string(span.first) + "-" + std::to_string(span.last);
    return text;
}

TEST(Lifetimes, FromWriteToLastUse) {
    Lifetimes l;
    l.write(0, 2), l.use(0, 4), l.use(0, 5);
    l.write(0, 8), l.use(0, 9);                          // a new value in the same slot
    EXPECT_EQ(spans(l, 0, 12), "2-5 8-9");
    l.write(1, 3);
    EXPECT_EQ(spans(l, 1, 12), "3-3") << "written in vain";
    l.use(2, 3);
    EXPECT_EQ(spans(l, 2, 12), "0-3") << "never written: from the beginning";
    EXPECT_EQ(spans(l, 3, 12), "0-0");
    l.write(4, 6), l.use(4, 6), l.use(5, 6), l.write(5, 6), l.write(5, 1);
    EXPECT_EQ(spans(l, 4, 12), "6-6") << "read after it was written, in one step";
    EXPECT_EQ(spans(l, 5, 12), "1-6");
}

// 2 forks to the arms 3-5 and 6-8, which meet in 9.
TEST(Lifetimes, ArmsAreNotOneAfterTheOther) {
    Lifetimes l;
    l.jump(2, 6), l.stop(5), l.jump(5, 9);
    l.write(0, 1), l.use(0, 3), l.use(0, 7);             // from before, read in both
    EXPECT_EQ(spans(l, 0, 12), "1-3 6-7");
    l.write(1, 4), l.write(1, 8), l.use(1, 10);          // made in both
    EXPECT_EQ(spans(l, 1, 12), "4-5 8-10");
    l.write(2, 1), l.use(2, 4), l.use(2, 11);            // read after them: alive in both
    EXPECT_EQ(spans(l, 2, 12), "1-11");
}

// 3 is the head of a loop to 7; 8 follows.
TEST(Lifetimes, LoopsGoAround) {
    Lifetimes l;
    l.jump(7, 3), l.stop(7), l.jump(3, 8);
    l.write(0, 1), l.use(0, 5);                          // from before, read in each trip
    EXPECT_EQ(spans(l, 0, 10), "1-7");
    l.write(1, 2), l.use(1, 4), l.write(1, 6), l.use(1, 9);          // carried
    EXPECT_EQ(spans(l, 1, 10), "2-4 6-9");
    l.write(2, 4), l.use(2, 5);                          // within a trip
    EXPECT_EQ(spans(l, 2, 10), "4-5");
}

// The definition, step by step: alive where it is touched, and before a step that it is alive in, unless written there.
TEST(Lifetimes, AnyFlowAgreesWithTheDefinition) {
    std::mt19937 random(3);
    for (int round = 0; round < 500; ++round) {
        constexpr uint32_t steps = 24;
        struct Touch { bool any = false, enters = false, writes = false; } touches[steps];
        bool follows[steps][steps] = {};
        Lifetimes l;
        for (uint32_t step = 0; step + 1 < steps; ++step) {
            follows[step][step + 1] = random() % 8 != 0;
            if (!follows[step][step + 1]) l.stop(step);
        }
        for (uint32_t i = random() % 6; i > 0; --i) {
            uint32_t from = random() % (steps - 1), to = 1 + random() % (steps - 1);
            follows[from][to] = true;
            l.jump(from, to);
        }
        for (uint32_t i = random() % 9; i > 0; --i) {
            uint32_t step = random() % steps;
            bool write = random() % 2;
            if (write) l.write(0, step);
            else l.use(0, step);
            if (!touches[step].writes && !write) touches[step].enters = true;
            touches[step].any = true;
            touches[step].writes |= write;
        }
        bool entered[steps] = {}, alive[steps] = {};
        for (uint32_t step = 0; step < steps; ++step) entered[step] = touches[step].enters, alive[step] = touches[step].any;
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t from = 0; from < steps; ++from)
                for (uint32_t to = 0; to < steps; ++to) {
                    if (!follows[from][to] || !entered[to]) continue;
                    alive[from] = true;
                    if (!touches[from].writes && !entered[from]) entered[from] = changed = true;
                }
        }
        std::string expected;
        for (uint32_t step = 0; step < steps; ++step) {
            if (!alive[step] || (step > 0 && alive[step - 1])) continue;
            uint32_t last = step;
            while (last + 1 < steps && alive[last + 1]) ++last;
            expected += (expected.empty() ? "" : " ") + std::to_string(step) + "-" + std::to_string(last);
        }
        EXPECT_EQ(spans(l, 0, steps), expected.empty() ? "0-0" : expected) << round;
    }
}
} // namespace nereus
