// Programs as text, read, typed and run; what they should give is written by hand.
#include "eval/program_testing.h"
#include "value/text.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
Value i64(int64_t x) { return Value::tensor(HostTensor::scalar(x)); }
Value f32(float x) { return Value::tensor(HostTensor::scalar(x)); }
Value floats(Extents shape, std::initializer_list<float> data) { return Value::tensor(HostTensor::of<float>(std::move(shape), data)); }
Value list_of(std::initializer_list<Value> items) {
    Value list = Value::ctor("Nil");
    for (auto it = std::rbegin(items); it != std::rend(items); ++it) list = Value::ctor("Cons", {*it, list});
    return list;
}
constexpr std::string_view list_type = "type List[a] = Nil | Cons(a, List[a])\n";
} // namespace

TEST(eval, arithmetic_and_literals) {
    EXPECT_EQ(shown("def @main() { 2 + 3 * 4 }"), "i64 14");
    EXPECT_EQ(shown("def @main(%x: f32) { %x * 2 + 0.5 }", {f32(1.5)}), "f32 3.5");
    EXPECT_EQ(shown("def @main() { (7 / -2, 7 // -2, mod(7, -2)) }"), "(i64 -3, i64 -4, i64 -1)");
    EXPECT_EQ(shown("def @main(%x: i64) { 1 / %x }", {i64(0)}), "value: division by zero");
    EXPECT_EQ(shown("def @main() { sum(tensor([[1.0, 2.0], [3.0, 4.0]]), axes=[1]) }"), "Tensor[(2), f32] [3, 7]");
    EXPECT_EQ(shown("def @main() { cast(2.7, i32) }"), "i32 2");
}

TEST(eval, recursion) {
    EXPECT_EQ(shown("def @fib(%n: i64) { if (%n < 2) { %n } else { @fib(%n - 1) + @fib(%n - 2) } }\n"
                    "def @main(%n: i64) { @fib(%n) }", {i64(15)}), "i64 610");
    EXPECT_EQ(shown("def @even(%n: i64) -> bool { if (%n == 0) { true } else { @odd(%n - 1) } }\n"
                    "def @odd(%n: i64) -> bool { if (%n == 0) { false } else { @even(%n - 1) } }\n"
                    "def @main(%n: i64) { @even(%n) }", {i64(10)}), "bool true");
}

TEST(eval, a_million_calls_deep) {
    EXPECT_EQ(shown_as_typed("def @count(%n: i64) -> i64 { if (%n == 0) { 0 } else { 1 + @count(%n - 1) } }\n"
                    "def @main(%n: i64) { @count(%n) }", {i64(1'000'000)}), "i64 1000000");
    EvalOptions shallow{.max_depth = 1000};
    Result<Value> stopped = run("def @f(%n: i64) -> i64 { 1 + @f(%n) }\ndef @main() { @f(0) }", {}, shallow);
    ASSERT_FALSE(bool(stopped));
    EXPECT_EQ(stopped.error().code, Code::memory);
    EXPECT_EQ(stopped.error().message, "@f: more than 1000 calls in progress");
}

TEST(eval, a_million_elements_deep) {
    std::string text = std::string(list_type) +
        "def @build(%n: i64, %xs: List[i64]) -> List[i64] { if (%n == 0) { %xs } else { @build(%n - 1, Cons(%n, %xs)) } }\n"
        "def @main(%n: i64) { @build(%n, Nil) }";
    Result<Value> result = run(text, {i64(1'000'000)});
    ASSERT_TRUE(bool(result)) << result.error().message;
    // and back in
    EXPECT_EQ(shown_as_typed(std::string(list_type) + "def @total(%xs: List[i64]) -> i64 {\n"
        "match (%xs) { Nil => 0, Cons(%x, %rest) => %x + @total(%rest) } }\n"
        "def @main(%xs: List[i64], %ys: List[i64]) { if (equal(%xs, %ys)) { @total(%xs) } else { 0 } }", {*result, *result}),
        "i64 500000500000");
}

