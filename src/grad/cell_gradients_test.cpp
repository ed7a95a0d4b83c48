// Gradients through cells: those that only their function knows, which are states (pass/cells_to_states.cpp), and those that
// are handed on, kept, captured and chosen, which keep their adjoint (cell_adjoints.h).
#include "grad/gradient_testing.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
constexpr const char* types = "type Tree[a] = Leaf(a) | Node(Tree[a], Tree[a])\n"
                              "type List[a] = Nil | Cons(a, List[a])\n"
                              "type Box[a] = Box(Ref[a], a)\n"
                              "type Counter = {sum: Ref[f64], calls: Ref[i64], by: f64}\n"
                              "def @fold(%f, %a, %l) { match (%l) { Nil => %a, Cons(%x, %r) => @fold(%f, %f(%a, %x), %r) } }\n"
                              "def @cell(%v) { ref(%v) }\n"
                              "def @bump(%r, %x) { write(%r, read(%r) * %x) }\n"
                              "def @total(%t, %r) { match (%t) { Leaf(%v) => { write(%r, read(%r) * 0.5 + %v * %v)\nread(%r) }, "
                              "Node(%a, %b) => @total(%a, %r) * @total(%b, %r) } }\n"
                              "def @times(%r, %x: f64, %n: i64) -> () { if (%n == 0) { () } else { @bump(%r, %x)\n@times(%r, %x + 0.1, %n - 1)\nwrite(%r, read(%r) + %x) } }\n"
                              "def @down(%l, %r) { match (%l) { Nil => (), Cons(%c, %rest) => { write(%c, read(%c) * read(%r))\n@down(%rest, %c) } } }\n";
