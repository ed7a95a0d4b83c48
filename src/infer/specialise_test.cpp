#include "infer/specialise.h"
#include "infer/types_testing.h"
#include "ir/op.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
struct Case { std::string_view name, program, expected; };   // of the entry @main
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

Result<Module> specialised(std::string_view program) {
    Module parsed = TRY(parse_for_test(program));
    FunctionId entry = parsed.find_id("main");
    return specialise(std::move(parsed), entry);
}

struct Copies : testing::TestWithParam<Case> {};
TEST_P(Copies, AreMade) {
    Result<Module> made = specialised(GetParam().program);
    ASSERT_TRUE(made) << made.error().message << " | " << made.error().hint;
    EXPECT_EQ(signatures_of(*made), GetParam().expected);
}

const Case copies[] = {
    {"muladd at scalars", "def @muladd(%x, %y, %z) { %1 = mul(%x, %y); %2 = add(%1, %z); %2 }\n"
                          "def @main(%a: f32, %b: f32, %c: f32) { @muladd(%a, %b, %c) }",
     "@main(f32(), f32(), f32()) -> f32\n@muladd(f32, f32, f32) -> f32"},
    {"two dtypes", "def @twice(%x) { %x + %x }\ndef @main(%x: f32, %n: i64) { (@twice(%x), @twice(%n), @twice(2 * %x)) }",
     "@main(f32(), i64()) -> (f32, i64, f32)\n@twice(f32) -> f32\n@twice.1(i64) -> i64"},
    {"only what is reached", "def @other(%x) { %x }\ndef @main() { 1.5 }", "@main() -> f32"},
    {"defaults", "def @id(%x) { %x }\ndef @main() { (@id(2), @id(2.0), 2 * 3.0) }",
     "@main() -> (i64, f32, f32)\n@id(i64) -> i64\n@id.1(f32) -> f32"},
    {"recursion", "type L[a] = N | C(a, L[a])\ndef @len(%l) { match (%l) { N => 0, C(_, %r) => 1 + @len(%r) } }\n"
                  "def @main(%l: L[f32], %m: L[(f32, bool)]) { @len(%l) + @len(%m) }",
     "@main(L[f32()], L[(f32(), bool())]) -> i64\n@len(L[f32]) -> i64\n@len.1(L[(f32, bool)]) -> i64"},
    {"entry calls itself", "def @main(%n: i64) { if (%n == 0) { 0 } else { @main(%n - 1) } }", "@main(i64()) -> i64"},
    {"mutual recursion", "def @even(%n) { if (%n == 0) { true } else { @odd(%n - 1) } }\n"
                         "def @odd(%n) { if (%n == 0) { false } else { @even(%n - 1) } }\n"
                         "def @main(%n: i32) { (@even(%n), @odd(7)) }",
     "@main(i32()) -> (bool, bool)\n@even(i32) -> bool\n@odd(i64) -> bool\n@odd.1(i32) -> bool\n@even.1(i64) -> bool"},
    {"constraints of a scheme", "def @first(%p) { %p.0 }\ndef @deep(%p) { @first(@first(%p)) }\n"
                                "def @main(%x: f32) { (@deep(((%x, 1), true)), @first((true, %x))) }",
     "@main(f32()) -> (f32, bool)\n@deep(((f32, i64), bool)) -> f32\n@first((bool, f32)) -> bool\n"
     "@first.1(((f32, i64), bool)) -> (f32, i64)\n@first.2((f32, i64)) -> f32"},
    {"generic optimiser", "type P = {w: f32, b: f32}\ntype Q = {w: f64}\ndef @step(%p, %g) { {%p with w = %p.w - %g.w} }\n"
                          "def @main(%p: P, %q: Q) { (@step(%p, %p), @step(%q, %q)) }",
     "@main(P, Q) -> (P, Q)\n@step(P, P) -> P\n@step.1(Q, Q) -> Q"},
    {"function values", "def @id(%x) { %x }\ndef @apply(%f, %x) { %f(%x) }\ndef @main(%x: f32) { @apply(@id, %x) }",
     "@main(f32()) -> f32\n@id(f32) -> f32\n@apply(fn(f32) -> f32, f32) -> f32"},
    {"declared shapes stay", "def @f[t1: dtype](%x: Tensor[(n, m), t1], %y: a) -> Tensor[(m, n), t1] where n > 0 { transpose(%x, [1, 0]) }\n"
                             "def @main(%x: Tensor[(k, 4), f64]) -> Tensor[(4, k), f64] { @f(%x, %x) }",
     "@main(f64(k, 4)) -> f64(4, k)\n@f(f64(n, m), f64) -> f64(m, n)"},
    {"dims of data stay", "type Cell[d: dim, t: dtype] = {w: Tensor[(d), t]}\ndef @w[t: dtype](%c: Cell[n, t]) { %c.w }\n"
                          "def @main(%c: Cell[8, f32]) { %d = {%c with w = %c.w * 2}; (@w(%c), %d) }",
     "@main(Cell[8, f32]) -> (f32, Cell[?, f32])\n@w(Cell[n, f32]) -> f32"},
    {"unused element type", "type L[a] = N | C(a, L[a])\ndef @len(%l) { match (%l) { N => 0, C(_, %r) => 1 + @len(%r) } }\n"
                            "def @main() { @len(N) }",
     "@main() -> i64\n@len(L[()]) -> i64"},
    {"grad", "def @loss(%w, %x) { sum(%w * %x) }\ndef @main(%w: Tensor[(n), f64]) { grad(@loss, wrt=[0])(%w, %w) }",
     "@main(f64(n)) -> f64\n@loss(f64, f64) -> f64"},
    {"custom gradient", "def @sq(%x) with vjp = (@fwd, @bwd) { %x * %x }\ndef @fwd(%x) { (%x * %x, %x) }\n"
                        "def @bwd(%r, %d) { 2 * %r * %d }\ndef @main(%x: f32) { grad(@sq)(%x) }",
     "@main(f32()) -> f32\n@sq(f32) -> f32\n@fwd(f32) -> (f32, f32)\n@bwd(f32, f32) -> f32"},
};
INSTANTIATE_TEST_SUITE_P(Specialise, Copies, testing::ValuesIn(copies));

