#include "infer/types.h"
#include "infer/types_testing.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
struct Case { std::string_view name, program, expected; };   // expected: signatures, in order of declaration
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

const std::string lists = R"(
type L[a] = N | C(a, L[a])
def @map(%f, %l) { match (%l) { N => N, C(%x, %r) => C(%f(%x), @map(%f, %r)) } }
def @foldl(%f, %acc, %l) { match (%l) { N => %acc, C(%x, %r) => @foldl(%f, %f(%acc, %x), %r) } }
def @zip(%l, %m) {
  match ((%l, %m)) {
    (C(%x, %xs), C(%y, %ys)) => C((%x, %y), @zip(%xs, %ys)),
    _ => N
  }
}
)";

struct Signatures : testing::TestWithParam<Case> {};
TEST_P(Signatures, AreInferred) {
    Result<Module> parsed = parse_for_test(GetParam().program);
    ASSERT_TRUE(parsed) << parsed.error().message;
    Result<Module> typed = infer_types(std::move(*parsed));
    ASSERT_TRUE(typed) << typed.error().message << " | " << typed.error().hint;
    EXPECT_EQ(signatures_of(*typed), GetParam().expected);
}

const Case signatures[] = {
    {"muladd", "def @muladd(%x, %y, %z) {\n %1 = mul(%x, %y)\n %2 = add(%1, %z)\n %2 }", "@muladd(t, t, t) -> t"},
    {"annotated", "def @f(%x: Tensor[(n, 4), f32], %y) { %x * %y }", "@f(f32(n, 4), f32) -> f32"},
    {"identity", "def @id(%x) { %x }", "@id(a) -> a"},
    {"declared", "def @id(%x: a) -> a { %x }", "@id(a) -> a"},
    {"literal", "def @f(%x: i32) { %x + 2 }\ndef @g() { 2.0 }", "@f(i32()) -> i32\n@g() -> t"},
    {"dim", "def @f(%x: Tensor[(n), f64]) { %x * n }", "@f(f64(n)) -> f64"},
    {"cast", "def @f(%x) { cast(%x, f32) }", "@f(t) -> f32"},
    {"dtype variable", "def @f[t: dtype](%x: Tensor[(n), t], %y) { (cast(%y, t), %x + 1) }",
     "@f(t(n), t1) -> (t, t)"},
    {"tuple", "def @f(%x, %y) { (%y, %x) }", "@f(a, b) -> (b, a)"},
    {"destructured", "def @f(%p) { (%x, %y) = %p; %x + %y }", "@f((t, t)) -> t"},
    {"projection waits", "def @first(%p) { %p.0 }\ndef @g(%x: f32) { @first((%x, true)) }",
     "@first(a) -> b\n@g(f32()) -> f32"},
    {"projection waits for a later use", "def @g(%x: f32) { %f = fn(%p) { %p.1 }; %f((%x, true)) }", "@g(f32()) -> bool"},
    {"compose", "def @compose(%f, %g) { fn(%x) { %f(%g(%x)) } }", "@compose(fn(a) -> b, fn(c) -> a) -> fn(c) -> b"},
    {"higher order", "def @twice(%f, %x) { %f(%f(%x)) }", "@twice(fn(a) -> a, a) -> a"},
    {"function value", "def @id(%x) { %x }\ndef @f() { @id }", "@id(a) -> a\n@f() -> fn(a) -> a"},
    {"if", "def @f(%c, %x) { if (%c) { %x } else { %x + 1 } }", "@f(bool, t) -> t"},
    {"for", "def @f(%n, %x) { for %i in %n, (%s = %x) { %s * %x } }", "@f(t, t1) -> t1"},
    {"for counts in i64", "def @f(%x: i32) { for %i in 3, (%s = %x) { %s + cast(%i, i32) } }", "@f(i32()) -> i32"},
    {"for with states and yields",
     "def @f(%x: Tensor[(n), f32]) { for %i in n, (%a = %x, %k = 0) { yield %a * 2\n (%a, %k + %i) } }",
     "@f(f32(n)) -> (f32, i64, f32)"},
    {"for with one yield only", "def @f(%x: Tensor[(n), f32]) { for %i in n, () { yield %x[%i]\n () } }", "@f(f32(n)) -> f32"},
    {"for with nothing", "def @f() { for %i in 3, () { print(\"x\", %i)\n () } }", "@f() -> ()"},
    {"while", "def @f(%x: f32) { while (%s = %x, %k = 0) (%k < 10) { (%s * 2, %k + 1) } }", "@f(f32()) -> (f32, t)"},
    {"ref", "def @f(%x) { %r = ref(%x); write(%r, %x); (%r, read(%r)) }", "@f(a) -> (Ref[a], a)"},
    {"seq", "def @f(%x: f32) { %s = push([%x], 2); (%s[0], length(%s), %s) }", "@f(f32()) -> (f32, i64, Seq[f32])"},
    {"empty seq", "def @f() { [] }", "@f() -> Seq[a]"},
    {"tensor index", "def @f(%x: Tensor[(n, m), f32], %i) { (%x[%i], %x[0, 1:2]) }", "@f(f32(n, m), t) -> (f32, f32)"},
    {"index waits", "def @at(%s, %i) { %s[%i] }", "@at(a, t) -> b"},
    {"sizes", "def @f(%x: f32, %k) { full([%k, 2], %x) }", "@f(f32(), i64) -> f32"},
    {"concat", "def @f(%x, %y: f32) { concat([%x, full([2], %y)], axis=0) }", "@f(f32, f32()) -> f32"},
    {"split", "def @f(%x: Tensor[(4), f32]) { split(%x, [1, 3], axis=0) }", "@f(f32(4)) -> (f32, f32)"},
    {"topk", "def @f(%x: Tensor[(n), f32]) { topk(%x, 2, axis=0) }", "@f(f32(n)) -> (f32, i64)"},
    {"compare", "def @f(%x, %y) { %x < %y }", "@f(t, t) -> bool"},
    {"short circuit", "def @f(%x, %y) { %x && !%y }", "@f(bool, bool) -> bool"},
    {"record", "type P = {w: f32, n: i64}\ndef @f(%w) { {w = %w, n = 2} }\ndef @g(%p) { %p.n }\ndef @h(%p) { {%p with n = 3} }",
     "@f(f32) -> P\n@g(P) -> i64\n@h(P) -> P"},
    {"record by expected type", "type P = {x: f32}\ntype Q = {x: f32}\ndef @f(%w) -> Q { {x = %w} }", "@f(f32) -> Q"},
    {"record pattern", "type P = {w: f32, n: i64}\ndef @f(%p) { match (%p) { {w = %w, n = 0} => %w, {w = _, n = _} => 1 } }",
     "@f(P) -> f32"},
    {"generic record", "type P[a] = {v: a, w: a}\ndef @f(%p, %x) { {%p with v = %x} }\ndef @g(%x) { {v = %x, w = 2.0} }",
     "@f(P[a], a) -> P[a]\n@g(t) -> P[t]"},
    {"field waits", "type P = {x: f32}\ntype Q = {x: i64}\ndef @x(%p) { %p.x }\ndef @f(%p: P, %q: Q) { (@x(%p), @x(%q)) }",
     "@x(a) -> b\n@f(P, Q) -> (f32, i64)"},
    {"data with dims", "type Cell[d: dim] = {w: Tensor[(d, d), f32]}\ndef @f(%c: Cell[n], %x) { matmul(%c.w, %x) }",
     "@f(Cell[n], f32) -> f32"},
    {"tree", "type T[a] = Leaf(a) | Node(T[a], T[a])\n"
             "def @fold(%f, %g, %t) { match (%t) { Leaf(%x) => %f(%x), Node(%l, %r) => %g(@fold(%f, %g, %l), @fold(%f, %g, %r)) } }",
     "@fold(fn(a) -> b, fn(b, b) -> b, T[a]) -> b"},
    {"mutual recursion", "def @even(%n) { if (%n == 0) { true } else { @odd(%n - 1) } }\n"
                         "def @odd(%n) { if (%n == 0) { false } else { @even(%n - 1) } }",
     "@even(t) -> bool\n@odd(t) -> bool"},
    {"mutual recursion with declared variables",
     "type L[a] = N | C(a, L[a])\ndef @f(%l: L[a]) -> L[a] { match (%l) { N => N, C(%x, %r) => C(%x, @g(%r)) } }\n"
     "def @g(%l: L[b]) -> L[b] { match (%l) { N => N, C(_, %r) => @f(%r) } }",
     "@f(L[a]) -> L[a]\n@g(L[b]) -> L[b]"},
    {"used before declared", "def @g(%x: f32) { @id(%x) }\ndef @id(%x) { %x }", "@g(f32()) -> f32\n@id(a) -> a"},
    {"closure in data", "type Box[a] = Box(fn(a) -> a)\ndef @open(%b, %x) { match (%b) { Box(%f) => %f(%x) } }\n"
                        "def @f(%x: f32) { @open(Box(fn(%y) { %y * 2 }), %x) }",
     "@open(Box[a], a) -> a\n@f(f32()) -> f32"},
    {"constructor as function", "type O[a] = None_ | Some_(a)\ndef @app(%f, %x) { %f(%x) }\ndef @f(%x: f32) { @app(Some_, %x) }",
     "@app(fn(a) -> b, a) -> b\n@f(f32()) -> O[f32]"},
    {"grad", "def @loss(%w, %x) { sum(%w * %x * 1.0) }\ndef @f() { grad(@loss) }\ndef @g() { grad(@loss, wrt=[0]) }",
     "@loss(t, t) -> t\n@f() -> fn(t, t) -> (t, t)\n@g() -> fn(t, t) -> t"},
    {"grad of a parameter", "def @f(%h, %x: f32) { grad(%h)(%x) }\ndef @g(%x: f32) { @f(fn(%y) { %y * %y }, %x) }",
     "@f(fn(f32) -> t, f32()) -> f32\n@g(f32()) -> f32"},
    {"grad of structures", "type P = {w: f32, n: i64}\ndef @loss(%p: P) { %p.w * 2 }\ndef @f(%p) { grad(@loss)(%p) }",
     "@loss(P) -> f32\n@f(P) -> P"},
    {"unit", "def @f() { () }", "@f() -> ()"},
    {"guards and literals", "def @f(%n) { match (%n) { 0 => 1, %k if %k > 3 => %k, _ => 2 } }", "@f(t) -> t"},
    {"custom gradient", "def @sq(%x: f32) with vjp = (@fwd, @bwd) { %x * %x }\n"
                        "def @fwd(%x) { (%x * %x, %x) }\ndef @bwd(%r, %d) { 2 * %r * %d }",
     "@sq(f32()) -> f32\n@fwd(t) -> (t, t)\n@bwd(t, t) -> t"},
};
INSTANTIATE_TEST_SUITE_P(Types, Signatures, testing::ValuesIn(signatures));

