// Sizes named in signatures, constructors and facts: where they get their values and what is checked.
#include "eval/program_testing.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
Value i64(int64_t x) { return Value::tensor(HostTensor::scalar(x)); }
Value zeros(Extents shape) { return Value::tensor(HostTensor::make(DType::f32, std::move(shape)).take()); }

} // namespace

TEST(sizes, come_from_the_arguments) {
    EXPECT_EQ(shown("def @main(%x: Tensor[(n, m), f32]) { n * 10 + m }", {zeros({3, 4})}), "i64 34");
    EXPECT_EQ(shown("def @main(%x: Tensor[(2*n + 1), f32]) { n }", {zeros({7})}), "i64 3");
    EXPECT_EQ(shown("def @main(%x: Tensor[(2*n), f32], %y: Tensor[(n), f32]) { n }", {zeros({6}), zeros({3})}), "i64 3");
    EXPECT_EQ(shown("def @main(%x: (i64, Tensor[(n), f32])) { n }", {Value::tuple({i64(1), zeros({5})})}), "i64 5");
    EXPECT_EQ(shown("def @main(%x: Seq[Tensor[(n), f32]]) { n }", {Value::seq({zeros({5}), zeros({5})})}), "i64 5");
    EXPECT_EQ(shown("def @main(%x: Seq[Tensor[(n), f32]]) { n }", {Value::seq({})}), "i64 0");
    EXPECT_EQ(shown("type Cell[d: dim] = {w: Tensor[(5*d, 2*d), f32], b: Tensor[(5*d), f32]}\ndef @main(%c: Cell[k]) { k }",
                    {Value::record({{"w", zeros({10, 4})}, {"b", zeros({10})}})}), "i64 2");
    EXPECT_EQ(shown("type Box[a] = {item: a}\ndef @main(%c: Box[Tensor[(k), f32]]) { k }", {Value::record({{"item", zeros({6})}})}),
              "i64 6");
}

TEST(sizes, are_checked_at_the_door) {
    std::string same = "def @main(%x: Tensor[(n), f32], %y: Tensor[(n), f32]) { %x }";
    EXPECT_EQ(shown(same, {zeros({3}), zeros({4})}), "shape: argument %y: axis 0 is 4, expected n = 3");
    EXPECT_EQ(shown_as_typed("def @main(%x: Tensor[(2*n), f32]) { n }", {zeros({5})}), "shape: argument %x: axis 0: no n makes 2*n = 5");
    EXPECT_EQ(shown("def @main(%x: Tensor[(n, 3), f32]) { n }", {zeros({5, 4})}),
              "shape: argument %x: axis 1 is 4, expected 3");
    EXPECT_EQ(shown("def @main(%x: Seq[Tensor[(n), f32]]) { n }", {Value::seq({zeros({5}), zeros({4})})}),
              "shape: argument %x, at [1]: expected sizes (5), found (4)");
    EXPECT_EQ(shown_as_typed("def @main(%x: Tensor[..s, f32], %y: Tensor[..s, f32]) { %x }", {zeros({2, 3}), zeros({2, 4})}),
              "shape: argument %y has another shape than %x: found (2, 4) and (2, 3), both are ..s");
    EXPECT_EQ(shown_as_typed("def @main(%x: Tensor[(n), f32]) -> Tensor[(n), f32] where n <= 4 { %x }", {zeros({5})}),
              "shape: @main: where: expected n <= 4, found n = 5");
    EXPECT_EQ(shown("def @main(%x: Tensor[(?, ?), f32]) { shape_of(%x) }", {zeros({5, 4})}), "Tensor[(2), i64] [5, 4]");
}

