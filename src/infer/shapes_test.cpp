#include "infer/shapes.h"
#include "infer/specialise.h"
#include "infer/types_testing.h"
#include "ir/op.h"
#include "ir/print.h"
#include "ir/verify.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
struct Case { std::string_view name, program, expected; };
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

Result<Module> shaped(std::string_view program, ShapeReport* report) {
    Module parsed = TRY(parse_for_test(program));
    FunctionId entry = parsed.find_id("main");
    Module ground = TRY(specialise(std::move(parsed), entry));
    return infer_shapes(std::move(ground), FunctionId(0), report);
}

// The entry's result, how many checks are left, and what the hidden integers of each function are.
struct Shapes : testing::TestWithParam<Case> {};
TEST_P(Shapes, AreInferred) {
    ShapeReport report;
    Result<Module> made = shaped(GetParam().program, &report);
    ASSERT_TRUE(made) << made.error().message << " | " << made.error().hint;
    Status sound = verify(*made);
    EXPECT_TRUE(sound) << sound.error().message << "\n" << print(*made);
    std::string found = type_for_test(*made, made->functions[0].result) + "; " + std::to_string(report.checks) + " checks";
    EXPECT_EQ(found, GetParam().expected) << print(*made);
}

const Case shapes[] = {
    {"concat", "def @main(%x: Tensor[(n, d), f32], %y: Tensor[(m, d), f32]) { concat([%x, %y], axis=0) }",
     "f32(n + m, d); 0 checks"},
    {"sizes of all kinds", "def @main(%x: Tensor[(n, p), f32], %y: Tensor[(m), f32], %k: i64) { reshape(%x, [n, 2*m, %k]) }",
     "f32(n, 2*m, k); 2 checks"},
    {"value chain", "def @main(%x: Tensor[(n, 4), f32]) {\n  %s = shape_of(%x)\n  %a = slice(%s, [0], [1])\n"
                    "  %b = slice(%s, [1], [2])\n  reshape(%x, concat([%a * 2, %b // 2]))\n}",
     "f32(2*n, 2); 0 checks"},
    {"flatten", "def @main(%x: Tensor[(n, 3, m), f32]) { reshape(%x, [-1, 3]) }", "f32(n*m, 3); 0 checks"},
    {"inferred beside a symbol", "def @main(%x: Tensor[(n, 6), f32]) where n > 0 { reshape(%x, [n, -1, 2]) }", "f32(n, 3, 2); 0 checks"},
    {"recurrence", "def @main(%xs: Tensor[(t, b, d), f32], %w: Tensor[(d, h), f32], %u: Tensor[(h, h), f32], %h0: Tensor[(b, h), f32]) {\n"
                   "  for %i in t, (%h = %h0) {\n    %y = tanh(matmul(%xs[%i], %w) + matmul(%h, %u))\n    yield %y\n    %y\n  }\n}",
     "(f32(b, h), f32(t, b, h)); 0 checks"},
    {"tree", "type Tree[a] = Leaf(a) | Node(Tree[a], Tree[a])\n"
             "def @encode(%t, %w) { match (%t) { Leaf(%x) => tanh(%x),\n"
             "  Node(%l, %r) => tanh(matmul(concat([@encode(%l, %w), @encode(%r, %w)], axis=0), %w)) } }\n"
             "def @main(%t: Tree[Tensor[(d), f32]], %w: Tensor[(2*d, d), f32]) { @encode(%t, %w) }",
     "f32(d); 0 checks"},
    {"growing carry", "def @main(%x: Tensor[(d), f32], %y: Tensor[(1), f32], %z: Tensor[(n), f32]) {\n"
                      "  for %i in n, (%a = %x) { concat([%a, %y], axis=0) } }",
     "f32(d + n); 0 checks"},
    {"arms", "def @main(%c: bool, %x: Tensor[(n), f32], %y: Tensor[(m), f32]) { if (%c) { %x } else { %y } }", "f32(j); 0 checks"},
    {"bounds of a join", "def @main(%c: bool, %x: Tensor[(n), f32], %y: Tensor[(m), f32]) where n >= 3, m >= 3 {\n"
                         "  %z = if (%c) { %x } else { %y }\n  %z[0:3] }",
     "f32(3); 0 checks"},
    {"affine images of a join", "def @main(%c: bool, %x: Tensor[(n), f32], %y: Tensor[(m), f32]) {\n"
                                "  if (%c) { (%x, concat([%x, %x])) } else { (%y, concat([%y, %y])) } }",
     "(f32(j), f32(2*j)); 0 checks"},
    {"facts keep a size", "def @main(%x: Tensor[(n), f32], %y: Tensor[(m), f32]) { if (n == m) { %x + %y } else { %x } }",
     "f32(n); 0 checks"},
    {"late sizes are shared", "def @main(%c: Tensor[(n), bool], %b: Tensor[(n, 4), f32], %s: Tensor[(n), f32]) {\n"
                              "  %ids = nonzero(%c)[0]\n  %scores = gather(%s, %ids)\n"
                              "  (gather(%b, %ids) * reshape(%scores, [-1, 1]), %scores) }",
     "(f32(k, 4), f32(k)); 0 checks"},
    {"facts end with their arm", "def @main(%x: Tensor[(n), f32], %y: Tensor[(m), f32]) {\n"
                                 "  %s = if (n == m) { sum(%x + %y) } else { 0.0 }\n  (%s, %x + %y) }",
     "(f32(), f32(bcast(n, m))); 1 checks"},
    {"what an arm's own facts refute fails when it is run", "def @main(%x: Tensor[(n), f32]) { match (n) { 0 => sum(slice(%x, [0], [1])), _ => sum(%x) } }",
     "f32(); 1 checks"},
    {"order of wrapping integers", "def @main(%k: i64, %x: Tensor[(n), f32], %y: Tensor[(m), f32]) { if (%k + 1 > %k) { %x } else { %y } }",
     "f32(j); 0 checks"},
    {"quotient of wrapping integers", "def @main(%k: i64) { %q = (2 * %k) // 2; full([%q], 0.0) }", "f32(q); 1 checks"},
    {"sizes do not wrap", "def @main(%x: Tensor[(n), f32]) { %q = (2 * n) // 2; full([%q], 0.0) }", "f32(n); 0 checks"},
    {"ragged sequence", "def @main(%x: Tensor[(n, d), f32], %y: Tensor[(m, d), f32]) { [%x, %y] }", "Seq[f32(?0, d)]; 0 checks"},
    {"sequence of a loop", "def @main(%x: Tensor[(n), f32]) { for %i in n, (%s = [%x]) { push(%s, full([%i], 0.0)) } }",
     "Seq[f32(?0)]; 0 checks"},
    {"mutual recursion", "def @f(%x, %n) { if (%n == 0) { %x } else { @g(%x, %n - 1) } }\n"
                         "def @g(%x, %n) { if (%n == 0) { %x + %x } else { @f(%x, %n - 1) } }\n"
                         "def @main(%x: Tensor[(d), f32], %n: i64) { @f(%x, %n) }",
     "f32(d); 0 checks"},
    {"broadcast", "def @main(%x: Tensor[(n), f32], %y: Tensor[(m), f32]) { %x + %y }", "f32(bcast(n, m)); 1 checks"},
    {"unknown rank", "def @main(%x: Tensor[..s, f32]) { exp(%x) + %x }", "f32(..s); 0 checks"},
    {"where", "def @f(%x: Tensor[(n), f32]) where n >= 2 { %x[0:2] }\ndef @main(%x: Tensor[(n), f32]) where n > 4 { @f(%x) }",
     "f32(2); 0 checks"},
    {"declared result", "def @main(%x: Tensor[(n), f32], %y: Tensor[(m), f32]) -> Tensor[(n), f32] { %y }", "f32(m); 1 checks"},
    {"list map", "type List[a] = Nil | Cons(a, List[a])\n"
                 "def @map(%f, %l) { match (%l) { Nil => Nil, Cons(%x, %r) => Cons(%f(%x), @map(%f, %r)) } }\n"
                 "def @main(%l: List[Tensor[(d), f32]], %w: Tensor[(d, h), f32]) { @map(fn(%x) { matmul(%x, %w) }, %l) }",
     "List[f32(h)]; 0 checks"},
    {"while", "def @main(%x: Tensor[(n), f32]) {\n  while (%a = %x, %k = 0) (%k < 3) { (concat([%a, %x]), %k + 1) } }",
     "(f32(4*n), i64()); 0 checks"},
    {"cell", "def @main(%x: Tensor[(n), f32], %y: Tensor[(m), f32]) { %r = ref(%x); write(%r, %x * 2.0); read(%r) }", "f32(n); 0 checks"},
    {"cell of two sizes", "def @main(%x: Tensor[(n), f32], %y: Tensor[(m), f32]) { %r = ref(%x); write(%r, %y); read(%r) }", "f32(n1); 0 checks"},
    {"record", "type Cell[d: dim] = {w: Tensor[(5*d, 2*d), f32], b: Tensor[(5*d), f32]}\n"
               "def @step(%c: Cell[d], %x: Tensor[(2*d), f32]) { matmul(%c.w, %x) + %c.b }\n"
               "def @main(%c: Cell[d], %x: Tensor[(2*d), f32]) { @step(%c, %x) }",
     "f32(5*d); 0 checks"},
    {"closures from arms", "def @main(%c: bool, %x: Tensor[(n), f32], %w: Tensor[(n, m), f32], %v: Tensor[(n, k), f32]) {\n"
                           "  %f = if (%c) { fn(%y) { matmul(%y, %w) } } else { fn(%y) { matmul(%y, %v) } }\n  %f(%x) }",
     "f32(j); 0 checks"},
    {"captured dim", "def @main(%x: Tensor[(n), f32]) { %f = fn(%k) { full([n, %k], 1.0) }; %f(3) }", "f32(n, 3); 0 checks"},
    {"gradient", "def @loss(%w, %x) { sum(matmul(%x, %w)) }\n"
                 "def @main(%w: Tensor[(d, h), f32], %x: Tensor[(n, d), f32]) { grad(@loss)(%w, %x) }",
     "(f32(d, h), f32(n, d)); 0 checks"},
    {"growing by doubling", "def @main(%x: Tensor[(n), f32], %k: i64) {\n"
                            "  for %i in %k, (%a = %x, %b = %x) { (concat([%a, %b]), concat([%b, %a])) } }",
     "(f32(v1), f32(v1)); 0 checks"},
    {"counted while", "def @main(%x: Tensor[(n), f32]) {\n"
                      "  %r = while (%a = %x, %i = 0) (%i < n) { (%a * 2.0, %i + 1) }\n  full([%r.1], 1.0) + %r.0 }",
     "f32(n); 0 checks"},
    {"growing recursion", "def @f(%x, %n) { if (%n <= 0) { %x } else { @f(concat([%x, %x]), %n - 1) } }\n"
                          "def @main(%x: Tensor[(n), f32], %k: i64) { @f(%x, %k) }",
     "f32(j); 0 checks"},
    {"cache", "def @main(%x: Tensor[(n, d), f32]) {\n"
              "  for %i in n, (%cache = full([0, d], 0.0)) { concat([%cache, reshape(%x[%i], [1, d])], axis=0) } }",
     "f32(n, d); 0 checks"},
    {"halves", "def @main(%x: Tensor[(n), f32]) { %h = n // 2; concat([%x[%h:n], %x[0:%h]]) + %x }", "f32(n); 0 checks"},
    {"closures in a list", "type List[a] = Nil | Cons(a, List[a])\n"
                           "def @run(%l, %x) { match (%l) { Nil => %x, Cons(%f, %r) => @run(%r, %f(%x)) } }\n"
                           "def @main(%x: Tensor[(n), f32], %w: Tensor[(n, n), f32], %y: Tensor[(n), f32]) {\n"
                           "  @run(Cons(fn(%a) { matmul(%a, %w) }, Cons(fn(%a) { %a + %y }, Nil)), %x) }",
     "f32(n); 0 checks"},
    {"closures around closures", "def @compose(%f, %g) { fn(%x) { %f(%g(%x)) } }\n"
                                 "def @iterate(%f, %n) {\n"
                                 "  if (%n <= 0) { fn(%x) { %x } } else { @compose(%f, @iterate(%f, %n - 1)) } }\n"
                                 "def @main(%x: Tensor[(n), f32], %k: i64) { @iterate(fn(%y) { %y + 1.0 }, %k)(%x) }",
     "f32(n); 0 checks"},
    {"new sizes", "def @f(%x: Tensor[(n, m), f32]) -> Tensor[(new k, m), f32] {\n"
                  "  gather(%x, nonzero(sum(%x, axes=[1]) > 0.0)[0]) }\n"
                  "def @main(%x: Tensor[(n, m), f32]) { %y = @f(%x); (%y + %y, @f(%y)) }",
     "(f32(k, m), f32(k1, m)); 0 checks"},
    {"narrowing", "def @g(%x: Tensor[(n), f32]) { %x }\ndef @main(%x: Tensor[.., f32]) { @g(%x) }", "f32(n); 1 checks"},
    {"elements looked at once", "def @f(%s: Seq[Tensor[(n), f32]]) { length(%s) + n }\n"
                                "def @main(%x: Tensor[(a), f32], %y: Tensor[(b), f32]) { @f([%x, %y]) }",
     "i64(); 1 checks"},
    {"rows of unknown size", "def @main(%x: Tensor[(n), f32]) { for %i in n, () { yield gather(%x, nonzero(%x > 0.0)[0]) } }",
     "f32(n, row1); 1 checks"},
    {"arms of two ranks", "def @main(%c: bool, %x: Tensor[(n), f32], %y: Tensor[(n, m), f32]) {\n"
                          "  %z = if (%c) { %x } else { %y }\n  exp(%z) + %z }",
     "f32(..s); 0 checks"},
    {"one of several closures may fail", "def @main(%c: bool, %x: Tensor[(3), f32]) {\n"
                                         "  %f = if (%c) { fn(%y) { %y + full([3], 1.0) } } else { fn(%y) { %y + full([4], 1.0) } }\n"
                                         "  sum(%f(%x)) }",
     "f32(); 1 checks"},
    {"a capture without a number", "def @main(%x: f64) {\n"
                                   "  %s = for %i in 3, (%s = []) { push(%s, fn(%a: f64) { %i }) }\n  full([%s[1](%x)], %x) }",
     "f64(k); 1 checks"},
    {"rows of a loop without trips", "def @main(%x: Tensor[(n), f64], %c: bool) {\n"
                                     "  for %i in 0, (%a = %x) { yield match (%c) { true => %x, false => %a }; %a } }",
     "(f64(n), f64(0, n)); 0 checks"},
    {"a body that never ends", "def @endless(%x) -> f64 { @endless(%x) }\n"
                               "def @main(%x: Tensor[(n), f64], %y: f64) {\n"
                               "  for %i in n, (%a = %x, %b = %y) { yield @endless(%b); (%a, %b) } }",
     "(f64(n), f64(), f64(n)); 0 checks"},
    {"a size that an inner function names", "def @main(%y: Tensor[(m), f64]) {\n"
                                            "  %f = fn(%a: f64) { fn(%b: Tensor[(n), f64]) { full([n], %a) } }\n  %f(1.0)(%y) }",
     "f64(m); 0 checks"},
    {"cells of a loop", "def @main(%q: Seq[Tensor[(n, ?), f32]]) {\n"
                        "  for %i in length(%q), (%s = []) { push(%s, ref(full(shape_of(%q[%i]), 0.0))) } }",
     "Seq[Ref[f32(?0, ?1)]]; 0 checks"},
};
INSTANTIATE_TEST_SUITE_P(Infer, Shapes, testing::ValuesIn(shapes));

