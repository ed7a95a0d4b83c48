// Gradients where the product form has something to do: tapes across calls, arms and loops, adjoints of data. Both forms
// against central differences.
#include "grad/gradient_testing.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
constexpr const char* types = "type Tree[a] = Leaf(a) | Node(Tree[a], Tree[a])\n"
                              "type List[a] = Nil | Cons(a, List[a])\n"
                              "def @total(%l) { match (%l) { Nil => 0.0, Cons(%x, %r) => %x * %x + @total(%r) * 0.7 } }\n";
const GradientCase cases[] = {
    {.name = "calls", .params = "%x: Tensor[(n), f64], %y: Tensor[(n), f64]", .body = "sum(@f(@f(%x, %y), %x * %y))",
     .others = "def @f(%a, %b) { tanh(%a * %b) + %a * 0.5 }"},
    {.name = "call that keeps nothing", .params = "%x: f64", .body = "@f(%x) * @f(%x * 2.0)", .others = "def @f(%a) { %a + 3.0 }"},
    {.name = "call with constants", .params = "%x: f64", .body = "@f(%x, 2.0) * @f(3.0, %x) * @f(1.0, 2.0)", .others = "def @f(%a, %b) { %a * %b + exp(%b * 0.1) }"},
    {.name = "one value given twice", .params = "%x: f64, %p: (f64, f64)", .body = "@f(%x, %x) * @g(%p, %p.0)",
     .others = "def @f(%a, %b) { %a * %b * %b }\ndef @g(%p, %q) { %p.0 * %p.1 + %q * %q }"},
    {.name = "one value given twice to a recursion", .params = "%p: (f64, f64)", .body = "@g(%p, %p.0, 3)",
     .others = "def @g(%p: (f64, f64), %q: f64, %n: i64) -> f64 { if (%n == 0) { %q } else { %p.0 * @g(%p, %q, %n - 1) + %p.1 * %q } }"},
    {.name = "rows of a table in calls", .params = "%x: Tensor[(4, 3), f64], %i: Tensor[(k), i64]",
     .body = "%s = for %j in k, (%s = 0.0) { %s * 0.5 + @pick(%x, %i[%j]) }\n%s + @pick(%x, 1)",
     .others = "def @pick(%t, %i) { sum(%t[%i] * %t[0, :2][0]) + sum(%t[1:3]) }"},
    {.name = "part of a result", .params = "%x: f64, %y: f64", .body = "%r = @f(%x, %y)\n%r.1 * 2.0",
     .others = "def @f(%a, %b) { (%a * %b, exp(%a), %b) }"},
    {.name = "sizes as numbers", .params = "%x: Tensor[(n), f64], %y: Tensor[(2 * n), f64]", .body = "@mean(%x) * @mean(%x * %x) + sum(@halves(%y) * 0.5)",
     .others = "def @mean(%x: Tensor[(n), f64]) { %s = sum(%x) / cast(n + 1, f64)\n%s * cast(n, f64) * %s }\n"
               "def @halves(%x: Tensor[(m), f64]) { %y = reshape(%x, [m // 2, 2])\nslice(%y * %y, [0], [m // 2], axes=[0]) }"},
    {.name = "sizes as reals", .params = "%x: Tensor[(n, d), f64]", .body = "@mean(%x * %x) * @mean(%x)", .others = "def @mean(%x: Tensor[(n, d), f64]) { sum(%x) / (n * d + 1) }"},
    {.name = "if in for", .params = "%x: f64, %y: f64",
     .body = "for %i in 6, (%s = %x) { if (mod(%i, 2) == 0) { %s * %y } else { %s + %x * %x * 0.1 } }"},
    {.name = "for in if", .params = "%x: f64, %y: f64", .body = "if (%x > 0.0) { for %i in 3, (%s = %x) { %s * %y } } else { %y * %y }"},
    {.name = "for in for", .params = "%x: Tensor[(n, d), f64], %w: Tensor[(d), f64]",
     .body = "%r = for %i in n, (%s = %w) { for %j in 2, (%t = %s) { tanh(%t * %w + %x[%i]) } }\nsum(%r * %w)"},
    {.name = "while in for", .params = "%x: f64",
     .body = "for %i in 3, (%s = %x) { %r = while (%t = %s * %s + 1.0, %n = 0) (%n < %i) { (%t * 0.5 + %x, %n + 1) }\n%r.0 }"},
    {.name = "while that keeps nothing", .params = "%x: f64", .body = "%r = while (%s = %x, %n = 0) (%n < 3) { (%s + %s, %n + 1) }\n%r.0 * %x"},
    {.name = "states that are exchanged", .params = "%x: f64, %y: f64",
     .body = "%r = for %i in 5, (%a = %x, %b = %y) { (%b, %a * %b * 0.5) }\n%r.0 * %r.1 + %x"},
    {.name = "state that does not matter", .params = "%x: f64", .body = "%r = for %i in 3, (%a = %x, %b = %x) { (%a * %x, 1.5) }\n%r.0 * %r.1"},
    {.name = "states that are structures", .params = "%x: f64, %y: f64",
     .body = "%r = for %i in 4, (%p = (%x, (%y, 3))) { (%p.0 * %p.1.0, (%p.1.0 + %x * 0.1, %i)) }\n%r.0 + %r.1.0"},
    {.name = "states that are records", .params = "%s: S, %x: f64", .body = "%r = for %i in 3, (%s = %s) { {%s with h = tanh(%s.h * %x + %s.c)} }\n%r.h * %r.c",
     .others = "type S = {h: f64, c: f64}"},
    {.name = "matmul in a loop", .params = "%w: Tensor[(d, d), f64], %x: Tensor[(n, d), f64]",
     .body = "%r = for %i in n, (%h = sum(%x, axes=[0])) { tanh(matmul(%w, %h) + %x[%i]) }\nsum(%r * %r)"},
    {.name = "matmul in an arm and a call", .params = "%w: Tensor[(d, d), f64], %x: Tensor[(d), f64], %b: bool",
     .body = "%h = if (%b) { matmul(%x, %w) } else { @twice(%w, %x) }\nsum(%h * %x)", .others = "def @twice(%w, %x) { matmul(%w, matmul(%w, %x)) }"},
    {.name = "state that grows", .params = "%x: Tensor[(d), f64]",
     .body = "%r = for %i in 3, (%s = %x) { tanh(concat([%s * 0.5, %x], axis=0)) }\nsum(%r * %r)"},
    {.name = "yields and states of calls", .params = "%x: Tensor[(n, d), f64], %w: Tensor[(d), f64]",
     .body = "%r = for %i in n, (%h = %w) { %k = @cell(%h, %x[%i])\nyield %k.1\n%k.0 }\nsum(%r.1 * %r.1) + sum(%r.0)",
     .others = "def @cell(%h, %x) { %n = tanh(%h * 0.5 + %x)\n(%n, %n * %h) }"},
    {.name = "loop of late sizes", .params = "%x: Tensor[(n), f64]",
     .body = "for %i in 3, (%s = 0.5) { %k = nonzero(%x > cast(%i, f64) - 1.0)\n%s * 0.5 + sum(exp(gather(%x, %k[0]) * %s)) }", .low = -1.4, .high = 1.4},
    {.name = "what a loop without states collects", .params = "%x: Tensor[(n), f64], %w: Tensor[(n), f64]",
     .body = "%y = for %i in n, () { yield %x[%i] * tanh(%w[%i]); () }\nsum(%y * %x) + sum(for %i in n, () { yield sum(%y[0:%i]); () })"},
    {.name = "sizes that a fact makes, twice", .params = "%x: Tensor[(2 * k), f64], %w: Tensor[(k), f64]",
     .body = "sum(grad(fn(%x) { @f(%x, %w) }, mode=$MODE)(%x) * %x)",
     .others = "def @f(%x: Tensor[(n), f64], %w: Tensor[(k), f64]) -> f64 where mod(n, k) == 0 { sum(%x[0 : n - k] * %x[0 : n - k]) }", .smallest = false},
    {.name = "recursion in a loop", .params = "%x: f64", .body = "for %i in 3, (%s = %x) { @power(%s, %i) * 0.5 + %x }",
     .others = "def @power(%x: f64, %n: i64) -> f64 { if (%n == 0) { 1.0 } else { %x * @power(%x, %n - 1) } }"},
    {.name = "loop in a recursion", .params = "%x: Tensor[(d), f64], %w: Tensor[(d), f64]", .body = "sum(@deep(%x, %w, 3))",
     .others = "def @deep(%x, %w, %n: i64) { if (%n == 0) { %x * %w } else { @deep(for %i in %n, (%s = %x) { tanh(%s * %w) }, %w, %n - 1) + %x } }"},
    {.name = "two recursions", .params = "%x: f64", .body = "@outer(%x, 3)",
     .others = "def @inner(%x: f64, %n: i64) -> f64 { if (%n == 0) { %x } else { tanh(@inner(%x * 0.9, %n - 1)) } }\n"
               "def @outer(%x: f64, %n: i64) -> f64 { if (%n == 0) { %x } else { @inner(%x, %n) * @outer(%x * 0.8, %n - 1) } }"},
    {.name = "data made and taken apart", .params = "%x: f64, %y: f64", .body = "@total(Cons(%x * %y, Cons(%y, Cons(exp(%x), Nil))))", .others = types},
    {.name = "data made in a loop", .params = "%x: f64", .body = "@total(for %i in 4, (%l = Cons(%x, Nil)) { Cons(%x * cast(%i, f64), %l) })", .others = types},
    {.name = "data from a recursion", .params = "%t: Tree[Tensor[(d), f64]], %w: Tensor[(d), f64]", .body = "sum(@sum(@scaled(%t, %w)))",
     .others = std::string(types) +
               "def @scaled(%t, %w) { match (%t) { Leaf(%v) => Leaf(tanh(%v * %w)), Node(%l, %r) => Node(@scaled(%l, %w), @scaled(%r, %w)) } }\n"
               "def @sum(%t) { match (%t) { Leaf(%v) => %v * %v, Node(%l, %r) => @sum(%l) * @sum(%r) + @sum(%l) } }"},
    {.name = "one path of a tree", .params = "%t: Tree[Tensor[(d), f64]]", .body = "sum(@left(%t, 2) * @left(%t, 3))",
     .others = std::string(types) + "def @left(%t, %n: i64) { match (%t) { Leaf(%v) => %v * %v, Node(%l, %r) => if (%n == 0) { @left(%r, 0) } else { @left(%l, %n - 1) } } }"},
    {.name = "a tree shared", .params = "%x: f64", .body = "%t = for %i in 6, (%t = Leaf(%x)) { Node(%t, %t) }\n@sum(%t)",
     .others = std::string(types) + "def @sum(%t) { match (%t) { Leaf(%v) => tanh(%v), Node(%l, %r) => @sum(%l) * 0.3 + @sum(%r) * 0.4 } }"},
    {.name = "nested patterns", .params = "%t: Tree[f64], %x: f64",
     .body = "match ((%t, %x)) { (Leaf(%v), %y) => %v * %y, (Node(Leaf(%a), Leaf(%b)), _) => %a * %b, "
             "(Node(Node(%l, _), %r), %y) if %y > 0.0 => %y * @first(%l) + @first(%r), (Node(%l, %r), %y) => @first(%l) * %y + @first(%r) * 0.5 }",
     .others = std::string(types) + "def @first(%t) { match (%t) { Leaf(%v) => %v * %v, Node(%l, _) => @first(%l) } }"},
    {.name = "fields that are structures", .params = "%x: f64, %y: f64, %o: O",
     .body = "%o = if (%x > 0.0) { Some((%x * %y, {a = %y, n = 2})) } else { %o }\nmatch (%o) { None => %x, Some((%v, {a = %a})) => %v * %a * %x, Other(%p) => %p.a * %x }",
     .others = "type P = {a: f64, n: i64}\ntype O = None | Some((f64, P)) | Other(P)"},
    {.name = "records that hold themselves", .params = "%r: Rose, %x: f64", .body = "@rose(%r, %x) * %r.v",
     .others = "type Rose = {v: f64, next: Forest}\ntype Forest = End | More(Rose, Forest)\n"
               "def @rose(%r: Rose, %x: f64) -> f64 { %r.v * %x + @forest(%r.next, %x) }\n"
               "def @forest(%f: Forest, %x: f64) -> f64 { match (%f) { End => 1.0, More(%r, %rest) => @rose(%r, %x) * 0.5 + @forest(%rest, %x) } }"},
    {.name = "arms that read different values", .params = "%x: Tensor[(n), f64], %y: Tensor[(n), f64], %b: bool",
     .body = "%h = if (%b) { tanh(%x) } else { %y * 2.0 }\n%k = if (%b) { %h } else { exp(%h * 0.1) * %x }\nsum(%k * %h)"},
    {.name = "match on a constant", .params = "%x: f64, %n: i64", .body = "match (%n) { 0 => %x, 1 => %x * %x, _ => exp(%x) * 0.5 }"},
    {.name = "stopped in a loop", .params = "%x: f64", .body = "for %i in 3, (%s = %x) { %s + stop_gradient(%s * 0.0) * %x }"},
    {.name = "Seq that grows and is read", .params = "%x: Tensor[(d), f64]",
     .body = "%s = for %i in 4, (%s = [%x]) { push(%s, tanh(%s[%i] * %x) + %s[0]) }\nsum(%s[4] * %s[2]) + cast(length(%s), f64) * sum(%s[1])"},
    {.name = "Seq pushed twice", .params = "%x: f64, %y: f64", .body = "%s = [%x, %y]\n%a = push(%s, %x * %y)\n%b = push(%s, exp(%y))\n%a[2] * %b[2] + %a[0] * %b[1] * %s[0]"},
    {.name = "Seq of different sizes", .params = "%x: Tensor[(d), f64]",
     .body = "%s = push([%x * %x], concat([%x, %x], axis=0))\n%t = push(%s, exp(%x))\n"
             "for %i in length(%t), (%a = 0.0) { %v = if (mod(%i, 2) == 0) { %t[%i] } else { %s[%i] }\n%a * 0.5 + sum(%v * %v) }"},
    {.name = "Seq of structures in calls", .params = "%s: Seq[(f64, List[f64])], %x: f64",
     .body = "%t = set(push(%s, (%x, Cons(%x * %x, Nil))), 0, (%x, Nil))\n@fold(%t, %x) + @fold(%s, %x)",
     .others = std::string(types) + "def @fold(%s, %x) { for %i in length(%s), (%a = %x) { %e = %s[%i]\n%a * 0.5 + %e.0 * @total(%e.1) } }"},
    {.name = "Seq in data", .params = "%r: Rose2, %x: f64", .body = "@grown(%r, %x) + @grown(%r, %x * 0.5)",
     .others = "type Rose2 = Tip(f64) | Bush(Seq[Rose2], f64)\n"
               "def @grown(%r: Rose2, %x: f64) -> f64 { match (%r) { Tip(%v) => tanh(%v) * %x, Bush(%s, %v) => "
               "(for %i in length(%s), (%a = %v) { %a * 0.5 + @grown(%s[%i], %x) * %v }) } }"},
    {.name = "second order of a line", .params = "%x: Tensor[(n), f64], %y: Tensor[(n), f64]",
     .body = "%g = grad(fn(%x) { sum(tanh(%x * %y) / (%x * %x + 1.0)) }, mode=$MODE)(%x)\nsum(%g * %g * %y)"},
    {.name = "second order of matmul", .params = "%x: Tensor[(n, k), f64], %y: Tensor[(k, m), f64]",
     .body = "%g = grad(@f, mode=$MODE)(%x, %y)\nsum(%g.0 * %g.0) + sum(%g.1 * %y)", .others = "def @f(%x, %y) { sum(tanh(matmul(%x, %y))) }"},
    {.name = "second order of a branch", .params = "%x: f64, %y: f64",
     .body = "%g = grad(fn(%a, %b) { if (%a > %b) { %a * %b * %b } else { exp(%a) * %b } }, mode=$MODE)(%x, %y)\n%g.0 * %g.1"},
    {.name = "second order of a loop", .params = "%x: Tensor[(n, d), f64], %w: Tensor[(d), f64]",
     .body = "%g = grad(@rnn, wrt=[1], mode=$MODE)(%x, %w)\nsum(%g * %g)",
     .others = "def @rnn(%x: Tensor[(n, d), f64], %w) { %h = for %i in n, (%h = %w) { tanh(%h * %w + %x[%i]) }\nsum(%h * %h) }"},
    {.name = "second order of a loop, whichever form the inner one takes", .params = "%x: Tensor[(n, d), f64], %w: Tensor[(d), f64]",
     .body = "%g = grad(@rnn, wrt=[1])(%x, %w)\nsum(%g * %g)",
     .others = "def @rnn(%x: Tensor[(n, d), f64], %w) { %h = for %i in n, (%h = %w) { tanh(%h * %w + %x[%i]) }\nsum(%h * %h) }"},
    {.name = "second order of a tree", .params = "%t: Tree[Tensor[(d), f64]], %w: Tensor[(d), f64]",
     .body = "%g = grad(@f, wrt=[1], mode=$MODE)(%t, %w)\nsum(%g * %g * %w)",
     .others = std::string(types) + "def @sum(%t, %w) { match (%t) { Leaf(%v) => tanh(%v * %w), Node(%l, %r) => @sum(%l, %w) * @sum(%r, %w) + %w } }\n"
               "def @f(%t, %w) { sum(@sum(%t, %w)) }"},
    {.name = "second order of a table", .params = "%x: Tensor[(4, d), f64], %i: Tensor[(k), i64]",
     .body = "%g = grad(@f, wrt=[0], mode=$MODE)(%x, %i)\nsum(%g * %g)",
     .others = "def @f(%x, %i: Tensor[(k), i64]) { for %j in k, (%s = 0.0) { %s * 0.5 + sum(tanh(%x[%i[%j]])) * %s + sum(%x[1:3] * %x[1:3]) } }"},
    {.name = "third order", .params = "%x: f64", .body = "grad(fn(%x) { grad(fn(%x) { tanh(%x) * %x }, mode=$MODE)(%x) * %x }, mode=$MODE)(%x)"},
    {.name = "closure over tensors, handed on", .params = "%x: Tensor[(n), f64], %w: Tensor[(n), f64]", .body = "sum(@twice(fn(%a) { tanh(%a * %w) }, %x))",
     .others = "def @twice(%f, %x) { %f(%f(%x)) }"},
    {.name = "closures of one type with other sizes", .params = "%x: Tensor[(n), f64], %w: Tensor[(3), f64]",
     .body = "%s = [fn(%a) { sum(%x) * %a }, fn(%a) { sum(%w * %w) + %a }]\nfor %i in 3, (%a = 0.5) { %f = %s[mod(%i, 2)]\n%f(%a) }"},
    {.name = "closure that a loop makes", .params = "%x: f64, %w: f64",
     .body = "%f = for %i in 3, (%f = fn(%a) { %a * %x }) { fn(%a) { tanh(%f(%a) * %w) } }\n%f(%x) + %f(1.0)"},
    {.name = "closure in a recursion", .params = "%x: f64, %n: i64", .body = "@down(fn(%a) { %a * %x }, mod(%n, 4))(%x)",
     .others = "def @down(%f: fn(f64) -> f64, %n: i64) -> fn(f64) -> f64 { if (%n <= 0) { %f } else { @down(fn(%a) { %f(%a) + %a * %a }, %n - 1) } }"},
    {.name = "closure with sizes of its own", .params = "%x: Tensor[(n), f64]", .body = "%f = fn(%a: Tensor[(m), f64]) { sum(%a) / cast(n + m + 1, f64) }\n%f(%x) * %f(%x * %x)"},
    {.name = "second order of closures", .params = "%x: f64, %y: f64",
     .body = "grad(fn(%b) { %f = if (%x > 0.0) { fn(%a) { %a * %a * %y } } else { fn(%a) { exp(%a * %y * 0.3) } }\n%f(%b) * %b }, mode=$MODE)(%x)"},
    {.name = "gradient inside a closure", .params = "%x: f64, %y: f64", .body = "@twice(fn(%a) { grad(fn(%b) { %b * %b * %a * %y }, mode=$MODE)(%a) * 0.2 }, %x)",
     .others = "def @twice(%f, %x) { %f(%f(%x)) }"},
    {.name = "checkpoint", .params = "%x: Tensor[(n), f64], %w: Tensor[(n), f64]", .body = "%r = for %i in 3, (%h = %x) { checkpoint(@f)(%h, %w) }\nsum(%r)",
     .others = "def @f(%x, %w) { tanh(%x * %w) * sum(%x) }"},
    {.name = "checkpoint of a lambda", .params = "%x: Tensor[(n), f64], %w: Tensor[(n), f64]",
     .body = "%k = %w * 2.0\n%r = for %i in 3, (%h = %x) { checkpoint(fn(%a) { tanh(%a) * %k + cast(%i, f64) })(%h) }\nsum(%r)"},
    {.name = "checkpoint in a checkpoint", .params = "%x: f64", .body = "checkpoint(fn(%a) { checkpoint(@f)(%a * %a) * %a })(%x)", .others = "def @f(%x) { tanh(%x) * %x }"},
    {.name = "checkpoint of a structure", .params = "%l: List[f64], %p: (f64, i64)", .body = "checkpoint(@g)(%l, %p).0",
     .others = std::string(types) + "def @g(%l, %p) { (@total(%l) * %p.0, %p.1) }"},
    {.name = "checkpoint of its own recursion", .params = "%x: Tensor[(k), f64]", .body = "sum(@go(4, %x))",
     .others = "def @go(%n: i64, %x: Tensor[(k), f64]) -> Tensor[(k), f64] { if (%n == 0) { %x * %x } else { tanh(checkpoint(@go)(%n - 1, %x * 0.9) + %x) } }"},
    {.name = "checkpoint of what calls the function", .params = "%x: f64", .body = "@f(%x, 3)",
     .others = "def @f(%x: f64, %n: i64) -> f64 { if (%n == 0) { %x } else { tanh(checkpoint(fn(%x) { %x * @f(%x, %n - 1) })(%x)) } }"},
    {.name = "second order of a checkpointed recursion", .params = "%x: f64", .body = "grad(fn(%p) { @f(%p, 2) }, mode=$MODE)(%x)",
     .others = "def @f(%p: f64, %k: i64) -> f64 { if (%k == 0) { %p } else { %l = if (%k == 2) { checkpoint(@f)(%p, %k - 1) } else { @f(%p, %k - 1) }\n"
               "tanh(%l * checkpoint(@f)(%p, %k - 1)) } }"},
    {.name = "checkpoint in a mutual recursion", .params = "%x: f64", .body = "@a(4, %x)",
     .others = "def @a(%n: i64, %x: f64) -> f64 { if (%n == 0) { %x * %x } else { tanh(checkpoint(@b)(%n - 1, %x * 0.9) + %x) } }\n"
               "def @b(%n: i64, %x: f64) -> f64 { if (%n == 0) { exp(%x) } else { %x * checkpoint(@a)(%n - 1, %x * 0.8) } }"},
    {.name = "second order of a checkpoint", .params = "%x: f64, %y: f64", .body = "grad(fn(%a) { checkpoint(@f)(%a, %y) * %a }, mode=$MODE)(%x)", .others = "def @f(%x, %y) { tanh(%x * %y) * %x }"},
    {.name = "split and topk in a call", .params = "%x: Tensor[(6), f64]", .body = "@f(%x)",
     .others = "def @f(%x) { %p = split(%x, [2, 4], axis=0)\nsum(%p.1 * %p.1) + sum(topk(%x, 3).0 * topk(%x, 3).0) }"},
};

