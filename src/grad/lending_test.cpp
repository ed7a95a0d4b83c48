// Gradients of tables that something holds: their accumulators are lent (backward_lend.cpp). Where a loan must be given back
// early, is made twice, or must not be made.
#include "grad/gradient_testing.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
constexpr const char* box = "type Box = Full(Tensor[(4), f64], f64) | Empty";
const GradientCase cases[] = {
    {.name = "field of data", .params = "%x: Tensor[(4), f64], %y: f64",
     .body = "%b = Full(%x, %y)\nfor %i in 4, (%s = %y) { match (%b) { Full(%t, %z) => %s * %z + %t[%i], Empty => %s } }", .others = box},
    {.name = "the whole is used too", .params = "%x: Tensor[(4), f64], %y: f64",
     .body = "%b = Full(%x, %y)\nfor %i in 4, (%s = %y) { match (%b) { Full(%t, %z) => %s * %t[%i] + @total(%b), Empty => %s } }",
     .others = "type Box = Full(Tensor[(4), f64], f64) | Empty\ndef @total(%b) { match (%b) { Full(%t, %z) => sum(%t * %t) * %z * 0.1, Empty => 1.0 } }"},
    {.name = "handed down, call last", .params = "%x: Tensor[(4), f64], %y: f64", .body = "@down(Full(%x, %y), 3)",
     .others = "type Box = Full(Tensor[(4), f64], f64) | Empty\n"
               "def @down(%b: Box, %i: i64) -> f64 { match (%b) { Empty => 0.0, Full(%t, %z) => { %u = %t[%i] * %z\n"
               "if (%i == 0) { %u } else { tanh(%u + @down(%b, %i - 1) * %t[0]) } } } }"},
    {.name = "handed down, one table for another", .params = "%x: Tensor[(4), f64], %y: f64", .body = "@down(Full(%x, %y), 3)",
     .others = "type Box = Full(Tensor[(4), f64], f64) | Empty\n"
               "def @down(%b: Box, %i: i64) -> f64 { match (%b) { Empty => 0.0, Full(%t, %z) => if (%i == 0) { %t[0] } else {\n"
               "%t[%i] + @down(if (%i == 2) { Full(%t * %t, %z) } else { %b }, %i - 1) * %z } } }"},
    {.name = "two names of one table", .params = "%x: Tensor[(4), f64]",
     .body = "%b = Full(%x, 2.0)\n%c = %b\nfor %i in 4, (%s = 0.5) { match ((%b, %c)) { (Full(%t, _), Full(%u, _)) => tanh(%s + %t[%i] * %u[3 - %i]), _ => %s } }",
     .others = box},
    {.name = "patterns inside patterns", .params = "%x: Tensor[(3), f64], %y: Tensor[(3), f64]",
     .body = "%l = Cons((%x, %y), Cons((%y, %x * 2.0), Nil))\n"
             "for %i in 3, (%s = 0.5) { match (%l) { Cons((%a, %b), Cons((_, %c), _)) => %s * %a[%i] + %b[%i] * %c[0], _ => %s } }",
     .others = "type List[a] = Nil | Cons(a, List[a])"},
    {.name = "data in data", .params = "%x: Tensor[(3), f64]",
     .body = "%l = Cons(Cons(%x, Nil), Nil)\n"
             "for %i in 3, (%s = 0.5) { match (%l) { Cons(%k, _) => match (%k) { Cons(%a, _) => tanh(%s * %a[%i]) + sum(%a), _ => %s }, _ => %s } }",
     .others = "type List[a] = Nil | Cons(a, List[a])"},
    {.name = "a loop inside of the arm", .params = "%x: Tensor[(4), f64], %y: f64",
     .body = "%b = Full(%x, %y)\nfor %i in 3, (%s = %y) { match (%b) { Full(%t, %z) => for %j in 4, (%r = %s) { tanh(%r + %t[%j] * %z + %t[%i]) }, Empty => %s } }",
     .others = box},
    {.name = "only some arms read", .params = "%x: Tensor[(4), f64], %y: f64",
     .body = "%b = if (%y > 5.0) { Empty } else { Full(%x, %y) }\n"
             "for %i in 4, (%s = %y) { match (%b) { Full(%t, %z) => if (mod(%i, 2) == 0) { %s * %t[%i] } else { %s + %z }, Empty => %s * 2.0 } }",
     .others = box},
    {.name = "element of a sequence", .params = "%x: Tensor[(3), f64], %y: Tensor[(3), f64]",
     .body = "%q = [%x, %y, %x * %y]\nfor %i in 3, (%s = 0.5) { tanh(%s + %q[mod(%i + 1, 3)][%i]) }"},
    {.name = "one element twice", .params = "%x: Tensor[(3), f64]",
     .body = "%q = [%x]\nfor %i in 3, (%s = 0.5) { %a = %q[0]\n%b = %q[0]\n%a[%i] * %b[2 - %i] + %s * %q[0][1] }"},
    {.name = "element and its sequence", .params = "%x: Tensor[(3), f64], %y: Tensor[(3), f64]",
     .body = "%q = [%x, %y]\n@down(%q, 2)",
     .others = "def @down(%q: Seq[Tensor[(3), f64]], %i: i64) -> f64 { %t = %q[mod(%i, 2)]\n"
               "if (%i == 0) { %t[0] } else { %r = @down(%q, %i - 1)\ntanh(%r + %t[%i]) * sum(%q[0]) } }"},
    {.name = "sequence that grows", .params = "%x: Tensor[(3), f64]",
     .body = "%q = for %i in 3, (%q = [%x]) { push(%q, %q[%i] * %q[0][%i]) }\nsum(%q[3]) + %q[2][1]"},
    {.name = "sequence of pairs", .params = "%x: Tensor[(3), f64], %y: f64",
     .body = "%q = [(%x, %y), (%x * 2.0, %y * %y)]\nfor %i in 3, (%s = %y) { %e = %q[mod(%i, 2)]\n%s * %e.1 + %e.0[%i] }"},
    {.name = "data in a sequence", .params = "%x: Tensor[(4), f64], %y: f64",
     .body = "%q = [Full(%x, %y), Empty, Full(%x * %x, 1.0)]\n"
             "for %i in 4, (%s = %y) { match (%q[mod(%i, 3)]) { Full(%t, %z) => %s * %z + %t[%i], Empty => %s * 0.5 } }", .others = box},
    {.name = "content of a cell", .params = "%x: Tensor[(3), f64]",
     .body = "%r = (ref(%x), 1)\nfor %i in 3, (%s = 0.5) { tanh(%s + read(%r.0)[%i]) }"},
    {.name = "cell that is written between", .params = "%x: Tensor[(3), f64], %y: f64",
     .body = "%r = (ref(%x), 1)\n%s = for %i in 3, (%s = %y) { %t = read(%r.0)\nwrite(%r.0, %t * %s)\n%s + %t[%i] * read(%r.0)[0] }\n%s * sum(read(%r.0))"},
    {.name = "cell that is written in an arm between", .params = "%x: Tensor[(3), f64], %y: f64",
     .body = "%r = (ref(%x), 1)\n%s = for %i in 3, (%s = %y) { %t = read(%r.0)\nif (%i == 1) { write(%r.0, %t * %s); () } else { () }\n%s + %t[%i] }\n%s * sum(read(%r.0))"},
    {.name = "cell that is given to a function", .params = "%x: Tensor[(3), f64], %y: f64",
     .body = "%r = ref(%x)\n%s = for %i in 3, (%s = %y) { %t = read(%r)\n%a = %t[%i]\n@scale(%r, %s)\n%s + %a * %t[0] }\n%s * sum(read(%r))",
     .others = "def @scale(%r, %s) { write(%r, read(%r) * %s) }"},
    {.name = "function value", .params = "%x: Tensor[(3), f64], %y: f64",
     .body = "%f = fn(%i, %s) { tanh(%s * %y + %x[%i]) }\n%g = fn(%i, %s) { %f(%i, %s) * %x[0] }\n"
             "for %i in 3, (%s = 0.0) { if (mod(%i, 2) == 0) { %f(%i, %s) } else { %g(%i, %s) } }"},
    {.name = "function value that is handed down", .params = "%x: Tensor[(3), f64], %y: f64",
     .body = "@apply(fn(%i, %s) { %s * %y + %x[%i] }, 2, %y)",
     .others = "def @apply(%f, %i: i64, %s: f64) -> f64 { if (%i < 0) { %s } else { %f(%i, @apply(%f, %i - 1, %f(%i, %s))) } }"},
    {.name = "tables in a tree", .params = "%x: Tensor[(3), f64], %y: Tensor[(3), f64]",
     .body = "%t = Node(Leaf(%x), Node(Leaf(%y), Leaf(%x * %y)))\n@walk(%t, 0) + @walk(%t, 2)",
     .others = "type Tree = Leaf(Tensor[(3), f64]) | Node(Tree, Tree)\n"
               "def @walk(%t: Tree, %i: i64) -> f64 { match (%t) { Leaf(%x) => %x[%i], Node(%a, %b) => tanh(@walk(%a, %i) * @walk(%b, %i)) + @walk(%b, 1) } }"},
    {.name = "second order", .params = "%x: Tensor[(4), f64], %y: f64",
     .body = "sum(grad(fn(%x) { %b = Full(%x, %y)\nfor %i in 4, (%s = %y) { match (%b) { Full(%t, %z) => %s * %t[%i] + %t[0] * %z, Empty => %s } } }, mode=$MODE)(%x) * %x)",
     .others = box},
    {.name = "second order through a sequence and a function", .params = "%x: Tensor[(3), f64]",
     .body = "sum(grad(fn(%x) { %q = [%x, %x * 2.0]\n%f = fn(%i) { %q[mod(%i, 2)][%i] }\nfor %i in 3, (%s = 1.0) { %s * %f(%i) } }, mode=$MODE)(%x) * %x)"},
};

class Lending : public testing::TestWithParam<GradientCase> {};
TEST_P(Lending, IsTheCentralDifference) { check_gradient(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Grad, Lending, testing::ValuesIn(cases), [](const auto& info) { return case_name(info.param.name); });
} // namespace
} // namespace nereus