struct Refuted : testing::TestWithParam<Case> {};
TEST_P(Refuted, IsAnError) {
    ShapeReport report;
    Result<Module> made = shaped(GetParam().program, &report);
    ASSERT_FALSE(made) << signatures_of(*made);
    std::string found = made.error().message;
    for (const Note& note : made.error().notes) found += " | " + note.text;
    EXPECT_EQ(found, GetParam().expected);
}
const Case refuted[] = {
    {"inner dims", "def @main(%x: Tensor[(n, 4), f32], %w: Tensor[(5, m), f32]) { matmul(%x, %w) }", "matmul: inner dims: 4 and 5 differ"},
    {"in a callee", "def @f(%x, %w) { matmul(%x, %w) }\ndef @main(%x: Tensor[(n, 4), f32], %w: Tensor[(5, m), f32]) { @f(%x, %w) }",
     "matmul: inner dims: 4 and 5 differ | in @f, called here"},
    {"in the callee's words", "def @f(%x, %w: Tensor[(h, h), f32]) { matmul(concat([%x, %x]), %w) }\n"
                              "def @main(%x: Tensor[(n), f32], %w: Tensor[(n, n), f32]) where n > 0 { @f(%x, %w) }",
     "matmul: inner dims: 2*h and h differ | in @f, called here"},
    {"a size without a value", "def @f(%g: fn(Tensor[(k), f32]) -> f32) { full([k], 1.0) }\ndef @main(%x: f32) { @f(fn(%a) { sum(%a) }) }",
     "the size k has no value | in @f, called here"},
    {"a size of an enclosing function", "def @main(%x: Tensor[(3), f32], %y: Tensor[(4), f32]) {\n"
                                        "  %f = fn(%a: Tensor[(k), f32]) { fn(%b: Tensor[(k), f32]) { %a } }\n  %f(%x)(%y) }",
     "fn: axis 0 of %b: 3 and 4 differ"},
    {"never returns", "def @f(%x) { @f(%x) }\ndef @main(%x: f32) { @f(%x) }", "entry @main never returns"},
};
INSTANTIATE_TEST_SUITE_P(Infer, Refuted, testing::ValuesIn(refuted));