// Each program in both forms, with the same result.
std::string in_both_forms(const std::string& program) {
    auto in_form = [&](const std::string& mode) {
        std::string text = program;
        for (size_t at = text.find("$MODE"); at != std::string::npos; at = text.find("$MODE")) text.replace(at, 5, '"' + mode + '"');
        return shown(text);
    };
    std::string product = in_form("product");
    EXPECT_EQ(product, in_form("closures")) << program;
    return product;
}

TEST(Product, CustomRules) {
    std::string rule = "def @sq(%x) with vjp = (@fwd, @bwd) { %x * %x }\ndef @fwd(%x) { (%x * %x, %x) }\n"
                       "def @bwd(%r, %d) { %d * %r * 20.0 }\n";
    EXPECT_EQ(in_both_forms(rule + "def @main() { grad(fn(%x) { @sq(%x) * 2.0 }, mode=$MODE)(3.0) }"), "f32 120");
    EXPECT_EQ(in_both_forms(rule + "def @main() { grad(@sq, mode=$MODE)(3.0) }"), "f32 60");
    EXPECT_EQ(in_both_forms(rule + "def @main() { grad(fn(%x) { grad(@sq, mode=$MODE)(%x) }, mode=$MODE)(3.0) }"), "f32 20");
    EXPECT_EQ(in_both_forms("type P = {a: f32, n: i64}\ndef @f(%p: P, %x) with vjp = (@fwd, @bwd) { %p.a * %x }\n"
                            "def @fwd(%p: P, %x) { (%p.a * %x, (%p, %x)) }\n"
                            "def @bwd(%r, %d) { ({a = %d * %r.1, n = 5}, %d * %r.0.a) }\n"
                            "def @main() { grad(fn(%p: P, %x) { @f(%p, %x) * 2.0 }, mode=$MODE)({a = 3.0, n = 1}, 4.0) }"),
              "({a = f32 8, n = i64 0}, f32 6)");
    EXPECT_EQ(in_both_forms("type L = Nil | Cons(f32, L)\ndef @f(%l: L, %x: f32) -> (L, f32) with vjp = (@fwd, @bwd) { (%l, %x) }\n"
                            "def @fwd(%l: L, %x: f32) -> ((L, f32), ()) { ((%l, %x), ()) }\n"
                            "def @bwd(%r, %d: (L, f32)) -> (L, f32) { (match (%d.0) { Nil => Nil, Cons(%a, %r) => Cons(%a * 3.0, %r) }, %d.1 * 2.0) }\n"
                            "def @head(%l: L) -> f32 { match (%l) { Nil => 0.0, Cons(%a, _) => %a * %a } }\n"
                            "def @main() { grad(fn(%l: L, %x) { %p = @f(%l, %x)\n@head(%p.0) * %p.1 }, mode=$MODE)(Cons(2.0, Cons(5.0, Nil)), 7.0) }"),
              "(Cons(f32 84, Cons(f32 0, Nil)), f32 8)");
}