TEST(eval, loops) {
    EXPECT_EQ(shown("def @main(%n: i64) { for %i in %n, (%s = 0) { %s + %i } }", {i64(5)}), "i64 10");
    EXPECT_EQ(shown("def @main(%n: i64) { for %i in %n, (%a = 0, %b = 1) { (%b, %a + %b) } }", {i64(10)}), "(i64 55, i64 89)");
    EXPECT_EQ(shown("def @main(%x: Tensor[(n), f32]) { for %i in n, (%s = 0.0) { %s + %x[%i] } }", {floats({3}, {1, 2, 4})}), "f32 7");
    EXPECT_EQ(shown("def @main() { for %i in -3, (%s = 7) { %s + 1 } }"), "i64 7");
    EXPECT_EQ(shown("def @main() { for %i in 4, () { yield %i * %i\n () } }"), "Tensor[(4), i64] [0, 1, 4, 9]");
    EXPECT_EQ(shown("def @main() { for %i in 2, (%s = 0) { yield full([2], %i)\n yield %i > 0\n %s + 1 } }"),
              "(i64 2, Tensor[(2, 2), i64] [[0, 0], [1, 1]], Tensor[(2), bool] [false, true])");
    EXPECT_EQ(shown("def @main() { while (%a = 1, %b = 10) (%a < %b) { (%a * 2, %b + 1) } }"), "(i64 16, i64 14)");
    EXPECT_EQ(shown("def @main() { while (%a = 1) (%a < 20) { yield %a\n %a * 3 } }"), "(i64 27, Tensor[(3), i64] [1, 3, 9])");
    EXPECT_EQ(shown("def @main() { for %i in 3, () { yield iota(%i)\n () } }"),
              "shape: yield: trip 1 gives (1), the first gave (0)");
    EXPECT_EQ(shown("def @main(%x: Tensor[(n), f32]) { for %i in 0, () { %y: Tensor[(n + 1), f32] = full([n + 1], 0.0)\n"
                    "yield %y\n () } }", {floats({2}, {1, 2})}), "Tensor[(0, 3), f32] []");
}

TEST(eval, nested_loops_and_arms) {
    EXPECT_EQ(shown("def @main(%n: i64) { for %i in %n, (%s = 0) {\n"
                    "  %t = for %j in %i, (%u = 0) { if (mod(%j, 2) == 0) { %u + %j } else { %u } }\n"
                    "  %s + %t } }", {i64(6)}), "i64 10");
}

TEST(eval, matching) {
    std::string tree = "type Tree[a] = Leaf(a) | Node(Tree[a], Tree[a])\n"
                       "def @sum(%t: Tree[f32]) -> f32 { match (%t) { Leaf(%x) => %x, Node(%l, %r) => @sum(%l) + @sum(%r) } }\n"
                       "def @main(%t: Tree[f32]) { @sum(%t) }";
    Value leaf = Value::ctor("Leaf", {f32(1.5)});
    EXPECT_EQ(shown(tree, {Value::ctor("Node", {leaf, Value::ctor("Node", {leaf, leaf})})}), "f32 4.5");
    std::string nested = std::string(list_type) + "def @main(%xs: List[(i64, bool)]) { match (%xs) {\n"
        "Cons((1, _), _) => 10,\n Cons((%a, true), Cons((%b, _), Nil)) if %a > %b => %a - %b,\n Cons(_, %rest) => 20,\n Nil => 30 } }";
    auto pair = [](int64_t a, bool b) { return Value::tuple({i64(a), Value::tensor(HostTensor::scalar(b))}); };
    EXPECT_EQ(shown(nested, {list_of({pair(1, false)})}), "i64 10");
    EXPECT_EQ(shown(nested, {list_of({pair(7, true), pair(2, false)})}), "i64 5");
    EXPECT_EQ(shown(nested, {list_of({pair(2, true), pair(7, false)})}), "i64 20");
    EXPECT_EQ(shown(nested, {list_of({})}), "i64 30");
}

