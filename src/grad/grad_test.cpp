// The forms of grad: what is taken, what is given back, what is refused.
#include "grad/gradient_testing.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
struct Shown { const char* program; const char* result; };

TEST(Grad, Forms) {
    const Shown cases[] = {
        {"def @main() { grad(fn(%x) { %x * %x })(3.0) }", "f32 6"},
        {"def @f(%x, %y) { %x * %y }\ndef @main() { grad(@f)(3.0, 4.0) }", "(f32 4, f32 3)"},
        {"def @f(%x, %y) { %x * %y }\ndef @main() { grad(@f, wrt=[1])(3.0, 4.0) }", "f32 3"},
        {"def @f(%x, %y, %z) { %x * %y * %z }\ndef @main() { grad(@f, wrt=[2, 0])(3.0, 4.0, 5.0) }", "(f32 12, f32 20)"},
        {"def @f(%x) { %x * %x }\ndef @main() { grad(@f, mode=\"closures\")(3.0) }", "f32 6"},
        {"def @f(%x) { %x * %x }\ndef @main() { value_and_grad(@f)(3.0) }", "(f32 9, f32 6)"},
        {"def @f(%x, %y) { %x * %y }\ndef @main() { value_and_grad(@f)(3.0, 4.0) }", "(f32 12, (f32 4, f32 3))"},
        {"def @f(%x) { (%x * %x, 2) }\ndef @main() { vjp(@f)(tensor([3.0, 4.0]), (tensor([1.0, 10.0]), 0)) }", "Tensor[(2), f32] [6, 80]"},
        {"def @main() { %g = grad(fn(%x) { %x * %x * %x })\n(%g(1.0), %g(2.0)) }", "(f32 3, f32 12)"},
        {"def @apply(%f, %x) { %f(%x) }\ndef @main() { @apply(grad(fn(%x) { exp(%x) * 0.0 + %x }), 1.0) }", "f32 1"},
    };
    for (const Shown& c : cases) EXPECT_EQ(shown(c.program), c.result) << c.program;
}

TEST(Grad, ResultsHaveTheParametersType) {
    const Shown cases[] = {
        {"type P = {w: f32, n: i64, b: bool}\ndef @main() { grad(fn(%p: P) { %p.w * %p.w })({w = 3.0, n = 7, b = true}) }",
         "{w = f32 6, n = i64 0, b = bool false}"},
        {"type T[a] = Leaf(a) | Node(T[a], T[a]) | Other(i64)\ndef @left(%t) { match (%t) { Leaf(%v) => %v, Node(%l, _) => @left(%l), Other(_) => 1.0 } }\n"
         "def @main() { grad(@left)(Node(Leaf(2.0), Node(Other(4), Leaf(3.0)))) }",
         "Node(Leaf(f32 1), Node(Other(i64 0), Leaf(f32 0)))"},
        {"def @main() { grad(fn(%s) { %s[1] * %s[1] })([1.0, 2.0, 3.0]) }", "[f32 0, f32 4, f32 0]"},
        {"def @main() { grad(fn(%x, %i) { sum(%x[%i]) })(tensor([[1.0, 2.0], [3.0, 4.0]]), 1) }",
         "(Tensor[(2, 2), f32] [[0, 0], [1, 1]], i64 0)"},
        {"def @main() { grad(fn(%x) { sum(%x) })(full([0, 3], 1.0)) }", "Tensor[(0, 3), f32] []"},
    };
    for (const Shown& c : cases) EXPECT_EQ(shown(c.program), c.result) << c.program;
}