TEST(Product, FormsOfGradients) {
    EXPECT_EQ(in_both_forms("def @f(%x, %y) { %x * %y }\ndef @main() { value_and_grad(@f, wrt=[1], mode=$MODE)(3.0, 4.0) }"), "(f32 12, f32 3)");
    EXPECT_EQ(in_both_forms("def @f(%x) { (%x * %x, 2) }\ndef @main() { vjp(@f, mode=$MODE)(tensor([3.0, 4.0]), (tensor([1.0, 10.0]), 0)) }"),
              "Tensor[(2), f32] [6, 80]");
    EXPECT_EQ(in_both_forms("def @apply(%f, %x) { %f(%x) }\ndef @main() { %k = 2.0 * 1.0\n@apply(grad(fn(%x) { exp(%x) * 0.0 + %x * %k }, mode=$MODE), 1.0) }"), "f32 2");
    EXPECT_EQ(in_both_forms("def @main() { %g = grad(fn(%x) { %x * %x * %x }, mode=$MODE)\n(%g(1.0), %g(2.0)) }"), "(f32 3, f32 12)");
    EXPECT_EQ(in_both_forms("def @main() { %f = fn(%a) { grad(fn(%b) { %b * %a }, mode=$MODE)(1.0) }\n2.0 }"), "f32 2");
    EXPECT_EQ(in_both_forms("def @f(%x, %y) { %y }\ndef @main() { grad(@f, mode=$MODE)(3.0, 4.0) }"), "(f32 0, f32 1)");
    EXPECT_EQ(in_both_forms("def @main() { %x = tensor([1.0, 2.0])\ngrad(fn(%w) { sum(%w * %x) }, mode=$MODE)(%x) }"), "Tensor[(2), f32] [1, 2]");
    EXPECT_EQ(in_both_forms("def @main() { grad(fn(%x) { %p = stop_gradient((%x, [%x * %x]))\n%p.0 * %x + %p.1[0] * %x }, mode=$MODE)(3.0) }"), "f32 12");
    EXPECT_EQ(in_both_forms("type P = {a: f32, l: Seq[f32]}\ndef @main() { grad(fn(%p: P) { stop_gradient(%p).a * %p.a + stop_gradient(%p.l)[0] * %p.l[0] }, mode=$MODE)({a = 3.0, l = [4.0]}) }"),
              "{a = f32 3, l = [f32 4]}");
    // results that are data or Seq
    std::string list = "type L = Nil | Cons(f32, L)\ndef @twice(%l: L, %x: f32) -> L { match (%l) { Nil => Nil, Cons(%a, %r) => Cons(%a * %x, @twice(%r, %x)) } }\n";
    EXPECT_EQ(in_both_forms(list + "def @main() { vjp(@twice, mode=$MODE)(Cons(2.0, Cons(5.0, Nil)), 3.0, Cons(1.0, Cons(10.0, Nil))) }"),
              "(Cons(f32 3, Cons(f32 30, Nil)), f32 52)");
    EXPECT_EQ(in_both_forms("def @f(%x) { ([%x * %x, %x + 1.0], 3) }\ndef @main() { vjp(@f, mode=$MODE)(3.0, ([10.0, 1.0], 0)) }"), "f32 61");
    EXPECT_NE(refusal("def @main(%d: Tensor[(3), f32], %x: Tensor[(2), f32]) { vjp(fn(%x) { %x * %x }, mode=\"product\")(%x, %d) }"), "");
}

