// How much a launch does and which way it takes, on blocks of parameters that fill_params wrote.
#include "loop/cost.h"
#include "loop/text.h"
#include "loop/way.h"
#include <gtest/gtest.h>

namespace nereus::loop {
namespace {
using Extents = std::vector<int64_t>;
constexpr Machine machine{.vector_bytes = 32, .vector_registers = 16, .masks = false, .fma = true};

// A kernel bound to one axis per group; strides by group, then by its buffers.
struct Bound {
    Bound(const char* text, const Extents& extents, const std::vector<Extents>& strides)
        : kernel(*schedule(*parse(text), machine)) {
        std::vector<GroupShape> groups;
        std::vector<int32_t> ranks;
        for (size_t g = 0; g < extents.size(); ++g) {
            groups.push_back({std::span(&extents[g], 1), strides[g]});
            ranks.push_back(1);
        }
        p.resize(size_t(param_slots(kernel.params, ranks)));
        EXPECT_GE(fill_params(kernel.params, groups, {}, p), 0);
    }
    Way way() const { return way_of(kernel, p.data(), machine.masks); }
    Cost cost() const { return cost_of(kernel.function, kernel.params, p.data()); }
    Scheduled kernel;
    std::vector<int64_t> p;
};

constexpr const char* map = "kernel f(x: f32, y: out f32) {\n  parallel g\n  y[g] = add(mul(x[g], x[g]), 1.0:f32)\n}\n";
constexpr const char* sum =
    "kernel s(x: f32, y: out f32) {\n  parallel g\n  reduce r\n  %0 = sum over r of x[g, r]\n  y[g] = %0\n}\n";
constexpr const char* product =
    "kernel m(a: f32, b: f32, y: out f32) {\n  parallel i\n  parallel axis m\n  parallel axis n\n  reduce axis k\n"
    "  %0 = contract over k of a[i, m, k], b[i, n, k]\n  y[i, m, n] = %0\n}\n";

TEST(Way, ElementsGoInVectorsWhereTheyAreAdjacent) {
    EXPECT_EQ(Bound(map, {100}, {{1, 1}}).way(), Way::vectors);
    EXPECT_EQ(Bound(map, {100}, {{0, 1}}).way(), Way::vectors);          // read once
    EXPECT_EQ(Bound(map, {100}, {{3, 1}}).way(), Way::lanes);
    EXPECT_EQ(Bound(map, {100}, {{1, 2}}).way(), Way::lanes);
    EXPECT_EQ(Bound(map, {7}, {{1, 1}}).way(), Way::lanes);              // without masks a vector must fit
}
TEST(Way, FoldsGoAlongOrAcross) {
    EXPECT_EQ(Bound(sum, {5, 100}, {{100, 1}, {1}}).way(), Way::rows);
    EXPECT_EQ(Bound(sum, {100, 5}, {{1, 1}, {100}}).way(), Way::columns);
    EXPECT_EQ(Bound(sum, {5, 100}, {{1, 1}, {5}}).way(), Way::lanes);    // too few columns
    EXPECT_EQ(Bound(sum, {100, 5}, {{5, 1}, {1}}).way(), Way::lanes); // rows that are too short, columns that are apart
}
TEST(Way, ProductsGoByWhatIsAdjacent) {
    EXPECT_EQ(Bound(product, {1, 6, 16, 9}, {{0, 0, 0}, {9, 16}, {1, 1}, {1, 16}}).way(), Way::tiles);
    EXPECT_EQ(Bound(product, {1, 6, 16, 9}, {{0, 0, 0}, {9, 16}, {9, 1}, {1, 1}}).way(), Way::dots);
    EXPECT_EQ(Bound(product, {1, 6, 16, 9}, {{0, 0, 0}, {9, 16}, {2, 1}, {1, 32}}).way(), Way::blocks);
}
TEST(Cost, CountsOperatorsAndBytesThatAreMet) {
    const Cost elements = Bound(map, {100}, {{0, 1}}).cost();            // x is one number
    EXPECT_EQ(elements.points, 100);
    EXPECT_EQ(elements.flops, 200);
    EXPECT_EQ(elements.read, 4);
    EXPECT_EQ(elements.written, 400);
    const Cost fold = Bound(sum, {5, 100}, {{100, 1}, {1}}).cost();
    EXPECT_EQ(fold.flops, 500);
    EXPECT_EQ(fold.read, 2000);
    EXPECT_EQ(fold.written, 20);
    const Cost contraction = Bound(product, {1, 6, 16, 9}, {{0, 0, 0}, {9, 16}, {1, 1}, {1, 16}}).cost();
    EXPECT_EQ(contraction.points, 6 * 16 * 9);
    EXPECT_EQ(contraction.flops, 2 * 6 * 16 * 9);
    EXPECT_EQ(contraction.read, 4 * (6 * 9 + 9 * 16));
    EXPECT_EQ(contraction.written, 4 * 6 * 16);
    EXPECT_EQ(Bound(map, {0}, {{1, 1}}).cost().written, 0);
}
} // namespace
} // namespace nereus::loop
