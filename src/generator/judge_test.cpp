#include "generator/judge.h"
#include <gtest/gtest.h>

namespace nereus::gen {
namespace {
// A loop that is interpreted in time, and whose gradient by closures is not.
Case long_loop(int trips, const std::string& step) {
    return {.text = step + "def @loss(%x: Tensor[(n), f64]) -> f64 {\n  for %i in " + std::to_string(trips) + R"(, (%s = 0.0) { @step(%s, %x) }
}
def @main(%x: Tensor[(n), f64]) {
  value_and_grad(@loss)(%x)
}
)", .only = {{Value::tensor(HostTensor::of<double>({2}, {0.5, -0.25}))}}};
}

// As long as can be interpreted: shapes make some more steps of it.
TEST(Judge, LeavesOutWhatTakesTooLong) {
    const Verdict verdict = judge(long_loop(6000, "def @step(%s: f64, %x: Tensor[(n), f64]) -> f64 {\n  0.5 * %s + sum(%x)\n}\n"));
    EXPECT_FALSE(verdict.finding) << verdict.finding->kind;
    EXPECT_GT(verdict.too_long, 0);
    EXPECT_EQ(verdict.gradients, 1);
}
// A gradient that is given with the function, and is wrong where there are elements.
constexpr const char* wrong_step = R"(def @forward(%s: f64, %x: Tensor[(n), f64]) -> (f64, Tensor[(n), f64]) {
  (0.5 * %s + sum(%x), %x)
}
def @backward(%x: Tensor[(n), f64], %g: f64) -> (f64, Tensor[(n), f64]) {
  (0.5 * %g, 0.9 * %g + 0.0 * %x)
}
def @step(%s: f64, %x: Tensor[(n), f64]) -> f64 with vjp = (@forward, @backward) {
  0.5 * %s + sum(%x)
}
)";
TEST(Judge, ComparesTheRestOfWhatTakesTooLong) {
    const Verdict verdict = judge(long_loop(3300, wrong_step));
    EXPECT_GT(verdict.too_long, 0);
    ASSERT_TRUE(verdict.finding);
    EXPECT_EQ(verdict.finding->kind, "gradient is not the difference");
}
// What an earlier call left behind may be why a later one goes wrong.
TEST(Judge, NamesAllCallsUntilTheOneThatGoesWrong) {
    Case c = long_loop(2, wrong_step);
    c.only = {{Value::tensor(HostTensor::of<double>({0}, {}))}, c.only[0], c.only[0]};
    const Verdict verdict = judge(c);
    ASSERT_TRUE(verdict.finding);
    EXPECT_EQ(verdict.finding->calls.size(), 2u);
    EXPECT_TRUE(verdict.finding->inputs.starts_with("[{")) << verdict.finding->inputs;
}
} // namespace
} // namespace nereus::gen