TEST(Product, Tangents) {
    EXPECT_EQ(shown("def @main() { jvp(fn(%x) { %x * %x })(3.0, 2.0) }"), "(f32 9, f32 12)");
    EXPECT_EQ(shown("def @f(%x, %y) { %x * %y }\ndef @main() { (jvp(@f)(3.0, 4.0, 1.0, 10.0), jvp(@f, wrt=[1])(3.0, 4.0, 1.0)) }"),
              "((f32 12, f32 34), (f32 12, f32 3))");
    EXPECT_EQ(shown("def @main() { jvp(fn(%x) { (sum(%x), %x * %x, 7) })(tensor([1.0, 2.0]), tensor([1.0, 10.0])) }"),
              "((f32 3, Tensor[(2), f32] [1, 4], i64 7), (f32 11, Tensor[(2), f32] [2, 40], i64 0))");
    std::string list = "type L = Nil | Cons(f32, L)\ndef @twice(%l: L, %x: f32) -> L { match (%l) { Nil => Nil, Cons(%a, %r) => Cons(%a * %x, @twice(%r, %x)) } }\n";
    EXPECT_EQ(shown(list + "def @main() { jvp(@twice)(Cons(2.0, Cons(5.0, Nil)), 3.0, Cons(1.0, Cons(0.0, Nil)), 10.0) }"),
              "(Cons(f32 6, Cons(f32 15, Nil)), Cons(f32 23, Cons(f32 50, Nil)))");
    // of a rule of one's own: the transpose of what it says
    EXPECT_EQ(shown("def @sq(%x) with vjp = (@fwd, @bwd) { %x * %x }\ndef @fwd(%x) { (%x * %x, %x) }\n"
                    "def @bwd(%r, %d) { %d * %r * 20.0 }\ndef @main() { jvp(@sq)(3.0, 1.0) }"), "(f32 9, f32 60)");
    // Hessian times vector, both ways round
    EXPECT_EQ(shown("def @f(%x, %y) { %x * %x * %x * %y }\ndef @main() { jvp(grad(@f))(2.0, 3.0, 1.0, 10.0) }"),
              "((f32 36, f32 8), (f32 156, f32 12))");
    EXPECT_EQ(shown("def @f(%x, %y) { %x * %x * %x * %y }\ndef @main() { grad(fn(%x, %y) { jvp(@f)(%x, %y, 1.0, 10.0).1 })(2.0, 3.0) }"),
              "(f32 156, f32 12)");
    EXPECT_EQ(shown("def @main() { jvp(fn(%x) { %f = if (%x > 0.0) { fn(%a) { %a * %x } } else { fn(%a) { %a } }\n%f(%x) })(3.0, 1.0) }"), "(f32 9, f32 6)");
    EXPECT_EQ(shown("def @main() { jvp(fn(%x) { stop_gradient(%x) * %x })(3.0, 1.0) }"), "(f32 9, f32 3)");
    EXPECT_EQ(refusal("def @main() { %r = ref(2.0)\njvp(fn(%x) { read(%r) * %x })(3.0, 1.0) }"), "unsupported: jvp: the product form does not take a cell from outside yet");
    EXPECT_EQ(refusal("def @main() { jvp(fn(%x) { %x }, mode=\"closures\")(3.0, 1.0) }"),
              "unsupported: jvp has no mode \"closures\" | write mode=\"product\", or leave it out");
    EXPECT_NE(refusal("def @main(%d: Tensor[(3), f32], %x: Tensor[(2), f32]) { jvp(fn(%x) { %x * %x })(%x, %d) }"), "");
}

