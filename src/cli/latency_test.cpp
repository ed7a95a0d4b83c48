#include "cli/latency.h"
#include "run/progress.h"
#include <gtest/gtest.h>
#include <numeric>

namespace nereus {
namespace {
TEST(Latency, PercentilesAreTimesOfCalls) {
    std::vector<double> ms(100);
    std::iota(ms.rbegin(), ms.rend(), 1);                // 100 … 1
    const Latency l = latency_of(ms);
    EXPECT_EQ(l.min, 1);
    EXPECT_EQ(l.mean, 50.5);
    EXPECT_EQ(l.p50, 50);
    EXPECT_EQ(l.p90, 90);
    EXPECT_EQ(l.p99, 99);
    EXPECT_EQ(latency_of({7}).p99, 7);
    EXPECT_EQ(latency_of({7}).p50, 7);
    EXPECT_EQ(latency_of({1, 9}).p50, 1);
    EXPECT_EQ(latency_of({}).mean, 0);
}
TEST(Progress, OneLine) {
    EXPECT_EQ(progress_line("compiling", "codegen", 6, 12, 3, 200), "compiling [############............] 6/12 codegen, 3 s");
    EXPECT_EQ(progress_line("checking", "", 0, 0, 61, 200), "checking, 61 s");
    EXPECT_EQ(progress_line("x", "y", 30, 12, 1, 200), "x [########################] 30/12 y, 1 s");
    EXPECT_EQ(progress_line("compiling", "codegen", 6, 12, 1, 15), "compiling [####");
}
TEST(Progress, NothingWithoutATerminal) {
    testing::internal::CaptureStderr();                  // which is a file
    Progress progress("waiting");
    EXPECT_FALSE(progress.reporter());
    progress.show("x", 1, 2);
    progress.clear();
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}
} // namespace
} // namespace nereus
