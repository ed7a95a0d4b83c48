#include "infer/abstract.h"
#include "infer/shapes_join.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
struct SettledValues : testing::Test {
    Dims dims;
    Abstracts abstracts{dims};
    Dim n = dims.of(dims.new_symbol("n", SymKind::size));
    AbsId tensor(std::vector<Dim> sizes) { return abstracts.tensor({.dtype = DType::f32, .shape = Shape{std::move(sizes), true, {}}}); }
    Dim unknown(uint32_t level, uint32_t k) { return abstracts.unknown(level, k); }
    AbsId with_itself(AbsId value) { return join_elements(abstracts, {value, value}, [](Dim) { return true; }, {}); }
};

TEST_F(SettledValues, StayWhenJoinedWithThemselves) {
    const AbsId rows = abstracts.seq(tensor({unknown(0, 0), n, unknown(0, 1), unknown(0, 0)}));
    const AbsId shown = abstracts.seq(abstracts.tuple({tensor({unknown(0, 0)}), abstracts.seq(tensor({unknown(1, 0), unknown(0, 0)}))}));
    const AbsId function = abstracts.intern({.kind = AbsKind::closures, .closures = {{.code = 3, .env = {rows, tensor({unknown(0, 0)})}}}});
    for (AbsId value : {tensor({n}), rows, shown, function, abstracts.tuple({rows, function})}) {
        EXPECT_TRUE(abstracts.is_settled(value));
        EXPECT_EQ(with_itself(value), value);
    }
    EXPECT_EQ(abstracts.symbols_of(rows), std::vector{*dims.as_symbol(n)});
}
TEST_F(SettledValues, DoNotSpeakOfContainersAround) {
    EXPECT_FALSE(abstracts.is_settled(tensor({unknown(0, 0)})));
    EXPECT_FALSE(abstracts.is_settled(abstracts.seq(tensor({unknown(1, 0)}))));
}
// A join numbers unknowns as they occur, and those of a container around must be shown by it first.
TEST_F(SettledValues, NumberUnknownsAsTheyOccur) {
    const AbsId late = abstracts.seq(tensor({unknown(0, 1), unknown(0, 0)}));
    const AbsId hidden = abstracts.seq(abstracts.tuple({abstracts.seq(tensor({unknown(1, 0)})), tensor({unknown(0, 0)})}));
    for (AbsId value : {late, hidden}) {
        EXPECT_FALSE(abstracts.is_settled(value));
        EXPECT_NE(with_itself(value), value);
    }
}
} // namespace
} // namespace nereus
