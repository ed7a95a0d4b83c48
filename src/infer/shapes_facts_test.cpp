#include "infer/shapes_facts.h"
#include <gtest/gtest.h>

namespace nereus {
// Of the 2^200 paths to n, each part on them is gone through once.
TEST(Knowledge, SharedPartsAreMeasuredOnce) {
    Dims dims;
    Knowledge knowledge(dims);
    const Dim n = dims.of(dims.new_symbol("n", SymKind::size)), m = dims.of(dims.new_symbol("m", SymKind::size)), host = dims.of(dims.new_symbol("k", SymKind::host));
    auto halves = [&](Dim p, Dim q) {
        for (int level = 0; level < 200; ++level) {
            const Dim next = dims.floor_div(dims.add(p, q), dims.constant(3));
            q = dims.floor_div(dims.add(q, next), dims.constant(2)), p = next;
        }
        return p;
    };
    EXPECT_FALSE(knowledge.bounded(halves(n, m)));       // each half may be as large as what it is of
    EXPECT_FALSE(knowledge.exact(halves(n, host), DType::i64));
    EXPECT_TRUE(knowledge.bounded(dims.min(std::vector{n, m})));
}

TEST(Knowledge, AnExtentIsExactWhereItIs) {
    Dims dims;
    Knowledge knowledge(dims);
    const Dim n = dims.of(dims.new_symbol("n", SymKind::size)), m = dims.of(dims.new_symbol("m", SymKind::size));
    const Dim product = dims.scale(dims.mul(n, m), 4);
    EXPECT_FALSE(knowledge.exact(product, DType::i64));
    knowledge.push();
    knowledge.add_extent(product);
    EXPECT_TRUE(knowledge.exact(product, DType::i64));
    EXPECT_TRUE(knowledge.exact(dims.min(std::vector{product, dims.constant(7)}), DType::i64));
    EXPECT_FALSE(knowledge.exact(dims.mul(n, m), DType::i32));
    EXPECT_FALSE(knowledge.exact(dims.mul(product, n), DType::i64));
    knowledge.pop();
    EXPECT_FALSE(knowledge.exact(product, DType::i64));
}
} // namespace nereus
