#include "generator/refusal.h"
#include "driver/compile.h"
#include "generator/judge.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace nereus::gen {
namespace {
// Input of a call with x of n numbers, y of m, and c.
std::vector<Value> call(size_t n, size_t m, bool c) {
    auto vector = [](size_t size) { return Value::tensor(*HostTensor::make(DType::f64, {int64_t(size)})); };
    return {vector(n), vector(m), Value::tensor(HostTensor::scalar(c))};
}
const std::vector<std::vector<Value>> calls = {call(3, 3, true), call(3, 3, false), call(2, 3, true), call(2, 4, false), call(0, 1, true)};

// A program, and the place in it that « and » enclose; the calls that lead there are enclosed by ‹ and ›, the outermost first.
struct Refused {
    explicit Refused(std::string text) {
        error = {.code = Code::shape, .message = "never fits", .where = cut(text, "«", "»")};
        while (text.find("‹") != text.npos) error.notes.insert(error.notes.begin(), {cut(text, "‹", "›"), "called here"});
        Result<Module> parsed = parse_text("p.nr", text, nullptr);
        if (!parsed) ADD_FAILURE() << parsed.error().message;
        Result<Module> typed = run_until(std::move(*parsed), "specialise", {});
        if (!typed) ADD_FAILURE() << typed.error().message;
        module = std::move(*typed);
    }
    Span cut(std::string& text, const std::string& open, const std::string& close) {
        const size_t begin = text.find(open);
        text.erase(begin, open.size());
        const size_t end = text.find(close);
        text.erase(end, close.size());
        const size_t line = text.rfind('\n', begin) + 1;         // npos + 1 is 0
        return {0, int32_t(1 + std::count(text.begin(), text.begin() + int64_t(begin), '\n')), int32_t(1 + begin - line), int32_t(end - begin)};
    }
    bool always_fails() const { return fails_wherever_reached(module, error, calls); }
    Module module;
    Error error;
};
const std::string main_head = "def @main(%x: Tensor[(n), f64], %y: Tensor[(m), f64], %c: bool) {\n  ";

TEST(Refusal, IsRightInAnArmThatFailsWhenTaken) {
    EXPECT_TRUE(Refused(main_head + "if (%c) { sum(«full([n + 2], 0.5) + full([n + 4], 0.5)») } else { 0.5 }\n}\n").always_fails());
}
TEST(Refusal, IsWrongIfSomeInputFits) {
    EXPECT_FALSE(Refused(main_head + "if (%c) { sum(«%x + %y») } else { 0.5 }\n}\n").always_fails());
}
TEST(Refusal, IsWrongIfSomethingElseFails) {
    const std::string fails = "sum(full([n + 2], 0.5) + full([n + 4], 0.5))";
    EXPECT_FALSE(Refused(main_head + "%d = «%x * 2.0»\n  if (%c) { " + fails + " } else { 0.5 }\n}\n").always_fails());
    EXPECT_FALSE(Refused(main_head + "%f = fn(%v: Tensor[(n), f64]) { " + fails + " }\n  if (%c) { «%f(%x)» } else { 0.5 }\n}\n").always_fails());
}
// What it is computed from fails before it, whenever the arm is taken.
TEST(Refusal, IsRightWhereItsOperandsFailFirst) {
    const std::string none = "%none = full([n - n], 0.5)\n  ";
    EXPECT_TRUE(Refused(main_head + none + "if (%c) { «%none[mod(n, n - n)]» } else { 0.5 }\n}\n").always_fails());
    EXPECT_FALSE(Refused(main_head + "if (%c) { «%x[mod(m, n)]» } else { 0.5 }\n}\n").always_fails());        // only where n is 0
    EXPECT_FALSE(Refused(main_head + none + "if (%c) { %d = %none[mod(n, n - n)]; sum(«%x * 2.0») + %d } else { 0.5 }\n}\n").always_fails());
}
TEST(Refusal, ShowsNothingWhereNoInputComes) {
    EXPECT_FALSE(Refused(main_head + "if (n > 5) { sum(«full([n + 2], 0.5) + full([n + 4], 0.5)») } else { 0.5 }\n}\n").always_fails());
}
// Other calls of the same function go well; the ones that the error names do not.
TEST(Refusal, IsAboutTheCallsThatItNames) {
    const std::string both = "def @both(%a, %b) {\n  sum(«%a + %b»)\n}\n";
    const std::string fits = "@both(%x, %x)", fails = "@both(full([n + 2], 0.5), full([n + 4], 0.5))";
    EXPECT_TRUE(Refused(both + main_head + "%d = " + fits + "\n  if (%c) { ‹" + fails + "› } else { 0.5 }\n}\n").always_fails());
    EXPECT_FALSE(Refused(both + main_head + "%d = ‹" + fits + "›\n  if (%c) { " + fails + " } else { 0.5 }\n}\n").always_fails());
}

// The compiler's own words, from a program that random ones brought.
TEST(Refusal, CountsAsRefused) {
    const Verdict verdict = judge({.text = R"(type Tree[a] = Leaf(a) | Node(Tree[a], Tree[a])
def @fold_tree(%f: fn(a) -> b, %g: fn(b, b) -> b, %t: Tree[a]) -> b {
  match (%t) { Leaf(%v) => %f(%v), Node(%l, %r) => %g(@fold_tree(%f, %g, %l), @fold_tree(%f, %g, %r)) }
}
def @main(%y: Tensor[(m), f64], %c: bool) {
  %sum = fn(%a: f64, %b: f64) { %a + %b }
  %fits = @fold_tree((fn(%v: Tensor[(m), f64]) { sum(%v) }), %sum, Leaf(%y))
  %longer = fn(%v: Tensor[((m + 1)), f64]) { 0.5 }
  if (%c) { @fold_tree(%longer, %sum, Leaf(%y)) } else { %fits }
}
)"});
    EXPECT_TRUE(verdict.refused);
    EXPECT_FALSE(verdict.finding) << verdict.finding->what;
}
TEST(Refusal, OfAnIndexIntoNothingCounts) {
    const Verdict verdict = judge({.text = R"(def @main(%y: Tensor[(m), f64], %k: i64, %c: bool) {
  %rows = topk(full([m, m, 3], 0.5), minimum(3, mod(0, 4)), axis=2).0
  if (%c) { full([shape_of(%rows)[2]], 0.5)[mod(%k, shape_of(%rows)[2])] } else { 0.5 }
}
)"});
    EXPECT_TRUE(verdict.refused);
    EXPECT_FALSE(verdict.finding) << verdict.finding->what;
}
} // namespace
} // namespace nereus::gen