TEST(Grad, CapturedIsConstant) {
    const Shown cases[] = {
        {"def @main() { %c = 5.0 * 2.0\ngrad(fn(%x) { %x * %c })(3.0) }", "f32 10"},
        {"def @main() { %r = ref(2.0)\ngrad(fn(%x) { %x * read(%r) })(3.0) }", "f32 2"},
        // what is written and read again counts, and is seen outside
        {"def @main() { %r = ref(2.0)\n%g = grad(fn(%x) { write(%r, read(%r) * %x)\nread(%r) * %x })(3.0)\n(%g, read(%r)) }", "(f32 12, f32 6)"},
        {"def @main() { %r = ref(2.0)\n%f = fn(%x) { write(%r, %x * %x)\n() }\n%g = grad(fn(%x) { %f(%x)\nread(%r) })(3.0)\n%g }", "f32 6"},
        {"def @main() { %k = 2.0\n%f = fn(%x) { %x * %k }\ngrad(fn(%x) { %f(%x) * %f(1.0) })(3.0) }", "f32 4"},
        {"def @main() { %p = (2.0, ref(1.0))\ngrad(fn(%x) { write(%p.1, %x * %p.0)\nread(%p.1) })(3.0) }", "f32 2"},
    };
    for (const Shown& c : cases) EXPECT_EQ(shown(c.program), c.result) << c.program;
}

TEST(Grad, CellsFromOutsideAreKeptApart) {
    std::string body = "grad(fn(%x) { write(%a, %x * %x)\nread(%b) * %x })(3.0) }";
    EXPECT_EQ(shown("def @main() { %a = ref(1.0)\n%b = ref(2.0)\n" + body), "f32 2");
    EXPECT_EQ(refusal("def @main() { %s = [ref(1.0)]\ngrad(fn(%x) { read(%s[0]) * %x })(3.0) }"),
              "unsupported: grad: a structure with cells comes from outside of what is differentiated | "
              "pass or capture the cells themselves");
}

TEST(Grad, FunctionsGivenAsArguments) {
    const Shown cases[] = {
        {"def @slope(%f, %x) { grad(%f)(%x) }\ndef @sq(%x) { %x * %x }\n"
         "def @main() { %k = 5.0 * 1.0\n(@slope(@sq, 3.0), @slope(fn(%y) { %y * %k }, 3.0)) }", "(f32 6, f32 5)"},
        {"def @scaled(%f, %x) { grad(fn(%y) { %f(%y) * 2.0 })(%x) }\ndef @twice(%f, %x) { @scaled(%f, @scaled(%f, %x)) }\n"
         "def @main() { @twice(fn(%y) { %y * %y }, 1.0) }", "f32 16"},
        {"def @descend(%f, %x) { for %i in 3, (%x = %x) { %x - 0.25 * grad(%f)(%x) } }\n"
         "def @main() { @descend(fn(%w) { sum(%w * %w) }, tensor([8.0, 16.0])) }", "Tensor[(2), f32] [1, 2]"},
    };
    for (const Shown& c : cases) EXPECT_EQ(shown(c.program), c.result) << c.program;
    EXPECT_EQ(shown("def @slope(%f, %x: f32) { grad(%f)(%x) }\ndef @call(%g, %x: f32) { %g(fn(%y) { %y * %y }, %x) }\n"
                    "def @main() { @call(@slope, 3.0) }"), "f32 6");
}

TEST(Grad, ThePrimalRunsOnce) {
    EXPECT_EQ(shown("def @main() { %n = ref(0)\n%g = grad(fn(%x) { write(%n, read(%n) + 1)\n%x * %x })(3.0)\n(%g, read(%n)) }"), "(f32 6, i64 1)");
}

TEST(Grad, StopGradientCuts) {
    EXPECT_EQ(shown("def @main() { grad(fn(%x) { %x * stop_gradient(%x * %x) })(3.0) }"), "f32 9");
    EXPECT_EQ(shown("def @main() { grad(fn(%x) { %p = stop_gradient((%x, %x))\n%x * %p.0 + %p.1 })(3.0) }"), "f32 3");
}

TEST(Grad, Nested) {
    const Shown cases[] = {
        {"def @main() { grad(fn(%x) { grad(fn(%y) { %y * %y * %y })(%x) })(2.0) }", "f32 12"},
        {"def @cube(%x) { %x * %x * %x }\ndef @slope(%x) { grad(@cube)(%x) }\ndef @main() { grad(@slope)(2.0) }", "f32 12"},
        {"def @cube(%x) { %x * %x * %x }\ndef @main() { grad(fn(%x) { grad(fn(%y) { grad(@cube)(%y) })(%x) })(2.0) }", "f32 6"},
        {"def @main() { grad(fn(%x) { %x * grad(fn(%y) { %y * %x * %y })(%x) })(2.0) }", "f32 24"},
        {"def @main() { grad(fn(%x) { grad(fn(%y) { sum(exp(%y) * %x) })(%x)[0] })(tensor([0.0, 1.0])) }", "Tensor[(2), f32] [1, 0]"},
    };
    for (const Shown& c : cases) EXPECT_EQ(shown(c.program), c.result) << c.program;
}