TEST(Types, ListFunctionsAtSeveralTypes) {
    Result<Module> parsed = parse_for_test(lists + R"(
def @use(%l: L[f32], %m: L[bool]) {
  %a = @map(fn(%x) { %x * 2 }, %l)
  %b = @map(fn(%c) { if (%c) { 1 } else { 0 } }, %m)
  (@foldl(fn(%s, %x) { %s + %x }, 0, %a), @zip(%b, @map(fn(%p) { %p.1 }, @zip(%m, %l))))
})");
    ASSERT_TRUE(parsed) << parsed.error().message;
    Result<Module> typed = infer_types(std::move(*parsed));
    ASSERT_TRUE(typed) << typed.error().message;
    EXPECT_EQ(signatures_of(*typed), "@map(fn(a) -> b, L[a]) -> L[b]\n@foldl(fn(a, b) -> a, a, L[b]) -> a\n"
                                     "@zip(L[a], L[b]) -> L[(a, b)]\n@use(L[f32()], L[bool()]) -> (f32, L[(t, f32)])");
}

struct Refused : testing::TestWithParam<Case> {};
TEST_P(Refused, WithAReason) {
    Result<Module> parsed = parse_for_test(GetParam().program);
    ASSERT_TRUE(parsed) << parsed.error().message;
    Result<Module> typed = infer_types(std::move(*parsed));
    ASSERT_FALSE(typed) << signatures_of(*typed);
    EXPECT_TRUE(typed.error().where.known());
    EXPECT_EQ(typed.error().message + (typed.error().hint.empty() ? "" : " | " + typed.error().hint), GetParam().expected);
}

