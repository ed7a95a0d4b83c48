#include "generator/rounding.h"
#include "driver/compile.h"
#include "generator/judge.h"
#include <gtest/gtest.h>

namespace nereus::gen {
namespace {
Value number(double x) { return Value::tensor(HostTensor::scalar(x)); }
Value whole(int64_t x) { return Value::tensor(HostTensor::scalar(x)); }
Module typed(const std::string& body) {
    Result<Module> parsed = parse_text("p.nr", "def @main(%s: f64) {\n" + body + "\n}\n", nullptr);
    if (!parsed) ADD_FAILURE() << parsed.error().message;
    Result<Module> module = run_until(std::move(*parsed), "specialise", {});
    if (!module) ADD_FAILURE() << module.error().message;
    return std::move(*module);
}
bool decides(const std::string& body, Outcome found, double s = 0.25) {
    std::mt19937_64 random(1);
    const std::vector<Value> args = {number(s)};
    return rounding_decides(typed(body), args, found, Precision::f32, random);
}

// 0.3 is rounded, and so are its sums: 100 of them are a little more or less than 30.
const std::string border = "cast(sum(full([10, 10], 0.3)), i64)";
TEST(Rounding, OfLiteralsDecidesAtABorder) {
    EXPECT_TRUE(decides(border, {whole(29), {}}));
    EXPECT_TRUE(decides(border, {whole(30), {}}));
    EXPECT_TRUE(decides("cast(sum(full([10, 10], 0.3 + 0.0 * %s)), i64)", {whole(29), {}}));
    EXPECT_TRUE(decides("cast(sum(full([10, 10], 0.3 + 0.0 * %s)), i64)", {whole(30), {}}));
    EXPECT_TRUE(decides("print(\"p\", " + border + ")\n%s", {number(0.25), {"p i64 29"}}));
    EXPECT_TRUE(decides("print(\"p\", " + border + ")\n%s", {number(0.25), {"p i64 30"}}));
}
TEST(Rounding, DecidesNoOtherValue) {
    EXPECT_FALSE(decides(border, {whole(28), {}}));
    EXPECT_FALSE(decides(border, {whole(31), {}}));
    EXPECT_FALSE(decides(border, {Error{Code::value, "index out of range"}, {}}));
    EXPECT_FALSE(decides("print(\"p\", " + border + ")\n%s", {number(0.25), {"p i64 28"}}));
    EXPECT_FALSE(decides("print(\"p\", " + border + ")\n%s", {number(0.75), {"p i64 29"}}));
    EXPECT_FALSE(decides("print(\"p\", " + border + ")\n%s", {number(0.25), {}}));
}
// The error must be the one that the other number leads to.
TEST(Rounding, DecidesWhetherSomethingFails) {
    const std::string fails_or_not = "[1, 2][" + border + " - 29]";
    EXPECT_FALSE(decides(fails_or_not, {Error{Code::value, "index 2 is out of range"}, {}}));
    const std::string at_the_end = "[1, 2][" + border + " - 28]";
    EXPECT_TRUE(decides(at_the_end, {Error{Code::value, "index 2 is out of range"}, {}}));
    EXPECT_FALSE(decides(at_the_end, {Error{Code::memory, "out of memory"}, {}}));
}
TEST(Rounding, DecidesNothingThatIsExact) {
    EXPECT_FALSE(decides("cast(2.0, i64)", {whole(1), {}}));
    EXPECT_FALSE(decides("cast(sum(full([10, 10], 0.75)), i64)", {whole(74), {}}));
}
TEST(Rounding, KeepsEqualLiteralsEqual) {
    EXPECT_FALSE(decides("if (0.3 < 0.3) { 1 } else { 0 }", {whole(1), {}}));
    EXPECT_FALSE(decides("if (0.3 - 0.3 == 0.0) { 1 } else { 0 }", {whole(0), {}}));
    EXPECT_FALSE(decides("if (-0.3 + 0.3 == 0.0) { 1 } else { 0 }", {whole(0), {}}));
}
TEST(Rounding, OfInputsDecides) {
    EXPECT_TRUE(decides("cast(3.0 * %s, i64)", {whole(2), {}}, 1.0));
    EXPECT_FALSE(decides("cast(3.0 * %s, i64)", {whole(2), {}}, 1.1));
}

// What random programs brought: compiled code sums in another order.
TEST(Rounding, OfLiteralsIsNoFinding) {
    const Verdict verdict = judge({.text = R"(def @main(%y: Tensor[(m), f64]) {
  cast(sum(sum_to(sum((full([m, (2 * m), 1], 0.3) + sum(full([m, (2 * m), 1], 0.3), axes=[0], keepdims=true)), axes=[2]), [1])), i64)
}
)", .only = {{Value::tensor(*HostTensor::make(DType::f64, {5}))}}});
    EXPECT_FALSE(verdict.finding) << verdict.finding->what;
}
} // namespace
} // namespace nereus::gen
