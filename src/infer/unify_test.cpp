#include "infer/types_text.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
struct Unify : testing::Test {
    Module module;
    Terms terms;
    bool same(TermId a, TermId b) { return !unify(terms, a, b); }
    std::string text(TermId id) { return text_of(module, terms, id); }
};

TEST_F(Unify, ClassesMeet) {
    EXPECT_EQ(meet(DTypeClass::any, DTypeClass::real), DTypeClass::real);
    EXPECT_EQ(meet(DTypeClass::integer, DTypeClass::num), DTypeClass::integer);
    EXPECT_EQ(meet(DTypeClass::num, DTypeClass::num), DTypeClass::num);
    EXPECT_EQ(meet(DTypeClass::integer, DTypeClass::real), std::nullopt);
    TermId number = terms.tensor(DTypeClass::num);
    EXPECT_TRUE(same(number, terms.tensor(DTypeClass::real)));
    EXPECT_FALSE(same(terms.tensor(DType::i64), number));
}

TEST_F(Unify, DTypesKeepTheirClass) {
    EXPECT_TRUE(same(terms.tensor(DTypeClass::num), terms.tensor(DType::i32)));
    EXPECT_TRUE(same(terms.tensor(DTypeClass::any), terms.tensor(DType::boolean)));
    EXPECT_FALSE(same(terms.tensor(DTypeClass::num), terms.tensor(DType::boolean)));
    EXPECT_FALSE(same(terms.tensor(DType::f32), terms.tensor(DType::f64)));
}

TEST_F(Unify, GoesThroughStructure) {
    TermId a = terms.unknown(), b = terms.unknown();
    TermId left = terms.function({a, terms.seq(a)}, terms.ref(b));
    TermId right = terms.function({terms.tensor(DType::f32), terms.unknown()}, terms.ref(terms.tuple({})));
    EXPECT_TRUE(same(left, right));
    EXPECT_EQ(text(right), "fn(Tensor[.., f32], Seq[Tensor[.., f32]]) -> Ref[()]");
}

TEST_F(Unify, NamesTheInnermostDifference) {
    TermId left = terms.tuple(std::vector{terms.tensor(DType::f32), terms.seq(terms.tensor(DType::i64))});
    TermId right = terms.tuple(std::vector{terms.tensor(DType::f32), terms.seq(terms.tensor(DType::f64))});
    std::optional<Clash> clash = unify(terms, left, right);
    ASSERT_TRUE(clash);
    EXPECT_EQ(clash_text(module, terms, *clash), "expected i64, found f64");
    EXPECT_FALSE(says_it_all(terms, *clash, left));
    EXPECT_EQ(both_types(module, terms, *clash, left, right), R"(the types differ where they are marked
    expected (Tensor[.., f32], Seq[Tensor[.., i64]])
                                              ^~~
    found    (Tensor[.., f32], Seq[Tensor[.., f64]])
                                              ^~~)");
}

TEST_F(Unify, LongTypesAreCutAroundTheDifference) {
    std::vector<TermId> expected(12, terms.tensor(DType::f32)), found = expected;
    expected[7] = terms.ref(terms.tensor(DType::i64)), found[7] = terms.seq(terms.tensor(DType::i64));
    TermId left = terms.tuple(expected), right = terms.tuple(found);
    std::optional<Clash> clash = unify(terms, left, right);
    ASSERT_TRUE(clash);
    EXPECT_EQ(both_types(module, terms, *clash, left, right), R"(the types differ where they are marked
    expected (…, …, …, …, …, …, …, Ref[Tensor[.., i64]], …, …, …, …)
                                   ^~~~~~~~~~~~~~~~~~~~
    found    (…, …, …, …, …, …, …, Seq[Tensor[.., i64]], …, …, …, …)
                                   ^~~~~~~~~~~~~~~~~~~~)");
}

TEST_F(Unify, BothSidesAreShownAsTheyAre) {
    TermId shared = terms.tuple(std::vector{terms.tensor(DType::f32)}), other = terms.tuple(std::vector{terms.tensor(DType::f32)});
    TermId left = terms.tuple(std::vector{shared, shared, terms.tensor(DType::i64)});
    TermId right = terms.tuple(std::vector{other, shared, terms.ref(terms.unknown())});
    ASSERT_TRUE(unify(terms, left, right));
    EXPECT_EQ(text(left), "((Tensor[.., f32]), (Tensor[.., f32]), Tensor[.., i64])");
    EXPECT_EQ(text(right), "((Tensor[.., f32]), (Tensor[.., f32]), Ref[_])");
}

TEST_F(Unify, DeclaredVariablesStayApart) {
    TermId a = terms.unknown(), b = terms.unknown(), elsewhere = terms.unknown();
    terms.declare(a, {"a", FunctionId(0)});
    terms.declare(b, {"b", FunctionId(0)});
    terms.declare(elsewhere, {"x", FunctionId(1)});
    EXPECT_FALSE(same(a, terms.tuple({})));
    EXPECT_TRUE(same(a, elsewhere)) << "functions of one group may share a variable";
    EXPECT_FALSE(same(elsewhere, b)) << "but not two of one signature";
}

TEST_F(Unify, CyclesAreFoundAfterwards) {
    TermId a = terms.unknown();
    EXPECT_TRUE(same(a, terms.tuple(std::vector{a, a})));
    std::unordered_map<TermId, uint32_t> known;
    EXPECT_FALSE(terms.nesting(a, known));
    EXPECT_LE(text(a).size(), 1000u);
}

TEST_F(Unify, LongChainsTakeLinearTime) {
    auto chain = [&] {
        TermId at = terms.tensor(DType::f32);
        for (int i = 0; i < 200'000; ++i) at = terms.tuple(std::vector{at, at});
        return at;
    };
    TermId one = chain(), two = chain();
    EXPECT_TRUE(same(one, two));
    std::unordered_map<TermId, uint32_t> known;
    EXPECT_EQ(terms.nesting(one, known), 200'001u);
}

TEST_F(Unify, SuggestsNames) {
    std::vector<std::string> names{"count", "mean", "m2"};
    EXPECT_EQ(did_you_mean("cuont", names), ", did you mean `count`?");
    EXPECT_EQ(did_you_mean("zzz", names), "");
}
} // namespace
} // namespace nereus
