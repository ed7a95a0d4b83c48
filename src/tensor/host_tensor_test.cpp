#include "tensor/host_tensor.h"
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace nereus {
TEST(HostTensor, IsZeroFilledAndAligned) {
    for (int t = 0; t < dtype_count; ++t) {
        HostTensor tensor = *HostTensor::make(DType(t), {3, 5});
        EXPECT_EQ(tensor.count(), 15);
        EXPECT_EQ(tensor.byte_size(), 15 * size_of(DType(t)));
        EXPECT_EQ(uintptr_t(tensor.bytes()) % 64, 0u);
        for (int64_t i = 0; i < 15; ++i) EXPECT_EQ(tensor.as_f64(i), DType(t) == DType::f8e8m0 ? 0x1p-127 : 0);      // which has no 0
    }
    EXPECT_EQ(HostTensor::make(DType::f32, {})->count(), 1);
    EXPECT_EQ(HostTensor::make(DType::f32, {4, 0})->count(), 0);
    EXPECT_NE(HostTensor::make(DType::f32, {0})->bytes(), nullptr);
    EXPECT_EQ(HostTensor().count(), 0);
}

TEST(HostTensor, RefusesSizesItCannotHold) {
    constexpr int64_t big = int64_t(1) << 32;
    EXPECT_EQ(HostTensor::make(DType::f32, {2, -1}).error().code, Code::shape);
    EXPECT_EQ(HostTensor::make(DType::f32, {0, -1}).error().code, Code::shape);
    EXPECT_EQ(HostTensor::make(DType::f32, {big, big}).error().code, Code::shape);
    EXPECT_EQ(HostTensor::make(DType::f32, {0, big, big}).error().code, Code::shape);
    EXPECT_EQ(HostTensor::make(DType::f64, {int64_t(1) << 60}).error().code, Code::shape);
    EXPECT_EQ(HostTensor::make(DType::boolean, {std::numeric_limits<int64_t>::max()}).error().code, Code::memory);
    EXPECT_EQ(HostTensor::make(DType::f32, {0, int64_t(1) << 50}).error().code, Code::limit);
    EXPECT_EQ(HostTensor::make(DType::f32, {int64_t(1) << 50}).error().code, Code::memory);
    EXPECT_EQ(HostTensor::make(DType::f32, Extents(65, 1)).error().code, Code::limit);
    EXPECT_TRUE(HostTensor::make(DType::f32, Extents(64, 1)));
}

TEST(HostTensor, RefusesCodesOfMoreBitsThanTheDtypeHas) {
    auto code = [](DType dtype, uint8_t byte) {
        Result<HostTensor> made = HostTensor::copy_of(dtype, {1}, std::as_bytes(std::span(&byte, 1)));
        return made ? std::string() : made.error().message;
    };
    EXPECT_EQ(code(DType::i4, 15) + code(DType::u2, 3) + code(DType::f4e2m1, 15) + code(DType::f8e5m2, 255), "");
    EXPECT_EQ(code(DType::i4, 16), "the code of i4 is a byte below 16, found 16");
    EXPECT_EQ(code(DType::u2, 4), "the code of u2 is a byte below 4, found 4");
    EXPECT_EQ(code(DType::boolean, 2), "a bool is the byte 0 or 1, found 2");
}

TEST(HostTensor, CopiesOnlyWhenSharedAndWritten) {
    HostTensor a = HostTensor::of<float>({2}, {1, 2});
    const std::byte* before = a.bytes();
    EXPECT_EQ(*a.mutable_bytes(), before);
    HostTensor b = a;
    EXPECT_EQ(a.bytes(), b.bytes());
    (*b.mutable_data<float>())[0] = 7;
    EXPECT_EQ(a.as_f64(0), 1);
    EXPECT_EQ(b.as_f64(0), 7);
    EXPECT_EQ(b.as_f64(1), 2);
    EXPECT_EQ(a.bytes(), before);
    HostTensor none;
    EXPECT_TRUE(none.mutable_data<float>());
}

TEST(HostTensor, ViewsBorrowAndAreNeverWritten) {
    std::vector<double> outside = {1, 2, 3};
    std::shared_ptr<const std::byte> owner(std::shared_ptr<void>(),
                                           reinterpret_cast<const std::byte*>(outside.data()));
    HostTensor view = *HostTensor::view(DType::f64, {3}, owner, 24);
    EXPECT_EQ(view.data<double>().data(), outside.data());
    (*view.mutable_data<double>())[0] = 9;
    EXPECT_EQ(outside[0], 1);
    EXPECT_EQ(view.as_f64(0), 9);

    EXPECT_EQ(HostTensor::view(DType::f64, {4}, owner, 24).error().code, Code::shape);
    std::shared_ptr<const std::byte> odd(owner, owner.get() + 1);
    EXPECT_EQ(HostTensor::view(DType::f64, {2}, odd, 23).error().code, Code::value);
    EXPECT_EQ(HostTensor::view(DType::f64, {2}, nullptr, 16).error().code, Code::value);
    EXPECT_TRUE(HostTensor::view(DType::f64, {0}, nullptr, 0));
    outside[0] = std::bit_cast<double>(uint64_t(2));
    EXPECT_EQ(HostTensor::view(DType::boolean, {1}, owner, 1).error().code, Code::value);
}

TEST(HostTensor, ViewKeepsItsOwnerAlive) {
    bool freed = false;
    alignas(8) static const std::byte memory[8] = {};
    {
        std::shared_ptr<const std::byte> owner(memory, [&freed](const std::byte*) { freed = true; });
        HostTensor copy;
        { copy = *HostTensor::view(DType::boolean, {8}, std::move(owner), 8); }
        EXPECT_FALSE(freed);
    }
    EXPECT_TRUE(freed);
}

TEST(HostTensor, ReadsElementsAsTheLanguageCasts) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    HostTensor t = HostTensor::of<double>({6}, {-1.9, 1.9, NAN, inf, -inf, 9223372036854775808.0});
    std::vector<int64_t> want = {-1, 1, 0, INT64_MAX, INT64_MIN, INT64_MAX};
    for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(t.as_i64(int64_t(i)), want[i]);
    EXPECT_EQ(HostTensor::scalar(int64_t(-9223372036854775807)).as_i64(0), -9223372036854775807);
    EXPECT_EQ(HostTensor::scalar(true).dtype(), DType::boolean);
    EXPECT_EQ(HostTensor::scalar(true).as_f64(0), 1.0);
    EXPECT_EQ(HostTensor::scalar(2.5f).as_f64(0), 2.5);
    EXPECT_EQ(HostTensor::scalar(UINT64_MAX).as_i64(0), -1);
    EXPECT_EQ(HostTensor::scalar(UINT64_MAX).as_f64(0), 18446744073709551616.0);
    EXPECT_EQ(HostTensor::scalar(F16(-2.75)).as_i64(0), -2);
}