TEST(Product, CheckpointsRefuseWhatIsSeenTwice) {
    EXPECT_EQ(refusal("def @main(%x: f32) { %r = ref(%x)\ncheckpoint(fn(%a) { write(%r, %a)\n%a })(%x) }"),
              "unsupported: checkpoint: what is run again has a cell from outside | checkpoint code that does nothing but compute its result");
    EXPECT_EQ(refusal("def @f(%x: f32) { print(\"x\", %x)\n%x }\ndef @main(%x: f32) { grad(fn(%a) { checkpoint(@f)(%a) })(%x) }"),
              "unsupported: checkpoint: what is run again prints | checkpoint code that does nothing but compute its result");
    // cells of its own are made again, and nobody sees that
    std::string own = "def @bump(%r, %a) { write(%r, read(%r) * %a) }\ndef @f(%a) { %r = ref(%a)\n@bump(%r, %a)\n@bump(%r, read(%r))\nread(%r) }\n";
    EXPECT_EQ(shown(own + "def @main() { (checkpoint(@f)(2.0), grad(fn(%x) { checkpoint(@f)(%x) * %x })(2.0)) }"), "(f32 16, f32 80)");
    EXPECT_EQ(shown("def @main() { (checkpoint(fn(%a) { %a * %a })(3.0), grad(checkpoint(fn(%a) { %a * %a }))(3.0)) }"), "(f32 9, f32 6)");
}

