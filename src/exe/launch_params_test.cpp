#include "exe/launch_params.h"
#include "exe/blob.h"
#include <gtest/gtest.h>
#include <random>

namespace nereus {
using Dims = std::vector<int64_t>;

TEST(Collapse, MergesWhatEveryBufferAllows) {
    Dims extents = {2, 3, 1, 4}, strides = {12, 4, 99, 1, 0, 4, 99, 1};
    ASSERT_EQ(collapse(4, 2, extents.data(), strides.data()), 2);     // the second buffer is broadcast along axis 0
    EXPECT_EQ((Dims{extents[0], extents[1]}), (Dims{2, 12}));
    EXPECT_EQ((Dims{strides[0], strides[1], strides[2], strides[3]}), (Dims{12, 1, 0, 1}));
    Dims ones = {1, 1}, any = {5, 7};
    EXPECT_EQ(collapse(2, 1, ones.data(), any.data()), 0);
}

// The collapsed odometer visits the same offsets in the same order.
TEST(Collapse, KeepsTheOrderOfPoints) {
    std::mt19937 rng(3);
    auto walk = [](int rank, int buffers, const Dims& extents, const Dims& strides) {
        Dims visited, at(static_cast<size_t>(rank), 0);
        for (;;) {
            for (int b = 0; b < buffers; ++b) {
                int64_t offset = 0;
                for (int i = 0; i < rank; ++i) offset += at[size_t(i)] * strides[size_t(b * rank + i)];
                visited.push_back(offset);
            }
            int axis = rank;
            while (axis-- > 0 && ++at[size_t(axis)] == extents[size_t(axis)]) at[size_t(axis)] = 0;
            if (axis < 0) return visited;
        }
    };
    for (int round = 0; round < 2000; ++round) {
        int rank = int(rng() % 5), buffers = 1 + int(rng() % 3);
        Dims extents, strides(size_t(rank * buffers));
        for (int i = 0; i < rank; ++i) extents.push_back(1 + int64_t(rng() % 3));
        for (int b = 0; b < buffers; ++b) {
            int64_t stride = 1;
            for (int i = rank; i-- > 0;) {
                strides[size_t(b * rank + i)] = rng() % 5 ? stride : 0;
                stride *= extents[size_t(i)];
            }
        }
        Dims expected = walk(rank, buffers, extents, strides);
        int kept = collapse(rank, buffers, extents.data(), strides.data());
        EXPECT_EQ(walk(kept, buffers, extents, strides), expected);
    }
}

TEST(LaunchParams, LayoutAndGrid) {
    ParamLayout layout;
    layout.groups = {GroupLayout{{0, 1}, false}, GroupLayout{{0}, true}};
    layout.buffers = {DType::f32, DType::f64};
    layout.scalars = 1;
    layout.grid = {{{0, 1}}, {1}, 1000, 64};
    Dims strides0 = {5, 1, 5, 1}, strides1 = {7}, scalars = {42};
    Dims extents0 = {100, 5}, extents1 = {9};
    GroupShape shapes[] = {{extents0, strides0}, {extents1, strides1}};
    int32_t ranks[] = {2, 1};
    Dims p(size_t(param_slots(layout, ranks)));
    ASSERT_EQ(fill_params(layout, shapes, scalars, p), 14);
    EXPECT_EQ(Dims(p.begin(), p.begin() + 14), (Dims{4, 128, 1, 9, 500, 1, 12, 9, 42, 500, 4, 8, 9, 28}));
}

TEST(LaunchParams, ZeroAndOverflow) {
    ParamLayout layout;
    layout.groups = {GroupLayout{{0}, false}};
    layout.buffers = {DType::f32};
    layout.grid = {{{0, 1}}, {}, 1, 1};
    auto fill = [&](Dims extents) {
        Dims strides(extents.size(), 1), p(2 * extents.size() + 8);
        GroupShape shape{extents, strides};
        return fill_params(layout, {&shape, 1}, {}, p) < 0 ? -1 : p[0];
    };
    EXPECT_EQ(fill({}), 1);
    EXPECT_EQ(fill({0}), 0);
    EXPECT_EQ(fill({int64_t(1) << 40, 0, int64_t(1) << 40}), 0);
    EXPECT_EQ(fill({int64_t(1) << 40, int64_t(1) << 40}), -1);
    EXPECT_EQ(fill(Dims(40, 2)), -1);                                 // 40 axes that do not merge
}

TEST(CodeBlob, RunsWhatItMaps) {
    // mov eax, 7; ret
    const uint8_t code[] = {0xb8, 7, 0, 0, 0, 0xc3};
    Result<CodeBlob> blob = CodeBlob::map(std::as_bytes(std::span(code)));
    ASSERT_TRUE(blob);
    CodeBlob moved = std::move(*blob);
    EXPECT_EQ(moved.entry(0)(nullptr, 0, 0, nullptr), 7);
    EXPECT_EQ(CodeBlob::map({}).error().code, Code::corrupt);
}
} // namespace nereus
