// Gradients through everything that is not an operator, against central differences.
#include "grad/gradient_testing.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
constexpr const char* types = "type Tree[a] = Leaf(a) | Node(Tree[a], Tree[a])\n"
                              "type List[a] = Nil | Cons(a, List[a])\n"
                              "def @fold(%f, %a, %l) { match (%l) { Nil => %a, Cons(%x, %r) => @fold(%f, %f(%a, %x), %r) } }\n"
                              "def @each(%f, %l) { match (%l) { Nil => Nil, Cons(%x, %r) => Cons(%f(%x), @each(%f, %r)) } }\n";
const GradientCase cases[] = {
    {.name = "if", .params = "%x: f64, %y: f64", .body = "if (%x > %y) { %x * %y } else { exp(%y) }"},
    {.name = "if with a constant arm", .params = "%x: f64", .body = "%x * (if (%x > 0.0) { %x } else { 3.0 })"},
    {.name = "if over structures", .params = "%x: f64, %y: f64",
     .body = "%p = if (%x > 0.0) { (%x, %y * 2.0) } else { (%y, %x * 3.0) }\n%p.0 * %p.1"},
    {.name = "for", .params = "%x: f64", .body = "for %i in 5, (%s = 1.0) { %s * %x + 0.1 }"},
    {.name = "for over rows", .params = "%x: Tensor[(n, d), f64], %w: Tensor[(d), f64]",
     .body = "%h = for %i in n, (%h = %w) { tanh(%h * 0.5 + %x[%i]) }\nsum(%h * %h)"},
    {.name = "for with several states", .params = "%x: f64, %y: f64",
     .body = "%r = for %i in 4, (%a = %x, %n = 0, %b = %y) { (%a * %b, %n + 1, %b + %a * 0.1) }\n%r.0 * %r.2"},
    {.name = "for of no trips", .params = "%x: f64", .body = "for %i in 0, (%s = %x * %x) { %s * 2.0 }"},
    {.name = "yield", .params = "%x: Tensor[(n, d), f64], %w: Tensor[(d), f64]",
     .body = "%r = for %i in n, (%h = %w) { %k = tanh(%h + %x[%i])\nyield %k * %k\n%k }\nsum(%r.1 * (%r.1 + 0.5)) + sum(%r.0)"},
    {.name = "yield alone", .params = "%x: f64", .body = "%y = for %i in 4, () { yield %x * cast(%i, f64)\n() }\nsum(%y * %y)"},
    {.name = "two yields", .params = "%x: Tensor[(d), f64]",
     .body = "%y = for %i in 3, () { yield %x * 2.0\nyield %i\nyield sum(%x * %x)\n() }\nsum(%y.0 * %y.0) + sum(%y.2)"},
    {.name = "while", .params = "%x: f64",
     .body = "%r = while (%s = %x, %n = 0) (%n < 6) { (%s * %s * 0.3 + 0.5, %n + 1) }\n%r.0"},
    {.name = "while that depends on the value", .params = "%x: f64", .body = "while (%s = %x * %x + 1.0) (%s < 50.0) { %s * 1.7 + %x }"},
    {.name = "while with yields", .params = "%x: f64",
     .body = "%r = while (%s = %x, %n = 0) (%n < 3) { yield %s * %x\n(%s * 0.5, %n + 1) }\nsum(%r.2 * %r.2) + %r.0"},
    {.name = "recursion", .params = "%x: f64", .body = "@power(%x, 4) + @power(%x, 0)",
     .others = "def @power(%x: f64, %n: i64) -> f64 { if (%n == 0) { 1.0 } else { %x * @power(%x, %n - 1) } }"},
    {.name = "mutual recursion", .params = "%x: f64", .body = "@even(%x, 5)",
     .others = "def @even(%x: f64, %n: i64) -> f64 { if (%n == 0) { %x } else { @odd(%x * 1.5, %n - 1) + %x } }\n"
               "def @odd(%x: f64, %n: i64) -> f64 { if (%n == 0) { 1.0 } else { @even(%x * %x, %n - 1) } }"},
    {.name = "tree", .params = "%t: Tree[Tensor[(d), f64]], %w: Tensor[(d), f64]", .body = "sum(@total(%t, %w))",
     .others = std::string(types) + "def @total(%t, %w) { match (%t) { Leaf(%v) => tanh(%v * %w), Node(%l, %r) => @total(%l, %w) * %w + @total(%r, %w) } }"},
    {.name = "constructors with integers and records", .params = "%s: Shape, %x: f64",
     .body = "match (%s) { Dot => %x, Line(%l, %n) => %l * %x * cast(%n, f64), Box({w = %w, h = %h}) => %w * %h * %x }",
     .others = "type Size = {w: f64, h: f64}\ntype Shape = Dot | Line(f64, i64) | Box(Size)"},
    {.name = "guards and literals", .params = "%x: f64, %n: i64",
     .body = "match ((%x, %n)) { (%a, 0) => %a, (%a, %k) if %a * 2.0 > 1.0 => %a * cast(%k, f64), (%a, _) => exp(%a) }"},
    {.name = "records", .params = "%p: Layer[d], %x: Tensor[(d), f64]",
     .body = "%h = tanh(matmul(%p.w, %x) + %p.b)\n%q = {%p with b = %h}\nsum(%q.b * %q.b) + sum(%q.w)",
     .others = "type Layer[d: dim] = {w: Tensor[(d, d), f64], b: Tensor[(d), f64]}"},
    {.name = "record made inside", .params = "%x: f64, %y: f64", .body = "%p = {w = %x * %y, n = 3}\n{w = %w} = {%p with n = 4}\n%w * %w",
     .others = "type P = {w: f64, n: i64}"},
    {.name = "tuples in tuples", .params = "%x: (f64, (f64, i64))", .body = "%p = (%x.1, %x.0)\n%p.0.0 * %p.1"},
    {.name = "Seq", .params = "%x: f64, %s: Seq[f64]",
     .body = "%t = push(%s, %x * 2.0)\nfor %i in length(%t), (%a = %x) { %a + %t[%i] * %t[%i] * %x }"},
    {.name = "Seq of vectors", .params = "%s: Seq[Tensor[(d), f64]]", .body = "for %i in length(%s), (%a = 0.0) { %a * 0.5 + sum(%s[%i] * %s[%i]) }"},
    {.name = "Seq made in a loop", .params = "%x: f64",
     .body = "%s = for %i in 4, (%s = [%x]) { push(%s, %s[%i] * %x) }\n%s[4] + %s[2]"},
    {.name = "set", .params = "%x: f64, %y: f64", .body = "%s = set([%x, %y, %x * %y], 1, %x * 3.0)\n%s[0] * %s[1] + %s[2]"},
    {.name = "closure", .params = "%x: f64, %y: f64", .body = "%f = fn(%a) { %a * %x + %y }\n%f(%f(%y))"},
    {.name = "closure that is chosen", .params = "%x: f64, %y: f64",
     .body = "%f = if (%x > 0.0) { fn(%a) { %a * %x } } else { fn(%a) { %a - %y } }\n%f(%y) * %f(%x)"},
    {.name = "curried", .params = "%x: f64, %y: f64", .body = "%add = fn(%a) { fn(%b) { %a * %b + %a } }\n%g = %add(%x)\n%g(%y) + %g(%x)"},
    {.name = "functions as values", .params = "%x: f64", .body = "@twice(@f, %x) + @twice(fn(%a) { %a * %x }, %x)",
     .others = "def @f(%x) { %x * %x + 1.0 }\ndef @twice(%f, %x) { %f(%f(%x)) }"},
    {.name = "closures in a Seq", .params = "%x: f64",
     .body = "%s = [fn(%a) { %a * %x }, fn(%a) { %a + %x }]\nfor %i in 4, (%a = %x) { %f = %s[mod(%i, 2)]\n%f(%a) }"},
    {.name = "closures in a list", .params = "%x: f64", .body = "@fold(fn(%a, %f) { %f(%a) }, %x, Cons(fn(%a) { %a * %x }, Cons(fn(%a) { exp(%a) }, Nil)))", .others = types},
    {.name = "map and fold", .params = "%x: f64, %l: List[f64]", .body = "@fold(fn(%a, %b) { %a * %x + %b }, 0.5, @each(fn(%e) { %e * %e * %x }, %l))", .others = types},
    {.name = "unused parameter", .params = "%x: Tensor[(n), f64], %y: f64", .body = "%y * %y"},
    {.name = "constants alone", .params = "%x: f64", .body = "exp(1.0) + 2.0"},
    {.name = "integers beside", .params = "%x: Tensor[(n), f64], %i: Tensor[(n), i64], %b: bool", .body = "sum(%x * cast(%i, f64)) * (if (%b) { 2.0 } else { 1.0 })"},
    {.name = "print and assert", .params = "%x: f64", .body = "assert(%x > -10.0, \"far\")\n%x * %x"},
    {.name = "axes known at run time", .params = "%x: Tensor[(n, d), f64], %i: i64",
     .body = "%y = exp(%x)\nsum(sum(%y, axes=[%i], keepdims=true) * %x) + sum(max(%y, axes=[%i], keepdims=true))", .whole_high = 1, .compiled = false, .smallest = false},
    {.name = "late sizes", .params = "%x: Tensor[(n), f64]", .body = "%k = nonzero(%x > 0.0)\nsum(exp(gather(%x, %k[0])))"},
    {.name = "helper at two ranks", .params = "%x: Tensor[(n, d), f64], %y: Tensor[(d), f64]", .body = "sum(@soft(%x)) + sum(@soft(%y) * %y)",
     .others = "def @soft(%x) { tanh(%x * 2.0) * %x }"},
};

class ControlGradient : public testing::TestWithParam<GradientCase> {};
TEST_P(ControlGradient, IsTheCentralDifference) { check_gradient(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Control, ControlGradient, testing::ValuesIn(cases), [](const auto& info) { return case_name(info.param.name); });
} // namespace
} // namespace nereus