const Case refused[] = {
    {"two dtypes", "def @f(%x: f32, %n: i64) { %x * %n }",
     "argument 2 of `mul`: expected f32, found i64 | nothing is converted silently: write cast(%n, f32)"},
    {"float literal against integer", "def @f(%n: i64) { %n * 0.5 }",
     "argument 2 of `mul`: expected i64, found a float | a number with a point never becomes an integer: cast the other operand, "
     "cast(…, f32)"},
    {"unused but wrong", "def @f(%n: i64, %x: f32) { %y = %n + %x; %x }",
     "argument 2 of `add`: expected i64, found f32 | nothing is converted silently: write cast(%x, i64)"},
    {"function never called", "def @f() { 1 }\ndef @g(%c: bool) { %c + %c }", "argument 1 of `add`: expected a number, found bool | "
     "nothing is converted silently: write cast(%c, f32)"},
    {"condition", "def @f(%n: i64) { if (%n) { 1 } else { 2 } }",
     "condition of `if`: expected bool, found i64 | compare it: `%x != 0` is a bool"},
    {"arms", "def @f(%c, %x: f32) { if (%c) { %x } else { true } }", "`else` against `if`: expected f32, found bool | "
     "nothing is converted silently: write cast(…, f32)"},
    {"match arms", "def @f(%n: i64) { match (%n) { 0 => (1, 2), _ => (1, 2, 3) } }",
     "arm 2: expected a tuple of 2, found one of 3: (Tensor[.., number], Tensor[.., number]) against "
     "(Tensor[.., number], Tensor[.., number], Tensor[.., number])"},
    {"arity of a function value", "def @g(%x) { %x }\ndef @f(%x) { %h = @g; %h(%x, %x) }", "`%h`: takes 1 argument, 2 given"},
    {"arity of a value", "def @f(%x: f32) { %g = fn(%y) { %y }; %g(%x, %x) }", "`%g`: takes 1 argument, 2 given"},
    {"not a function", "def @f(%x: f32) { %x(%x) }", "`%x`: only a function can be called, found Tensor[.., f32]"},
    {"argument", "type L[a] = N | C(a, L[a])\ndef @g(%l: L[f32]) { %l }\ndef @f(%l: L[i64]) { @g(%l) }",
     "argument 1 of `@g`: expected f32, found i64"},
    {"infinite type", "def @f(%x) { %x(%x) }", "`%x`: its type would contain itself | a recursive structure needs a declared type"},
    {"rigid against dtype", "def @f(%x: a) -> a { %x + 1 }", "argument 1 of `add`: expected Tensor[.., number], found `a` | "
     "the signature promises to work for every `a`; leave the type out, and it is inferred"},
    {"rigid against rigid", "def @f(%x: a, %y: b) -> a { %y }", "result of `@f`: expected `a`, found `b` | "
     "the signature promises to work for every `a`; write `b` instead of `a` there if that is meant"},
    {"rigid dtype", "def @f[t: dtype](%x: Tensor[(n), t]) -> Tensor[(n), f32] { %x }",
     "result of `@f`: expected f32, found `t` | the signature promises to work for every `t`; write f32 instead of `t` there if "
     "that is meant"},
    {"monomorphic recursion", "def @f(%x, %n: i64) { if (%n == 0) { 0 } else { @f((%x, %x), %n - 1) } }",
     "`%x`: its type would contain itself | a recursive structure needs a declared type"},
    {"annotation", "def @f(%x: f32) { %y: i64 = %x + 1; %y }",
     "`%y`: expected i64, found f32 | nothing is converted silently: write cast(…, i64)"},
    {"dropped statement", "def @f(%x: f32) { add(%x, 1); %x }",
     "expected (), found Tensor[.., f32] | the value of a statement is dropped: give it a name, or write `_ = …`"},
    {"state", "def @f(%x: f32) { for %i in 3, (%s = %x) { %i } }",
     "next value of `%s`: expected f32, found i64 | nothing is converted silently: write cast(%i, f32)"},
    {"count", "def @f(%x: f32) { for %i in %x, (%s = %x) { %s } }",
     "count of `for`: expected an integer, found f32 | nothing is converted silently: write cast(%x, i64)"},
    {"yield", "def @f() { for %i in 3, () { yield (%i, %i)\n () } }",
     "`yield` stacks tensors: expected Tensor[.., _], found (Tensor[.., i64], Tensor[.., i64])"},
    {"projection of a tensor", "def @f(%x: f32) { %x.0 }", "`.0` needs a tuple, found Tensor[.., f32]"},
    {"projection too far", "def @f(%x: f32) { (%x, %x).2 }",
     "`.2` of a tuple of 2: (Tensor[.., f32], Tensor[.., f32]) | elements are counted from 0"},
    {"projection through a scheme", "def @first(%p) { %p.0 }\ndef @f(%x: f32) { @first(%x) }", "`.0` needs a tuple, found Tensor[.., f32]"},
    {"field", "type P = {count: f32, mean: f32}\ndef @f(%p: P) { %p.cuont }",
     "`P` has no field `cuont`, did you mean `count`? | its fields are `count`, `mean`"},
    {"field of a declared variable", "def @f(%p: a) { %p.x }", "expected a record with `x`, found a"},
    {"record", "type P = {count: f32, mean: f32}\ndef @f() { {count = 1, maen = 2} }",
     "no record has a field `maen`, did you mean `mean`?"},
    {"record with fewer fields", "type P = {count: f32, mean: f32}\ndef @f() { {count = 1} }",
     "no record has exactly the fields {count} | `P` has {count, mean}"},
    {"constructor", "type O[a] = None_ | Some_(a)\ndef @f(%o) { match (%o) { None_ => 0, Some_(%x) => %x, true => 1 } }",
     "pattern: expected O[Tensor[.., number]], found Tensor[.., bool]"},
    {"index", "def @f(%x: Tensor[(n), f32]) { %x[0.5] }",
     "expected i64, found a float | write an integer"},
    {"index of a tuple", "def @f(%x: f32) { (%x, %x)[0] }",
     "only tensors and Seq can be indexed, found (Tensor[.., f32], Tensor[.., f32]) | write .0, .1 for the elements of a tuple"},
    {"grad of no scalar", "def @g(%x) { (%x, %x) }\ndef @f(%x: f32) { grad(@g)(%x) }",
     "grad needs a function with a scalar result, found (_, _)"},
    {"grad of an integer", "def @g(%x: i64) { %x }\ndef @f(%x) { grad(@g)(%x) }",
     "the scalar result of grad's function: expected a float, found i64 | nothing is converted silently: write cast(…, f32)"},
    {"grad by what is not there", "def @g(%x: f32) { %x }\ndef @f() { grad(@g, wrt=[1]) }",
     "wrt names parameter 1 of a function of 1 | parameters are counted from 0"},
    {"literal too large", "def @f(%x: i32) { %x + 3000000000 }", "3000000000 does not fit i32 | cast the other side to i64"},
    {"missing constructor", "type T = A | B(f32) | D\ndef @f(%t) { match (%t) { A => 1, D => 2 } }",
     "match does not cover `B(_)` | add an arm for it, or `_ => …`"},
    {"missing inside", "type O = None_ | Some_(bool)\ndef @f(%t, %u: O) { match ((%t, %u)) { (true, _) => 1, (_, None_) => 2, (_, Some_(true)) => 3 } }",
     "match does not cover `(false, Some_(false))` | add an arm for it, or `_ => …`"},
    {"missing number", "def @f(%n) { match (%n) { 0 => 1, 1 => 2 } }", "match does not cover `_` | add an arm for it, or `_ => …`"},
    {"guards cover nothing", "def @f(%n) { match (%n) { %k if %k > 0 => 1, %k if %k <= 0 => 2 } }",
     "match does not cover `_` | add an arm for it, or `_ => …`"},
    {"missing record", "type P = {a: bool, b: bool}\ndef @f(%p) { match (%p) { {a = true, b = _} => 1, {a = _, b = true} => 2 } }",
     "match does not cover `{a = false, b = false}` | add an arm for it, or `_ => …`"},
    {"redundant arm", "def @f(%n) { match (%n) { 0 => 1, _ => 2, 3 => 4 } }",
     "arm 3 can never be reached: the arms before it take all that it matches"},
    {"redundant number", "def @f(%n) { match (%n) { 0 => 1, 0 => 2, _ => 3 } }",
     "arm 2 can never be reached: the arms before it take all that it matches"},
    {"redundant after all constructors", "def @f(%c) { match (%c) { true => 1, false => 2, _ => 3 } }",
     "arm 3 can never be reached: the arms before it take all that it matches"},
    {"refutable binding", "type L[a] = N | C(a, L[a])\ndef @f(%l: L[f32]) { C(%x, _) = %l; %x }",
     "match does not cover `N` | add an arm for it, or `_ => …`"},
    {"custom gradient", "def @sq(%x: f32) with vjp = (@fwd, @bwd) { %x * %x }\ndef @fwd(%x) { %x * %x }\ndef @bwd(%r, %d) { %d }",
     "vjp of `@fwd`: it must give (result, saved), found Tensor[.., f32] | saved is what the backward function takes before the "
     "result's adjoint: `()` if that needs nothing"},
};
INSTANTIATE_TEST_SUITE_P(Types, Refused, testing::ValuesIn(refused));