// The order of differentiation and what belongs to which: the inner variable is not the outer one.
TEST(Product, PerturbationsAreKeptApart) {
    EXPECT_EQ(shown("def @main() { jvp(fn(%x) { %x * jvp(fn(%y) { %x + %y })(1.0, 1.0).1 })(1.0, 1.0) }"), "(f32 1, f32 1)");
    EXPECT_EQ(shown("def @main() { jvp(fn(%x) { %x * grad(fn(%y) { %x * %y })(2.0) })(3.0, 1.0) }"), "(f32 9, f32 6)");
    EXPECT_EQ(shown("def @main() { grad(fn(%x) { %x * jvp(fn(%y) { %x * %y })(2.0, 1.0).1 })(3.0) }"), "f32 6");
    // the derivative is handed a function made in the outer one, curried
    EXPECT_EQ(shown("def @shift(%o, %f) { fn(%a) { %f(%a + %o) } }\n"
                    "def @main() { grad(fn(%x) { %f = @shift(%x, fn(%a) { exp(%a) })\ngrad(fn(%a) { %f(%a) })(0.0) }, mode=\"product\")(0.0) }"), "f32 1");
    // the derivative as a function of functions, taken of what it made: exp(2 x)'' at 0, by shifts and directly
    const std::string shifts = "def @s(%u: f64) { fn(%f) { fn(%x: f64) { %f(%x + %u) } } }\n"
                               "def @d(%g) { fn(%x: f64) { jvp(fn(%u: f64) { @s(%u)(%g)(%x) })(0.0, 1.0).1 } }\n"
                               "def @e(%g) { fn(%x: f64) { jvp(%g)(%x, 1.0).1 } }\n";
    EXPECT_EQ(shown(shifts + "def @main() { %f = fn(%z: f64) { exp(%z * 2.0) }\n(@d(@d(%f))(0.0), @e(@e(%f))(0.0), @d(@e(@d(%f)))(0.0)) }"), "(f64 4, f64 4, f64 8)");
    EXPECT_EQ(in_both_forms("def @main() { grad(fn(%x) { %x * grad(fn(%y) { %x + %y }, mode=$MODE)(1.0) }, mode=$MODE)(1.0) }"), "f32 1");
    EXPECT_EQ(in_both_forms("def @main() { grad(fn(%x) { grad(fn(%y) { %x * %y * %y }, mode=$MODE)(%x) }, mode=$MODE)(3.0) }"), "f32 12");
    EXPECT_EQ(in_both_forms("def @main() { grad(fn(%x) { %x * grad(fn(%y) { %y * %x * %y }, mode=$MODE)(%x) }, mode=$MODE)(2.0) }"), "f32 24");
}