// The second derivatives of a b c d, by hand, times (1, 10, 100, 1000): with zeros among the factors they are products of what is left.
TEST(Grad, SecondOrderOfAProductWithZeros) {
    auto times = [](const std::string& at) {
        return shown("def @main() { grad(fn(%x) { sum(grad(fn(%y) { prod(%y) })(%x) * tensor([1.0, 10.0, 100.0, 1000.0])) })(tensor([" + at + "])) }");
    };
    EXPECT_EQ(times("2.0, 3.0, 5.0, 7.0"), "Tensor[(4), f32] [17450, 11435, 6161, 715]");
    EXPECT_EQ(times("0.0, 3.0, 5.0, 7.0"), "Tensor[(4), f32] [17450, 35, 21, 15]");
    EXPECT_EQ(times("0.0, 0.0, 5.0, 7.0"), "Tensor[(4), f32] [350, 35, 0, 0]");
    EXPECT_EQ(times("0.0, 3.0, 0.0, 7.0"), "Tensor[(4), f32] [2100, 0, 21, 0]");
    EXPECT_EQ(times("0.0, 0.0, 0.0, 7.0"), "Tensor[(4), f32] [0, 0, 0, 0]");
}

TEST(Grad, CustomRules) {
    std::string rule = "def @sq(%x) with vjp = (@fwd, @bwd) { %x * %x }\ndef @fwd(%x) { (%x * %x, %x) }\n"
                       "def @bwd(%r, %d) { %d * %r * 20.0 }\n";
    EXPECT_EQ(shown(rule + "def @main() { (@sq(3.0), grad(fn(%x) { @sq(%x) * 2.0 })(3.0)) }"), "(f32 9, f32 120)");
    EXPECT_EQ(shown(rule + "def @main() { grad(@sq)(3.0) }"), "f32 60");
    EXPECT_EQ(shown("type P = {a: f32, n: i64}\ndef @f(%p: P, %x) with vjp = (@fwd, @bwd) { %p.a * %x }\n"
                    "def @fwd(%p: P, %x) { (%p.a * %x, (%p, %x)) }\n"
                    "def @bwd(%r, %d) { ({a = %d * %r.1, n = 5}, %d * %r.0.a) }\n"
                    "def @main() { grad(fn(%p: P, %x) { @f(%p, %x) * 2.0 })({a = 3.0, n = 1}, 4.0) }"),
              "({a = f32 8, n = i64 0}, f32 6)");
}