TEST(eval, closures) {
    EXPECT_EQ(shown("def @main(%x: i64) { %f = fn(%y) { %x + %y }\n %f(1) * %f(2) }", {i64(10)}), "i64 132");
    EXPECT_EQ(shown("def @twice(%f, %x) { %f(%f(%x)) }\ndef @inc(%x: i64) { %x + 1 }\n"
                    "def @main() { @twice(@inc, 5) + @twice(fn(%x) { %x * %x }, 3) }"), "i64 88");
    EXPECT_EQ(shown("def @adder(%n: i64) { fn(%x: i64) { fn(%y: i64) { %n + %x * %y } } }\n"
                    "def @main() { %f = @adder(1)\n %g = %f(2)\n %g(3) + %g(4) }"), "i64 16");
    EXPECT_EQ(shown(std::string(list_type) + "def @map(%f, %xs) { match (%xs) { Nil => Nil, Cons(%x, %r) => Cons(%f(%x), @map(%f, %r)) } }\n"
                    "def @main(%xs: List[i64]) { @map(fn(%x) { cast(%x, f32) / 2.0 }, %xs) }", {list_of({i64(1), i64(2)})}),
              "Cons(f32 0.5, Cons(f32 1, Nil))");
}

TEST(eval, constructors_are_functions) {
    EXPECT_EQ(shown(std::string(list_type) + "def @twice(%f, %x, %y) { %f(%x, %f(%x, %y)) }\n"
                    "def @main() { @twice(Cons, 1, Nil) }"), "Cons(i64 1, Cons(i64 1, Nil))");
}

TEST(eval, cells) {
    EXPECT_EQ(shown("def @main() { %r = ref(1)\n %s = %r\n write(%s, read(%r) + 41)\n read(%r) }"), "i64 42");
    EXPECT_EQ(shown("def @main() { %r = ref(0)\n %f = fn() { write(%r, read(%r) + 1) }\n %f()\n %f()\n read(%r) }"), "i64 2");
    EXPECT_EQ(shown("def @main() { %a = ref(1)\n %b = ref(1)\n (equal(%a, %a), equal(%a, %b)) }"), "(bool true, bool false)");
    EXPECT_EQ(shown("def @main() { ref(1) }"), "unsupported: the result contains a cell, which cannot leave the program");
    // a cell that holds a closure that holds the cell: freed with the run
    EXPECT_EQ(shown("def @main() { %r = ref(fn(%n: i64) { %n })\n"
                    "write(%r, fn(%n: i64) { if (%n == 0) { 0 } else { %f = read(%r)\n 2 + %f(%n - 1) } })\n"
                    "%g = read(%r)\n %g(4) }"), "i64 8");
}

TEST(eval, sequences) {
    EXPECT_EQ(shown("def @main() { %s = [1, 2, 3]\n %t = push(%s, 4)\n (length(%s), length(%t), %t[3], set(%s, 0, 9)) }"),
              "(i64 3, i64 4, i64 4, [i64 9, i64 2, i64 3])");
    EXPECT_EQ(shown("def @main() { %s = [1]\n (push(%s, 2), push(%s, 3), %s) }"), "([i64 1, i64 2], [i64 1, i64 3], [i64 1])");
    EXPECT_EQ(shown("def @main(%i: i64) { %s = [1, 2]\n %s[%i] }", {i64(2)}),
              "value: index 2 is out of range for a Seq of length 2");
    EXPECT_EQ(shown("def @main(%i: i64) { %s = [1, 2]\n %s[%i] }", {i64(-1)}),
              "value: index -1 is out of range for a Seq of length 2");
    EXPECT_EQ(shown("def @main(%n: i64) { %s = for %i in %n, (%s = [0]) { push(%s, %i) }\n %s[%n] }", {i64(100000)}), "i64 99999");
    EXPECT_EQ(shown("def @main() { concat(for %i in 2, (%s = [tensor([5])]) { push(%s, iota(%i + 1)) }, axis=0) }"),
              "Tensor[(4), i64] [5, 0, 0, 1]");
}