const GradientCase cases[] = {
    {.name = "cell", .params = "%x: f64, %y: f64", .body = "%r = ref(%x)\nwrite(%r, read(%r) * %y)\n%v = read(%r)\nwrite(%r, %v * %v)\nread(%r) + %v"},
    {.name = "filled in a loop", .params = "%x: f64", .body = "%r = ref(1.0)\nfor %i in 3, () { write(%r, read(%r) * %x)\n() }\nread(%r)"},
    {.name = "condition that writes", .params = "%x: f64",
     .body = "%r = ref(%x)\n%c = fn(%n) { write(%r, read(%r) * %x)\n%n < 3 }\n%q = while (%n = 0) (%c(%n)) { %n + 1 }\nread(%r)"},
    {.name = "condition that writes a state", .params = "%x: f64",
     .body = "%r = ref(%x)\n%q = while (%n = 0) ({ write(%r, read(%r) * %x)\n%n < 3 }) { %n + 1 }\nread(%r)"},
    {.name = "condition that calls and ends by the cell", .params = "%x: f64",
     .body = "%r = @cell(%x * %x + 1.2)\n%q = while (%s = %x) ({ @bump(%r, 1.3 + %x * %x)\nread(%r) < 40.0 }) { %s * 0.5 + read(%r) }\n%q * read(%r)", .others = types},
    {.name = "loops that give nothing", .params = "%x: f64",
     .body = "%r = @cell(%x * %x + 1.0)\nwhile () (read(%r) < 40.0) { for %i in 2, () { @bump(%r, 1.3 + %x * %x)\n() }\n() }\nread(%r) * %x", .others = types},
    {.name = "written in arms", .params = "%x: f64, %y: f64",
     .body = "%r = ref(%y)\n%s = ref(2.0)\nif (%x > 0.0) { write(%r, read(%r) * %x) } else { write(%s, %x * %y)\nwrite(%r, 3.0) }\n"
             "%v = if (%y > 0.0) { write(%s, read(%s) * read(%r))\nread(%s) } else { %x }\n%v * read(%r) + read(%s)"},
    {.name = "written in a match", .params = "%x: f64, %n: i64",
     .body = "%r = ref(%x)\n%v = match ((%x, %n)) { (%a, 0) => { write(%r, %a * %a)\n1.0 }, (%a, 1) if read(%r) * 2.0 > 1.0 => %a, "
             "(%a, _) => { write(%r, exp(read(%r)))\nread(%r) } }\n%v * read(%r)"},
    {.name = "beside states and yields", .params = "%x: Tensor[(d), f64]",
     .body = "%r = ref(%x)\n%q = for %i in 3, (%s = 1.0) { write(%r, tanh(read(%r) * %s))\nyield read(%r) * %x\n%s + sum(read(%r)) }\n"
             "%q.0 + sum(%q.1 * %q.1) + sum(read(%r))"},
    {.name = "made per trip", .params = "%x: f64",
     .body = "for %i in 3, (%s = %x) { %r = ref(%s)\nfor %j in %i, () { write(%r, read(%r) * %x)\n() }\nread(%r) + %s }"},
    {.name = "of a Seq", .params = "%x: f64",
     .body = "%r = ref([%x])\nfor %i in 3, () { write(%r, push(read(%r), read(%r)[%i] * %x))\n() }\nread(%r)[3] + read(%r)[1]"},
    {.name = "of data", .params = "%x: f64", .body = "%r = ref(Nil)\nfor %i in 3, () { write(%r, Cons(%x * cast(%i, f64), read(%r)))\n() }\n"
     "@fold(fn(%a, %b) { %a * %x + %b }, 0.5, read(%r))", .others = types},
    {.name = "of a structure", .params = "%x: f64, %y: f64", .body = "%r = ref((%x, 1))\nwrite(%r, (read(%r).0 * %y, 2))\nread(%r).0 * %x"},
    {.name = "of closures", .params = "%x: f64",
     .body = "%r = ref(fn(%a) { %a * %x })\n%f = read(%r)\nwrite(%r, fn(%a) { %f(%a) + %x })\n%g = read(%r)\n%g(%x)"},
    {.name = "of a cell", .params = "%x: f64", .body = "%r = ref(ref(%x))\nwrite(read(%r), read(read(%r)) * %x)\nread(read(%r)) * %x"},
    {.name = "whose size changes", .params = "%x: Tensor[(n), f64]",
     .body = "%r = ref(%x)\nfor %i in 2, () { write(%r, concat([read(%r), %x * 2.0], axis=0))\n() }\nsum(read(%r) * read(%r))"},
    {.name = "in a lambda", .params = "%x: f64, %y: f64", .body = "%f = fn(%a) { %r = ref(%a)\nwrite(%r, read(%r) * %x)\nread(%r) + %a }\n%f(%f(%y))"},
    {.name = "of stated size", .params = "%x: Tensor[(n), f64]",
     .body = "%r: Ref[Tensor[(n), f64]] = ref(%x)\nwrite(%r, read(%r) * %x)\n%y: Tensor[(n), f64] = read(%r)\nsum(%y * %x)"},

    {.name = "aliases", .params = "%x: f64", .body = "%r = ref(%x)\n%p = (%r, %r)\nwrite(%p.0, read(%p.1) * %x)\nread(%r) * read(%p.1)"},
    {.name = "captured", .params = "%x: f64",
     .body = "%r = ref(%x)\n%f = fn(%a) { write(%r, read(%r) * %a)\nread(%r) }\n%u = %f(%x)\n%f(%u) + read(%r)"},
    {.name = "captured by several", .params = "%x: f64, %y: f64",
     .body = "%r = ref(%x)\n%s = ref(%y)\n%f = fn(%a) { write(%r, read(%s) * %a)\n() }\n%g = fn(%a) { write(%s, read(%r) + %a)\n() }\n"
             "for %i in 4, () { %h = if (mod(%i, 2) == 0) { %f } else { %g }\n%h(%x)\n() }\nread(%r) * read(%s)"},
    {.name = "given by a function", .params = "%x: f64", .body = "%r = @cell(%x * %x)\nwrite(%r, read(%r) + %x)\nread(%r)", .others = types},
    {.name = "handed to a function that gives nothing", .params = "%x: f64", .body = "%r = ref(%x)\n@bump(%r, %x)\n@bump(%r, exp(%x))\nread(%r)", .others = types},
    {.name = "only constants are handed beside it", .params = "%x: f64", .body = "%r = ref(%x)\n@bump(%r, 3.0)\nread(%r) * %x", .others = types},
    {.name = "overwritten with a constant", .params = "%x: f64",
     .body = "%r = @cell(%x * %x)\n%v = read(%r)\nwrite(%r, 3.0)\n@bump(%r, %x)\n%v * read(%r)", .others = types},
    {.name = "written and never read", .params = "%x: f64", .body = "%r = @cell(%x)\n@bump(%r, %x)\n%x * %x", .others = types},
    {.name = "recursion", .params = "%x: f64", .body = "%r = ref(%x)\n@times(%r, %x, 3)\nread(%r)", .others = types},
    {.name = "tree", .params = "%t: Tree[f64], %x: f64", .body = "%r = ref(%x)\n@total(%t, %r) + read(%r)", .others = types},
    {.name = "tree of vectors", .params = "%t: Tree[Tensor[(d), f64]], %x: Tensor[(d), f64]", .body = "%r = ref(%x)\nsum(@total(%t, %r) + read(%r))", .others = types},
    {.name = "chosen", .params = "%x: f64, %y: f64",
     .body = "%r = ref(%x)\n%s = ref(%y)\n%c = if (%x > %y) { %r } else { %s }\nwrite(%c, read(%r) * read(%s))\nread(%r) + read(%s) * 2.0 + read(%c)"},
    {.name = "swapped by a loop", .params = "%x: f64, %y: f64",
     .body = "%q = for %i in 5, (%a = ref(%x), %b = ref(%y)) { write(%a, read(%b) * %x + read(%a))\n(%b, %a) }\nread(%q.0) * 2.0 + read(%q.1)"},
    {.name = "in a Seq", .params = "%x: f64, %v: Tensor[(n), f64]",
     .body = "%s = for %i in n + 1, (%s = []) { push(%s, ref(%x * cast(%i, f64))) }\n"
             "for %i in n, () { write(%s[%i], read(%s[%i]) * %v[%i] + read(%s[0]))\n() }\n"
             "for %i in n, (%a = 0.0) { %a + read(%s[%i]) * read(%s[%i]) }"},
    {.name = "in a list", .params = "%x: f64, %y: f64", .body = "%a = ref(%x)\n%b = ref(%y)\n@down(Cons(%a, Cons(%b, Cons(%a, Nil))), ref(%x * %y))\nread(%a) + read(%b)", .others = types},
    {.name = "in data with a parameter", .params = "%x: f64, %v: Tensor[(d), f64]",
     .body = "%b = Box(ref(%v), %v * %x)\nmatch (%b) { Box(%r, %w) => write(%r, read(%r) * %w) }\nmatch (%b) { Box(%r, %w) => sum(read(%r) * %w) }", .others = types},
    {.name = "in a record", .params = "%x: f64",
     .body = "%c = {sum = ref(%x), calls = ref(0), by = %x * 2.0}\nfor %i in 3, () { write(%c.sum, read(%c.sum) * %c.by)\nwrite(%c.calls, read(%c.calls) + 1)\n() }\n"
             "%d = {%c with by = 1.5}\n{sum = %s, by = %b} = %d\nwrite(%s, read(%s) * %b * cast(read(%c.calls), f64))\nread(%c.sum) * %c.by", .others = types},
    {.name = "of a tree", .params = "%t: Tree[f64], %x: f64",
     .body = "%r = @cell(%t)\nfor %i in 2, () { write(%r, Node(read(%r), Leaf(%x * cast(%i, f64))))\n() }\n%s = ref(1.0)\n@total(read(%r), %s)", .others = types},
    {.name = "of a Seq, handed on", .params = "%x: f64", .body = "%r = @cell([%x])\nfor %i in 3, () { write(%r, push(read(%r), read(%r)[%i] * %x))\n() }\nread(%r)[3] + read(%r)[1]", .others = types},
    {.name = "of cells, handed on", .params = "%x: f64, %y: f64",
     .body = "%r = @cell(ref(%x))\n%old = read(%r)\nwrite(%r, ref(read(%old) * %y))\nwrite(%old, read(%old) + 1.0)\nread(%old) * read(read(%r))", .others = types},
    {.name = "of closures, handed on", .params = "%x: f64",
     .body = "%r = @cell(fn(%a) { %a * %x })\nfor %i in 3, () { %f = read(%r)\nwrite(%r, fn(%a) { %f(%a) + %x })\n() }\n%g = read(%r)\n%g(%x)", .others = types},
    {.name = "a function in its own cell", .params = "%x: f64",
     .body = "%r = ref(fn(%a: f64, %n: i64) { %a })\nwrite(%r, fn(%a: f64, %n: i64) { if (%n == 0) { %a } else { %f = read(%r)\n%f(%a * %x + 0.5, %n - 1) } })\n%g = read(%r)\n%g(%x, 3)", .product = false},
    {.name = "data that holds itself in a cell", .params = "%x: f64, %y: f64",
     .body = "%a = Link(%x, ref(End))\n%b = Link(%y, ref(%a))\n@join(%a, %b)\n@round(%b, 5) * %x", .others =
     "type Ring = End | Link(f64, Ref[Ring])\n"
     "def @join(%a: Ring, %b: Ring) { match (%a) { Link(_, %n) => write(%n, %b), End => () } }\n"
     "def @round(%l: Ring, %n: i64) -> f64 { match (%l) { End => 1.0, Link(%v, %r) => if (%n == 0) { %v } else { %v * @round(read(%r), %n - 1) + 0.5 } } }", .product = false},
    {.name = "whose size changes, handed on", .params = "%x: Tensor[(n), f64]",
     .body = "%r = @cell(%x)\nfor %i in 2, () { write(%r, concat([read(%r), %x * 2.0], axis=0))\n() }\nsum(read(%r) * read(%r))", .others = types},
    {.name = "of vectors in loops and arms", .params = "%x: Tensor[(n, d), f64], %w: Tensor[(d), f64]",
     .body = "%r = @cell(%w)\n%h = for %i in n, (%h = %w) { if (sum(%x[%i]) > 0.0) { @bump(%r, tanh(%x[%i] + %h)) } else { write(%r, read(%r) + %h) }\ntanh(read(%r) * 0.5) }\n"
             "sum(%h * read(%r))", .others = types},
    {.name = "gradient inside a gradient", .params = "%x: f64",
     .body = "grad(fn(%y) { %r = @cell(%y * %x)\n@bump(%r, %y)\n@bump(%r, read(%r))\nread(%r) }, mode=$MODE)(%x) * %x", .others = types},
    {.name = "cells around and inside of a gradient", .params = "%x: f64",
     .body = "%s = @cell(%x)\n@bump(%s, %x)\n%v = read(%s)\nwrite(%s, grad(fn(%y) { %r = @cell(%y * %v)\nfor %i in 2, () { @bump(%r, %y)\n() }\nread(%r) }, mode=$MODE)(%x))\nread(%s) * %x", .others = types},
    {.name = "a cell of the outer one written by the inner one", .params = "%x: f64",
     .body = "%s = @cell(%x * 1.5)\n%g = grad(fn(%y) { write(%s, read(%s) * %y * %x)\nread(%s) * %y }, mode=$MODE)(%x + 0.5)\n%g * read(%s)", .others = types},
};

