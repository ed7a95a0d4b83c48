#include "dim/solve.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
struct SolveTest : testing::Test {
    Dims dims;
    Sym sn = dims.new_symbol("n", SymKind::size), sm = dims.new_symbol("m", SymKind::size);
    Sym sk = dims.new_symbol("k", SymKind::host);
    Dim n = dims.of(sn), m = dims.of(sm), k = dims.of(sk);
    Dim c(int64_t v) { return dims.constant(v); }
    Dim line(int64_t a, Dim x, int64_t b) { return dims.add(dims.scale(x, a), c(b)); }
    std::string failure(std::vector<Observation> list) {
        Result<SymbolValues> r = solve(dims, list);
        if (r) return "solved";
        EXPECT_EQ(r.error().code, Code::shape);
        return r.error().message;
    }
};
} // namespace

TEST_F(SolveTest, LoneSymbolsFirst) {
    std::vector<Observation> list{{line(2, n, 0), 8}, {n, 4}, {dims.mul(n, m), 12}};
    Result<SymbolValues> r = solve(dims, list);
    ASSERT_TRUE(r);
    EXPECT_EQ((*r)[sn.index], 4);
    EXPECT_EQ((*r)[sm.index], 3);
    EXPECT_FALSE((*r)[sk.index]);
}

TEST_F(SolveTest, ChainsOfUnknowns) {
    std::vector<Observation> list{{dims.add(line(2, n, 1), m), 12}, {line(3, m, -1), 8}, {line(-1, k, 0), 5}};
    Result<SymbolValues> r = solve(dims, list);
    ASSERT_TRUE(r);
    EXPECT_EQ((*r)[sn.index], 4);
    EXPECT_EQ((*r)[sm.index], 3);
    EXPECT_EQ((*r)[sk.index], -5);
}

TEST_F(SolveTest, Failures) {
    EXPECT_EQ(failure({{n, 4}, {line(2, n, 0), 7}}), "expected 2*n = 8, found 7");
    EXPECT_EQ(failure({{n, 4}, {n, 5, "%x axis 1"}}), "%x axis 1: expected n = 4, found 5");
    EXPECT_EQ(failure({{c(3), 4}}), "expected 3, found 4");
    EXPECT_EQ(failure({{line(2, n, 0), 7}}), "expected 2*n, found 7, which no whole n gives");
    EXPECT_EQ(failure({{line(1, n, 3), 2}}), "expected n + 3, found 2, which needs n = -1");
    EXPECT_EQ(failure({{dims.mul(n, m), 6}}), "the size n in n*m is not determined by the arguments");
    EXPECT_EQ(failure({{n, 0}, {dims.mul(n, m), 0}}), "the size m in n*m is not determined by the arguments");
    EXPECT_EQ(failure({{n, 5}, {dims.mod(n, c(2)), 0}}), "expected mod(n, 2) = 1, found 0");
    EXPECT_EQ(failure({{n, 0}, {dims.floor_div(m, n), 2}, {m, 2}}), "division by zero");
    EXPECT_EQ(failure({{n, INT64_MAX}, {line(4, n, 0), 2}}), "the value of 4*n does not fit into 64 bits");
}

TEST_F(SolveTest, KnownValuesServe) {
    SymbolValues known{std::nullopt, 3};
    std::vector<Observation> list{{dims.mul(n, m), 12}};
    Result<SymbolValues> r = solve(dims, list, known);
    ASSERT_TRUE(r);
    EXPECT_EQ((*r)[sn.index], 4);
}
} // namespace nereus