TEST(eval, records_and_tuples) {
    std::string text = "type Stat = {count: i64, mean: f32}\n"
                       "def @main(%s: Stat) { %t = {%s with count = %s.count + 1}\n (%t, %s.count, {mean = 0.5, count = 3}) }";
    Value stat = Value::record({{"mean", f32(2)}, {"count", i64(1)}});
    EXPECT_EQ(shown(text, {stat}), "({count = i64 2, mean = f32 2}, i64 1, {count = i64 3, mean = f32 0.5})");
    EXPECT_EQ(shown("def @main() { %t = (1, (2, 3))\n %t.1.0 }"), "i64 2");
    EXPECT_EQ(shown("type P = {a: i64, b: i64}\ndef @main(%p: P) { match (%p) { {a = 1, b = %b} => %b, {a = %a} => %a } }",
                    {Value::record({{"a", i64(1)}, {"b", i64(5)}})}), "i64 5");
}

TEST(eval, indexing) {
    std::string head = "def @main(%x: Tensor[(2, 3), f32]) { ";
    Value x = floats({2, 3}, {1, 2, 3, 4, 5, 6});
    EXPECT_EQ(shown(head + "%x[1, 2] }", {x}), "f32 6");
    EXPECT_EQ(shown(head + "%x[1] }", {x}), "Tensor[(3), f32] [4, 5, 6]");
    EXPECT_EQ(shown(head + "%x[:, 1:3] }", {x}), "Tensor[(2, 2), f32] [[2, 3], [5, 6]]");
    EXPECT_EQ(shown(head + "%x[0:1, 2] }", {x}), "Tensor[(1), f32] [3]");
    EXPECT_EQ(shown(head + "%x[2] }", {x}), "value: index 2 is out of range for axis 0 of size 2");
    EXPECT_EQ(shown(head + "%x[-1] }", {x}), "value: index -1 is out of range for axis 0 of size 2");
}

TEST(eval, printing_and_asserting) {
    std::string lines;
    EvalOptions options{.print = [&](std::string_view line) { lines += line, lines += "\n"; }};
    Result<Value> result = run("def @main(%x: i64) { print(\"x is\", %x)\n print(\"done\")\n assert(%x > 0, \"x must be positive\")\n %x }",
                               {i64(3)}, options);
    ASSERT_TRUE(bool(result)) << result.error().message;
    EXPECT_EQ(lines, "x is i64 3\ndone\n");
    EXPECT_EQ(shown("def @main(%x: i64) { assert(%x > 0, \"x must be positive\")\n %x }", {i64(0)}),
              "value: assertion failed: x must be positive");
}

TEST(eval, short_circuits) {
    EXPECT_EQ(shown("def @main(%x: i64) { %x != 0 && 10 / %x > 1 }", {i64(0)}), "bool false");
    EXPECT_EQ(shown("def @main(%x: i64) { %x == 0 || 10 / %x > 1 }", {i64(0)}), "bool true");
}

TEST(eval, errors_have_a_place) {
    Result<Value> result = run("def @f(%x: i64) { 1 / %x }\ndef @main(%x: i64) {\n  2 + @f(%x)\n}", {i64(0)});
    ASSERT_FALSE(bool(result));
    EXPECT_EQ(result.error().where.line, 1);
    ASSERT_EQ(result.error().notes.size(), 1u);
    EXPECT_EQ(result.error().notes[0].where.line, 3);
    EXPECT_EQ(result.error().notes[0].text, "called from @main");
}

TEST(eval, stops_after_max_steps) {
    EvalOptions options{.max_steps = 1000};
    Result<Value> result = run("def @main() { while (%a = 1) (%a > 0) { %a } }", {}, options);
    ASSERT_FALSE(bool(result));
    EXPECT_EQ(result.error().code, Code::limit);
}
} // namespace nereus
