#include "tensor/storage_type.h"
#include "tensor/element.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
template <class F> void each_storage_type(F&& f) {
    for (const DTypeRow& row : dtype_rows)
        if (is_storage(row.dtype))
            with_type(row.dtype, [&](auto zero) {
                if constexpr (is_storage(dtype_of<decltype(zero)>)) f(zero);
            });
}
} // namespace

TEST(StorageType, RowsStandInOrder) {
    for (const StorageRow& row : storage_rows) EXPECT_EQ(&storage_row(row.dtype), &row);
    EXPECT_EQ(int(std::size(storage_rows)), int(DType::u2) - int(DType::f8e4m3fn) + 1);
}

// What a code stands for becomes that code again, whatever the rule.
TEST(StorageType, EveryNumberKeepsItsCode) {
    each_storage_type([](auto zero) {
        using T = decltype(zero);
        for (int code = 0; code <= T::row.mask(); ++code) {
            const WideOf<T> number = T::of_code(uint8_t(code));
            for (bool saturate : {true, false})
                for (Rounding round : {Rounding::up, Rounding::down, Rounding::nearest}) {
                    const double back = double(WideOf<T>(T(number, StoreRule{saturate, round})));
                    if (std::isfinite(double(number))) {
                        EXPECT_EQ(T(number, StoreRule{saturate, round}).code(), code) << dtype_name(dtype_of<T>);
                    } else if (number != number) {
                        EXPECT_TRUE(back != back) << dtype_name(dtype_of<T>) << code;
                    }
                }
        }
    });
}

TEST(StorageType, FollowsTheTablesOfOnnx) {
    using E4 = Stored<DType::f8e4m3fn>;
    using E5 = Stored<DType::f8e5m2>;
    using Uz = Stored<DType::f8e4m3fnuz>;
    using E8 = Stored<DType::f8e8m0>;
    const double inf = INFINITY;
    const StoreRule unsaturated{.saturate = false};
    EXPECT_EQ(double(E4(inf)), 448);
    EXPECT_EQ(double(E4(-1e6)), -448);
    EXPECT_EQ(E4(inf, unsaturated).code(), 0x7f);
    EXPECT_EQ(E4(-inf, unsaturated).code(), 0xff);
    EXPECT_EQ(double(E4(464.0, unsaturated)), 448);             // the middle, to even
    EXPECT_TRUE(std::isnan(double(E4(465.0, unsaturated))));
    EXPECT_EQ(double(E5(inf)), 57344);
    EXPECT_EQ(double(E5(-1e6, unsaturated)), -inf);
    EXPECT_EQ(Uz(-0.0).code(), 0);
    EXPECT_EQ(Uz(-inf, unsaturated).code(), 0x80);
    EXPECT_EQ(double(E8(0.0)), 0x1p-127);
    EXPECT_EQ(double(E8(inf)), 0x1p127);
    EXPECT_TRUE(std::isnan(double(E8(0.0, unsaturated))) && std::isnan(double(E8(inf, unsaturated))) && std::isnan(double(E8(0x1.8p127, unsaturated))));
    EXPECT_EQ(double(E8(5.0)), 8);
    EXPECT_EQ(double(E8(7.9, {.round = Rounding::down})), 4);
    EXPECT_EQ(double(E8(6.0, {.round = Rounding::nearest})), 8);
    EXPECT_EQ(double(E8(5.9, {.round = Rounding::nearest})), 4);
    EXPECT_EQ(int64_t(Stored<DType::i4>(9.5)), -7);
    EXPECT_EQ(int64_t(Stored<DType::i4>(int64_t(-9))), 7);
    EXPECT_EQ(uint64_t(Stored<DType::u2>(-1.0)), 3u);
    EXPECT_EQ(uint64_t(Stored<DType::u4>(inf)), 0u);
}

// f64 and i64 hold more than the steps between: 2^62 + 1 is above 2^62, and a little above the middle is above it.
TEST(StorageType, RoundsOnce) {
    EXPECT_EQ(double(Stored<DType::f8e8m0>((int64_t(1) << 62) + 1)), 0x1p63);
    EXPECT_EQ(double(Stored<DType::f8e8m0>((int64_t(1) << 62) - 1, {.round = Rounding::down})), 0x1p61);
    EXPECT_EQ(double(Stored<DType::f8e4m3fn>(1.0625)), 1);
    EXPECT_EQ(double(Stored<DType::f8e4m3fn>(1.0625 + 0x1p-50)), 1.125);
    EXPECT_EQ(double(Stored<DType::f8e4m3fn>(0x1p-10)), 0);
    EXPECT_EQ(double(Stored<DType::f8e4m3fn>(0x1p-10 + 0x1p-60)), 0x1p-9);
}
} // namespace nereus