struct NotGround : testing::TestWithParam<Case> {};
TEST_P(NotGround, IsRefused) {
    Result<Module> made = specialised(GetParam().program);
    ASSERT_FALSE(made) << signatures_of(*made);
    EXPECT_EQ(made.error().message + " | " + made.error().hint, GetParam().expected);
}

const Case not_ground[] = {
    {"no dtype", "def @main(%x, %n: i64) { %x * 2.0 }",
     "the type of `%x` of entry `@main` is not complete | annotate it: def @main(%x: Tensor[.., f32], %n: i64)"},
    {"no rank", "def @main(%x: Tensor[(n), f32], %y) { %x + %y }",
     "the type of `%y` of entry `@main` is not complete | annotate it: def @main(%x: Tensor[(n), f32], %y: Tensor[.., f32])"},
    {"variable", "def @main(%x: a) { 1 }", "the type of `%x` of entry `@main` is not complete | `a` stands for any type, and an entry has one: write it, as in `%x: f32`, `%x: Tensor[(n), f32]`"},
    {"open projection", "def @main() { fn(%p) { %p.0 } }", "`.0` of a value whose type is not known | annotate `%p`"},
    {"two records", "type P = {x: f32}\ntype Q = {x: f32}\ndef @main() { %p = {x = 1}; 2 }",
     "several records have the fields `x`: `P`, `Q` | annotate the value with the one that is meant"},
};
INSTANTIATE_TEST_SUITE_P(Specialise, NotGround, testing::ValuesIn(not_ground));

const Binding* find_form(const Function& function, Form form) {
    for (const Block& block : function.blocks)
        for (BindingId id : block.bindings)
            if (function[id].form == form) return &function[id];
    return nullptr;
}

TEST(SpecialiseForms, IndexOfSeqIsAnOperator) {
    Result<Module> made = specialised("def @main(%s: Seq[f32], %i: i32) { %s[%i] }");
    ASSERT_TRUE(made) << made.error().message;
    const Function& main = made->functions[0];
    EXPECT_EQ(find_form(main, Form::index), nullptr);
    const Block& body = main[main.body];
    ASSERT_EQ(body.bindings.size(), 2u);
    EXPECT_EQ(main[body.bindings[0]].op->name, "cast");
    EXPECT_EQ(main[body.bindings[1]].op->builtin, Builtin::seq_get);
    EXPECT_EQ(main[body.bindings[1]].args[1], main[body.bindings[0]].results[0]);
}

TEST(SpecialiseForms, IndexOfTensorStays) {
    Result<Module> made = specialised("def @main(%x: Tensor[(n), f32]) { %x[0] }");
    ASSERT_TRUE(made) << made.error().message;
    EXPECT_NE(find_form(made->functions[0], Form::index), nullptr);
}

TEST(SpecialiseForms, RecordsGetTheirDeclaration) {
    Result<Module> made = specialised("type P = {w: f32, n: i64}\n"
                                      "def @main(%w: f32) { %p = {n = 1, w = %w}; %q = {%p with n = 2}; (%q.n, "
                                      "match (%q) { {n = %k, w = _} => %k }) }");
    ASSERT_TRUE(made) << made.error().message;
    const Function& main = made->functions[0];
    EXPECT_EQ(find_form(main, Form::record)->decl, find_form(main, Form::update)->decl);
    EXPECT_EQ((*made)[find_form(main, Form::field)->decl].name, "P");
    EXPECT_EQ(find_form(main, Form::field)->index, 1u);
    EXPECT_TRUE(find_form(main, Form::match)->arms[0].pattern.decl.valid());
}

TEST(SpecialiseForms, EveryTypeIsGround) {
    Result<Module> made = specialised("def @k(%x, %y) { %z = 3; %x }\ndef @main(%x: f32) { %f = fn(%a) { @k(%a, %x) }; %f(1) }");
    ASSERT_TRUE(made) << made.error().message;
    for (const Function& function : made->functions)
        for (const Block& block : function.blocks)
            for (BindingId id : block.bindings)
                for (ValueId value : function[id].results)
                    EXPECT_NE(made->types[function[value].type].kind, TypeKind::hole) << function.name << " %" << function[value].name;
}
} // namespace
} // namespace nereus