TEST(Types, LongChainsOfBindings) {
    std::string program = "def @f(%x0) {\n";
    for (int i = 0; i < 20'000; ++i)
        program += " %x" + std::to_string(i + 1) + " = %x" + std::to_string(i) + " * 2 + %x" + std::to_string(i / 2) + "\n";
    Result<Module> parsed = parse_for_test(program + " %x20000\n}");
    ASSERT_TRUE(parsed) << parsed.error().message;
    Result<Module> typed = infer_types(std::move(*parsed));
    ASSERT_TRUE(typed) << typed.error().message;
    EXPECT_EQ(signatures_of(*typed), "@f(t) -> t");
}

TEST(Types, LongChainsOfFunctions) {
    std::string program = "def @f0(%x) { %x }\n";
    for (int i = 1; i < 5'000; ++i)
        program += "def @f" + std::to_string(i) + "(%x) { @f" + std::to_string(i - 1) + "(%x) }\n";
    Result<Module> parsed = parse_for_test(program);
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_TRUE(infer_types(std::move(*parsed)));
}

TEST(Types, DeepPrograms) {                              // as deep as the parser allows
    std::string open, close;
    for (int i = 0; i < 245; ++i) open += "if (%c) { match (%x) { 0 => (fn(%y) { %y * ", close += " })(%x), _ => 1 } } else { 2 }";
    Result<Module> parsed = parse_for_test("def @f(%c, %x) { " + open + "%x" + close + " }");
    ASSERT_TRUE(parsed) << parsed.error().message;
    Result<Module> typed = infer_types(std::move(*parsed));
    ASSERT_TRUE(typed) << typed.error().message;
    EXPECT_EQ(signatures_of(*typed), "@f(bool, t) -> t");
}

TEST(Types, DeepTypesAreRefused) {
    std::string program = "def @f(%x0) {\n";
    for (int i = 0; i < 2'000; ++i)
        program += " %x" + std::to_string(i + 1) + " = (%x" + std::to_string(i) + ", 1)\n";
    Result<Module> parsed = parse_for_test(program + " %x2000\n}");
    ASSERT_TRUE(parsed) << parsed.error().message;
    Result<Module> typed = infer_types(std::move(*parsed));
    ASSERT_FALSE(typed);
    EXPECT_EQ(typed.error().code, Code::limit);
}

TEST(Types, WideMatchesAreChecked) {
    std::string program = "type T = ";
    for (int i = 0; i < 300; ++i) program += (i ? " | K" : "K") + std::to_string(i) + "(f32)";
    program += "\ndef @f(%t, %u) { match ((%t, %u)) {\n";
    for (int i = 0; i < 300; ++i) {
        std::string name = "K" + std::to_string(i);
        program += " (" + name + "(%x), " + name + "(_)) => %x,\n";
    }
    Result<Module> parsed = parse_for_test(program + " (_, _) => 0 } }");
    ASSERT_TRUE(parsed) << parsed.error().message;
    EXPECT_TRUE(infer_types(std::move(*parsed)));
}
} // namespace
} // namespace nereus