// A function that the run chooses: the reference form does not see inside of it where it comes from outside.
TEST(Product, ClosuresFromOutside) {
    EXPECT_EQ(shown("def @at(%x: f32) { %f = if (%x > 0.0) { fn(%a) { %a * %a * 3.0 } } else { fn(%a) { %a } }\n"
                    "grad(fn(%a) { %f(%a) * %a }, mode=\"product\")(%x) }\ndef @main() { (@at(2.0), @at(-2.0)) }"),
              "(f32 36, f32 -4)");
}

// Functions that make functions, lists of functions, functions that an if chooses.
TEST(Product, DerivativesOfFunctionValues) {
    EXPECT_EQ(shown("def @main() { %f = if (sum(tensor([1.0, 2.0])) > 0.0) { fn(%z) { %z * %z } } else { fn(%z) { -%z } }\ngrad(%f)(3.0) }"), "f32 6");
    EXPECT_EQ(shown("def @main() { %d = fn(%f) { fn(%x: f64) { grad(%f)(%x) } }\n%d(%d(fn(%z: f64) { %z * %z * %z }))(2.0) }"), "f64 12");
    EXPECT_EQ(shown("type List[a] = Nil | Cons(a, List[a])\n"
                    "def @map(%f, %l) { match (%l) { Nil => Nil, Cons(%a, %r) => Cons(%f(%a), @map(%f, %r)) } }\n"
                    "def @main() { %l = Cons(fn(%z) { %z * %z }, Cons(fn(%z) { %z * 3.0 }, Nil))\n@map(fn(%f) { grad(%f)(2.0) }, %l) }"),
              "Cons(f32 4, Cons(f32 3, Nil))");
    // the order is known: all of it is seen
    EXPECT_EQ(shown("def @nth(%f: fn(f64) -> f64, %n: i64, %x: f64) -> f64 { if (%n == 0) { %f(%x) } else { @nth(fn(%z: f64) { grad(%f)(%z) }, %n - 1, %x) } }\n"
                    "def @main() { @nth(fn(%z) { %z * %z * %z }, 2, 5.0) }"), "f64 30");
}

// The outer gradient takes the reference form, the inner one would take the product form.
TEST(Product, InsideTheReferenceForm) {
    EXPECT_EQ(shown("def @main() { %r = ref(0.0)\ngrad(fn(%x) { write(%r, grad(fn(%y) { %y * %y * %x })(%x))\nread(%r) }, mode=\"closures\")(3.0) }"), "f32 12");
    EXPECT_EQ(shown("def @main() { %r = ref(0.0)\ngrad(fn(%x) { write(%r, vjp(fn(%y) { %y * %y * %x })(%x, 2.0))\nread(%r) }, mode=\"closures\")(3.0) }"), "f32 24");
}

class ProductGradient : public testing::TestWithParam<GradientCase> {};
TEST_P(ProductGradient, IsTheCentralDifference) { check_gradient(GetParam()); }
INSTANTIATE_TEST_SUITE_P(Product, ProductGradient, testing::ValuesIn(cases), [](const auto& info) { return case_name(info.param.name); });
} // namespace
} // namespace nereus