std::string in_both_forms(std::string program) {
    std::string found[2];
    for (bool product : {false, true}) {
        std::string text = program;
        for (size_t at = text.find("$MODE"); at != std::string::npos; at = text.find("$MODE")) text.replace(at, 5, product ? "\"product\"" : "\"closures\"");
        found[product] = shown(text);
    }
    EXPECT_EQ(found[0], found[1]) << program;
    return found[1];
}

// Captured is constant: its content when the gradient is asked for. What is written stays, and no adjoint stays.
TEST(CellGradient, OfCellsFromOutside) {
    EXPECT_EQ(in_both_forms("def @main() { %r = ref(2.0)\n%f = grad(fn(%x) { write(%r, read(%r) * %x)\nread(%r) * %x }, mode=$MODE)\n"
                            "%a = %f(3.0)\n%b = read(%r)\n%c = %f(3.0)\n(%a, %b, %c, read(%r)) }"), "(f32 12, f32 6, f32 36, f32 18)");
    EXPECT_EQ(in_both_forms("def @main() { %p = (ref(2.0), 7, ref(5.0))\n"
                            "%g = grad(fn(%c, %x) { write(%c.0, read(%c.2) * %x)\nread(%c.0) * %x * cast(%c.1, f32) }, wrt=[1], mode=$MODE)(%p, 3.0)\n(%g, read(%p.0)) }"),
              "(f32 210, f32 15)");
    EXPECT_EQ(in_both_forms("def @main() { %n = ref(0)\n%g = grad(fn(%x) { write(%n, read(%n) + 1)\n%x * cast(read(%n), f32) }, mode=$MODE)(3.0)\n(%g, read(%n)) }"),
              "(f32 1, i64 1)");
    EXPECT_EQ(in_both_forms("def @f(%r: Ref[f32], %x: f32, %n: i64) -> f32 { if (%n == 0) { read(%r) } else { write(%r, read(%r) * %x)\n@f(%r, %x, %n - 1) } }\n"
                            "def @main() { %r = ref(2.0)\n(value_and_grad(@f, wrt=[1], mode=$MODE)(%r, 3.0, 2), read(%r)) }"), "((f32 18, f32 12), f32 18)");
}

