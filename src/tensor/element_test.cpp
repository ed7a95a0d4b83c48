#include "tensor/element.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <set>
#include <string>

namespace nereus {
TEST(DType, RowsStandInOrderAndAreShownToPeople) {
    std::string choices = " " + std::string(dtype_choices) + " ";
    for (char& c : choices) c = c == ',' ? ' ' : c;
    for (int i = 0; i < dtype_count; ++i) {
        EXPECT_EQ(dtype_rows[i].dtype, DType(i));
        EXPECT_NE(choices.find(" " + std::string(dtype_rows[i].name) + " "), std::string::npos) << dtype_rows[i].name;
        with_type(DType(i), [&](auto zero) {
            EXPECT_EQ(dtype_of<decltype(zero)>, DType(i));
            EXPECT_EQ(int64_t(sizeof zero), size_of(DType(i)));
        });
    }
}

TEST(DType, KnowsWhichNumbersFit) {
    EXPECT_TRUE(fits(DType::u8, 255) && fits(DType::u8, 0) && fits(DType::i8, -128) && fits(DType::u64, INT64_MAX));
    EXPECT_FALSE(fits(DType::u8, 256) || fits(DType::u8, -1) || fits(DType::i8, 128) || fits(DType::u64, -1));
    EXPECT_TRUE(includes(DType::i16, DType::u8) && includes(DType::i64, DType::i32) && includes(DType::u64, DType::u32));
    EXPECT_FALSE(includes(DType::i8, DType::u8) || includes(DType::u64, DType::i8) || includes(DType::i64, DType::u64));
}

// Every one of the 2^16, in both directions: between two neighbours the nearer, at the middle the even one.
template <class Small> void rounds_to_nearest_even(double first_beyond) {
    for (uint32_t bits = 0; bits < 0x7fff; ++bits) {
        const Small here = Small::of_bits(uint16_t(bits));
        if (std::isnan(double(here))) {
            EXPECT_TRUE(std::isnan(double(Small(double(here)))));
            continue;
        }
        ASSERT_EQ(Small(double(here)).bits(), bits);
        ASSERT_EQ(Small(-double(here)).bits(), bits | 0x8000);
        if (std::isinf(double(here))) continue;
        const double next = Small::of_bits(uint16_t(bits + 1)), end = std::isinf(next) ? first_beyond : next;
        const double middle = (double(here) + end) / 2;
        ASSERT_EQ(Small(middle).bits(), bits + (bits & 1)) << bits;
        ASSERT_EQ(Small(std::nextafter(middle, 0)).bits(), bits) << bits;
        ASSERT_EQ(Small(std::nextafter(middle, INFINITY)).bits(), bits + 1) << bits;
    }
    EXPECT_TRUE(std::isinf(double(Small(1e300))));
    EXPECT_EQ(Small(-1e-300).bits(), 0x8000);
}
TEST(SmallFloat, RoundsOnceToNearestEven) {
    rounds_to_nearest_even<F16>(65536);
    rounds_to_nearest_even<BF16>(0x1p128);
}

TEST(SmallFloat, KnowsTheNumbersOfTheStandards) {
    EXPECT_EQ(F16(1.0).bits(), 0x3c00);                  // IEEE 754-2019, binary16
    EXPECT_EQ(F16(65504.0).bits(), 0x7bff);
    EXPECT_EQ(F16(0x1p-24).bits(), 0x0001);
    EXPECT_EQ(F16(0x1p-14).bits(), 0x0400);
    EXPECT_EQ(F16(1.0 / 3).bits(), 0x3555);
    EXPECT_EQ(F16(INFINITY).bits(), 0x7c00);
    EXPECT_EQ(BF16(1.0).bits(), 0x3f80);
    EXPECT_EQ(BF16(3.140625).bits(), 0x4049);
}

TEST(SmallFloat, RoundsIntegersWithoutAStepBetween) {
    // 2^62 + 2^54 is the middle of two bf16; one more is above it, and an f64 does not see it
    const int64_t middle = (int64_t(1) << 62) + (int64_t(1) << 54);
    EXPECT_EQ(BF16(middle).bits(), BF16(0x1p62).bits());
    EXPECT_EQ(BF16(middle + 1).bits(), BF16(0x1p62).bits() + 1);
    EXPECT_EQ(BF16(-(middle + 1)).bits(), (BF16(0x1p62).bits() + 1) | 0x8000);
    EXPECT_EQ(BF16(UINT64_MAX).bits(), BF16(0x1p64).bits());
    EXPECT_EQ(F16(2049).bits(), F16(2048.0).bits());
    EXPECT_EQ(F16(INT64_MIN).bits(), 0xfc00);
    std::mt19937_64 random(3);
    for (int i = 0; i < 20000; ++i) {                    // where an f64 holds the number, both ways agree
        const int64_t n = int64_t(random()) >> (11 + random() % 50);
        ASSERT_EQ(BF16(n).bits(), BF16(double(n)).bits()) << n;
        ASSERT_EQ(F16(n).bits(), F16(double(n)).bits()) << n;
    }
}

TEST(Element, CastsAsTheLanguageDoes) {
    EXPECT_EQ(element_cast<uint8_t>(-1.5), 0);
    EXPECT_EQ(element_cast<uint8_t>(255.9), 255);
    EXPECT_EQ(element_cast<uint8_t>(1e9), 255);
    EXPECT_EQ(element_cast<int8_t>(-128.9), -128);
    EXPECT_EQ(element_cast<uint64_t>(0x1p64), UINT64_MAX);
    EXPECT_EQ(element_cast<int16_t>(double(NAN)), 0);
    EXPECT_EQ(element_cast<uint8_t>(int64_t(-1)), 255);
    EXPECT_EQ(element_cast<int8_t>(uint64_t(200)), -56);
    EXPECT_TRUE(element_cast<bool>(0.5));
    EXPECT_EQ(word_of(DType::i8, int64_t(200)), uint64_t(-56));
    EXPECT_EQ(word_of(DType::u8, int64_t(-56)), 200u);
    EXPECT_EQ(word_of(DType::f16, 1.0), 0x3c00u);
}
} // namespace nereus