// Every walk of a loop makes symbols: how many there are tells how often bodies were walked.
size_t symbols_of_nest(int loops, const std::string& state, const std::string& inner) {
    std::string body = inner;
    for (int i = loops; i-- > 0;) {
        const std::string outer = i == 0 ? state : "%s" + std::to_string(i - 1);
        body = "for %i" + std::to_string(i) + " in %k, (%s" + std::to_string(i) + " = " + outer + ") { " + body + " }";
    }
    Result<Module> made = shaped("def @main(%x: Tensor[(n), f32], %k: i64) { " + body + " }", nullptr);
    EXPECT_TRUE(made) << made.error().message;
    return made ? made->dims.symbol_count() : 0;
}
TEST(ShapesOfNests, TakeTimeOfTheirDepthNotExponential) {
    EXPECT_LT(symbols_of_nest(14, "0", "%s13 + 1"), 8 * symbols_of_nest(7, "0", "%s6 + 1"));         // affine
    EXPECT_LT(symbols_of_nest(14, "%x", "concat([%s13, %s13])"), 8 * symbols_of_nest(7, "%x", "concat([%s6, %s6])"));
}

// That n is d is only found at the end: of two equal sizes, the one that is written stays.
TEST(ShapesOfRecursion, SettleWhereSizesAreChecked) {
    for (const char* result : {"(d, d)", "(n, n)", "(d, n)", "(n, d)"}) {
        Result<Module> made = shaped("def @main(%x: Tensor[(n, d), f32], %k: i64) -> Tensor[" + std::string(result) +
                                         ", f32] { if (%k <= 0) { %x } else { @main(%x, %k - 1) + %x } }",
                                     nullptr);
        EXPECT_TRUE(made) << result << ": " << made.error().message;
    }
}
} // namespace
} // namespace nereus
