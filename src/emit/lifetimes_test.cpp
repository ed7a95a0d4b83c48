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
    l.enter(Lifetimes::Kind::branch), l.part(3), l.part(6), l.leave(8);
    l.write(0, 1), l.use(0, 3), l.use(0, 7);             // from before, read in both
    EXPECT_EQ(spans(l, 0, 12), "1-3 6-7");
    l.write(1, 4), l.write(1, 8), l.use(1, 10);          // made in both
    EXPECT_EQ(spans(l, 1, 12), "4-5 8-10");
    l.write(2, 1), l.use(2, 4), l.use(2, 11);            // read after them: alive in both
    EXPECT_EQ(spans(l, 2, 12), "1-11");
}

// 3 is the head of a loop with the body 4-7; 8 follows.
TEST(Lifetimes, LoopsGoAround) {
    Lifetimes l;
    l.enter(Lifetimes::Kind::loop), l.part(3), l.part(4), l.leave(7);
    l.write(0, 1), l.use(0, 5);                          // from before, read in each trip
    EXPECT_EQ(spans(l, 0, 10), "1-7");
    l.write(1, 2), l.use(1, 4), l.write(1, 6), l.use(1, 9);          // carried
    EXPECT_EQ(spans(l, 1, 10), "2-4 6-9");
    l.write(2, 4), l.use(2, 5);                          // within a trip
    EXPECT_EQ(spans(l, 2, 10), "4-5");
}

// Random code, told to lifetimes, and which step can follow which.
struct RandomCode {
    static constexpr uint32_t most = 60;
    std::mt19937 random;
    Lifetimes lifetimes;
    uint32_t steps = 1;                                  // so far
    bool follows[most][most] = {};

    uint32_t step(std::vector<uint32_t> before) {
        for (uint32_t from : before) follows[from][steps] = true;
        return steps++;
    }
    uint32_t sequence(uint32_t last, int depth) {        // after the step `last`; returns its own last step
        for (uint32_t count = 1 + random() % 3; count > 0; --count) {
            const uint32_t kind = depth > 3 || steps > most / 2 ? 0 : random() % 4;
            if (kind < 2) {
                last = step({last});
            } else if (kind == 2) {
                lifetimes.enter(Lifetimes::Kind::branch);
                std::vector<uint32_t> ends;
                for (uint32_t arm = 0; arm < 2; ++arm) {
                    lifetimes.part(steps);
                    ends.push_back(sequence(step({last}), depth + 1));
                }
                lifetimes.leave(steps - 1);
                last = step(ends);
            } else {
                lifetimes.enter(Lifetimes::Kind::loop);
                const uint32_t head = steps;
                lifetimes.part(head);
                const uint32_t exit = sequence(step({last}), depth + 1);
                lifetimes.part(steps);
                follows[sequence(step({exit}), depth + 1)][head] = true;
                lifetimes.leave(steps - 1);
                last = step({exit});
            }
            if (steps + 16 > most) break;
        }
        return last;
    }
};

// The definition, step by step: alive where it is touched, and before a step that it is alive in, unless written there.
TEST(Lifetimes, AnyCodeAgreesWithTheDefinition) {
    for (unsigned round = 0; round < 2000; ++round) {
        RandomCode code{.random = std::mt19937(round)};
        code.sequence(0, 0);
        const uint32_t steps = code.steps;
        ASSERT_LE(steps, RandomCode::most);
        struct { bool any = false, enters = false, writes = false; } touches[RandomCode::most];
        for (uint32_t i = code.random() % 9; i > 0; --i) {
            uint32_t step = code.random() % steps;
            bool write = code.random() % 2;
            if (write) code.lifetimes.write(0, step);
            else code.lifetimes.use(0, step);
            if (!touches[step].writes && !write) touches[step].enters = true;
            touches[step].any = true;
            touches[step].writes |= write;
        }
        std::vector<bool> entered(steps), alive(steps);
        for (uint32_t step = 0; step < steps; ++step) entered[step] = touches[step].enters, alive[step] = touches[step].any;
        for (bool changed = true; changed;) {
            changed = false;
            for (uint32_t from = 0; from < steps; ++from)
                for (uint32_t to = 0; to < steps; ++to) {
                    if (!code.follows[from][to] || !entered[to]) continue;
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
        EXPECT_EQ(spans(code.lifetimes, 0, steps), expected.empty() ? "0-0" : expected) << round;
    }
}
} // namespace nereus