TEST(sizes, of_results_are_checked) {
    EXPECT_EQ(shown("def @f(%x: Tensor[(n), f32]) -> Tensor[(n), f32] { concat([%x, %x], axis=0) }\n"
                    "def @main(%x: Tensor[(n), f32]) { @f(%x) }", {zeros({3})}),
              "shape: @f: the result is declared (n) = (3), found (6)");
    EXPECT_EQ(shown("def @f(%x: Tensor[(n), f32]) -> (Tensor[(new k), f32], Tensor[(k), f32]) { (%x, concat([%x, %x], axis=0)) }\n"
                    "def @main(%x: Tensor[(n), f32]) { @f(%x) }", {zeros({3})}),
              "shape: @f: an element of the result: expected sizes (3), found (6)");
    EXPECT_EQ(shown("def @main(%x: Tensor[(n), f32]) { %y: Tensor[(n), f32] = concat([%x, %x], axis=0)\n %y }", {zeros({2})}),
              "shape: %y is declared (n) = (2), found (4)");
}

TEST(sizes, differ_at_each_level_of_a_recursion) {
    EXPECT_EQ(shown("def @f(%x: Tensor[(n), f32], %d: i64) -> i64 { if (%d == 0) { n } else { n + @f(concat([%x, %x], axis=0), %d - 1) } }\n"
                    "def @main(%x: Tensor[(n), f32]) { @f(%x, 3) }", {zeros({1})}), "i64 15");
}

TEST(sizes, bound_by_constructors) {
    std::string type = "type Pair = Pair[n](Tensor[(n), f32], Tensor[(n), f32]) | Empty\n";
    std::string text = type + "def @main(%p: Pair) { match (%p) { Pair[k](%a, %b) => k, Empty => 0 } }";
    EXPECT_EQ(shown(text, {Value::ctor("Pair", {zeros({4}), zeros({4})})}), "i64 4");
    EXPECT_EQ(shown(text, {Value::ctor("Empty")}), "i64 0");
    EXPECT_EQ(shown(text, {Value::ctor("Pair", {zeros({4}), zeros({5})})}),
              "shape: argument %p, at .Pair.1: Pair: field 1 is declared (n) = (4), found (5)");
    EXPECT_EQ(shown(type + "def @main(%x: Tensor[(m), f32]) { Pair(%x, concat([%x, %x], axis=0)) }", {zeros({2})}),
              "shape: Pair: field 1 is declared (n) = (2), found (4)");
}

TEST(sizes, of_a_list_are_looked_at_once) {
    // without marks, each of these calls would walk the whole rest of the list
    std::string text = "type List[a] = Nil | Cons(a, List[a])\n"
        "def @build(%n: i64, %x: Tensor[(d), f32], %xs: List[Tensor[(d), f32]]) -> List[Tensor[(d), f32]] {\n"
        "  if (%n == 0) { %xs } else { @build(%n - 1, %x, Cons(%x, %xs)) } }\n"
        "def @length(%xs: List[Tensor[(d), f32]]) -> i64 { match (%xs) { Nil => 0, Cons(_, %rest) => 1 + @length(%rest) } }\n"
        "def @main(%n: i64, %x: Tensor[(d), f32]) { @length(@build(%n, %x, Nil)) }";
    EXPECT_EQ(shown(text, {i64(50'000), zeros({3})}), "i64 50000");
}

TEST(sizes, values_of_another_type_are_refused) {
    EXPECT_EQ(shown("def @main(%x: f32) { %x }", {i64(1)}), "type: argument %x: expected dtype f32, found i64");
    EXPECT_EQ(shown("def @main(%x: (f32, f32)) { %x }", {zeros({})}), "type: argument %x: expected a tuple of 2, found a tensor");
    EXPECT_EQ(shown("type T = A | B(f32)\ndef @main(%x: T) { %x }", {Value::ctor("C")}), "type: argument %x: no constructor 'C' in this type");
    EXPECT_EQ(shown("type T = A | B(f32)\ndef @main(%x: T) { %x }", {Value::ctor("B")}), "type: argument %x: B has 1 part, found 0");
    EXPECT_EQ(shown("def @main(%x: f32) { %x }", {}), "usage: @main takes 1 arguments, found 0");
}
} // namespace nereus