// A recursive function that differentiates its parameter: a copy for each function, over what that captures.
TEST(Grad, ParametersOfRecursiveFunctions) {
    const std::string newton = "def @newton(%f, %x: f64, %n: i64) -> f64 {\n  if (%n == 0) { %x } else {\n"
                               "    (%y, %d) = value_and_grad(%f)(%x)\n    @newton(%f, %x - %y / %d, %n - 1)\n  }\n}\n"
                               "def @near(%f, %x) { @newton(%f, %x, 1) }\n";
    EXPECT_EQ(shown(newton + "def @main() { %a = 3.0; @near(fn(%z) { %z * %z - %a }, 1.0) }"), "f64 2");
    EXPECT_EQ(shown(newton + "def @sq(%z: f64) { %z * %z }\ndef @main() { (@newton(@sq, 1.0, 2), @newton(fn(%z) { 2.0 * %z }, 1.0, 1)) }"), "(f64 0.25, f64 0)");
    // d/da (x + a / x) / 2 at x = 1
    EXPECT_EQ(shown(newton + "def @main() { grad(fn(%a) { @near(fn(%z) { %z * %z - %a }, 1.0) })(3.0) }"), "f64 0.5");
    // sizes that it states are checked still
    const std::string each = "def @each(%f, %x: Tensor[(m), f64], %n: i64) -> Tensor[(m), f64] { if (%n == 0) { %x } else { @each(%f, grad(%f)(%x), %n - 1) } }\n";
    EXPECT_EQ(shown(each + "def @main() { @each(fn(%z: Tensor[(2), f64]) { sum(%z * %z) }, tensor([1.0, 2.0]), 1) }"), "Tensor[(2), f64] [2, 4]");
    EXPECT_EQ(refusal(each + "def @main() { @each(fn(%z: Tensor[(3), f64]) { sum(%z * %z) }, tensor([1.0, 2.0]), 1) }"),
              "shape: fn: axis 0 of %z: 3 and 2 differ");
    const std::string sized = each + "def @of(%y: Tensor[(k), f64]) { @each(fn(%z: Tensor[(k), f64]) { sum(%z * %z) }, tensor([1.0, 2.0]), 1) }\n";
    EXPECT_EQ(shown(sized + "def @main() { @of(tensor([5.0, 5.0])) }"), "Tensor[(2), f64] [2, 4]");
    EXPECT_EQ(refusal(sized + "def @main() { @of(tensor([5.0])) }"), "shape: fn: axis 0 of %z: 1 and 2 differ");
    const std::string mutual = "def @a(%f, %g, %n: i64, %x: f64) -> f64 { if (%n == 0) { %g(%x) } else { @b(%f, %g, %n - 1, %x) } }\n"
                               "def @b(%f, %g, %n: i64, %x: f64) -> f64 { @a(%f, %g, %n, grad(%f)(%x)) }\n";
    EXPECT_EQ(shown(mutual + "def @main() { %c = 2.0; @a(fn(%z) { %z * %z * %c }, fn(%z) { %z + %c }, 2, 1.0) }"), "f64 18");
    EXPECT_EQ(shown("type Tree[a] = Leaf(a) | Node(Tree[a], Tree[a])\n"
                    "def @each(%f, %t: Tree[f64]) -> Tree[f64] { match (%t) { Leaf(%x) => Leaf(grad(%f)(%x)), Node(%l, %r) => Node(@each(%f, %l), @each(%f, %r)) } }\n"
                    "def @main() { %c = 3.0; @each(fn(%z) { %z * %z * %c }, Node(Leaf(1.0), Leaf(2.0))) }"), "Node(Leaf(f64 6), Leaf(f64 12))");
}

TEST(Grad, Refusals) {
    const Shown cases[] = {
        {"def @main(%x: Tensor[(3), f32]) { grad(fn(%x) { %x * %x })(%x) }", "shape: grad: the value is a scalar, found shape (3) | a gradient is that of one number: sum the result"},
        {"def @f(%x) { grad(@f)(%x) * %x }\ndef @main(%x: f32) { @f(%x) }",
         "unsupported: the order of differentiation is not bounded: the gradient of @f is needed to write it down"},
        {"def @nth(%f: fn(f32) -> f32, %n: i64, %x: f32) -> f32 { if (%n == 0) { %f(%x) } else { @nth(fn(%z) { grad(%f)(%z) }, %n - 1, %x) } }\n"
         "def @main(%x: f32, %n: i64) { @nth(fn(%z) { tanh(%z) }, %n, %x) }",
         "unsupported: the order of differentiation is not bounded: @nth differentiates a function and calls itself with another one"},
        {"def @main(%x: f32) { grad(fn(%r, %x) { read(%r) * %x })(ref(%x), %x) }",
         "type: grad: parameter 0 holds a cell, which has no adjoint | choose the parameters to differentiate by: wrt=[...]"},
        {"def @main(%x: f32) { grad(fn(%f, %x) { %f(%x) * 1.0 })(fn(%y) { %y }, %x) }",
         "type: grad: parameter 0 holds a function, which has no adjoint | choose the parameters to differentiate by: wrt=[...]"},
        {"def @main(%x: f32) { grad(fn(%x) { %x }, mode=\"other\")(%x) }",
         "unsupported: grad has no mode \"other\" | write mode=\"product\" or mode=\"closures\", or leave it out"},
    };
    for (const Shown& c : cases) EXPECT_EQ(refusal(c.program), c.result) << c.program;
}
} // namespace
} // namespace nereus