// Left to the reference form.
TEST(CellGradient, IsRefusedInTheProductForm) {
    auto product = [](const std::string& types, const std::string& body) {
        return refusal(types + "def @main() { " + body + " }");
    };
    EXPECT_EQ(product("", "%s = [ref(2.0)]\ngrad(fn(%x) { read(%s[0]) * %x }, mode=\"product\")(3.0)"),
              "unsupported: grad: the product form does not take a structure with cells from outside yet | leave out the mode");
    EXPECT_EQ(product("def @w(%r) { write(%r, 1.0)\nfalse }\n", "grad(fn(%x) { %r = ref(%x)\nmatch (1) { 1 if @w(%r) => 1.0, _ => read(%r) } }, mode=\"product\")(3.0)"),
              "unsupported: grad: the product form does not take a guard that writes a cell yet | leave out the mode");
    EXPECT_EQ(product("type Ring = End | Link(f32, Ref[Ring])\n", "grad(fn(%x) { match (Link(%x, ref(End))) { End => 1.0, Link(%v, _) => %v } }, mode=\"product\")(3.0)"),
              "unsupported: grad: the product form does not take data that holds itself in a cell yet | leave out the mode");
    EXPECT_EQ(product("type V[d: dim] = V(Ref[Tensor[(d), f32]])\n", "grad(fn(%x) { match (V(ref(%x))) { V(%r) => sum(read(%r)) } }, mode=\"product\")(tensor([1.0, 2.0]))"),
              "unsupported: grad: the product form does not take cells in data that names sizes yet | leave out the mode");
    EXPECT_EQ(shown("def @w(%r) { write(%r, read(%r) * 2.0)\nfalse }\n"
                    "def @main() { grad(fn(%x) { %r = ref(%x)\nmatch (1) { 1 if @w(%r) => 1.0, _ => read(%r) } })(3.0) }"), "f32 2");
}

class CellGradients : public testing::TestWithParam<GradientCase> {};
TEST_P(CellGradients, IsTheCentralDifference) { check_gradient(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Cells, CellGradients, testing::ValuesIn(cases), [](const auto& info) { return case_name(info.param.name); });
} // namespace
} // namespace nereus