TEST(HostTensor, MemoryOfOthers) {
    int64_t live = 0;
    Allocator allocator;
    allocator.user = &live;
    allocator.allocate = [](void* user, size_t bytes, size_t alignment) -> void* {
        ++*static_cast<int64_t*>(user);
        return bytes > 1000 ? nullptr : std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    };
    allocator.release = [](void* user, void* at, size_t bytes) {
        EXPECT_EQ(bytes, 12u);
        --*static_cast<int64_t*>(user), std::free(at);
    };
    HostTensor made = *HostTensor::make(DType::f32, {3}, allocator), copy = made;
    EXPECT_EQ(uintptr_t(made.bytes()) % 64, 0u);
    made = HostTensor();
    EXPECT_EQ(live, 1);
    copy = HostTensor();
    EXPECT_EQ(live, 0);
    EXPECT_EQ(HostTensor::make(DType::f32, {1000}, allocator).error().code, Code::memory);

    float room[2] = {1, 2};
    HostTensor over = *HostTensor::over(DType::f32, {2}, reinterpret_cast<std::byte*>(room));
    (*over.mutable_data<float>())[1] = 5;
    EXPECT_EQ(room[1], 5) << "it is written";
    copy = over;
    (*copy.mutable_data<float>())[1] = 7;
    EXPECT_EQ(room[1], 5) << "but not by a copy";
}

TEST(HostTensor, ReshapesWithoutCopying) {
    HostTensor a = HostTensor::of<int32_t>({2, 3}, {0, 1, 2, 3, 4, 5});
    HostTensor b = *a.reshaped({3, 2});
    EXPECT_EQ(a.bytes(), b.bytes());
    EXPECT_EQ(b.shape(), (Extents{3, 2}));
    EXPECT_EQ(a.reshaped({4}).error().code, Code::shape);
}
} // namespace nereus
