// What Python and NumPy say of many texts is compared in ops/oracle_test.cpp; here is what no oracle says.
#include "strings/letters.h"
#include "strings/match.h"
#include "strings/number.h"
#include "strings/split.h"
#include <gtest/gtest.h>

namespace nereus {
TEST(Matcher, SaysWhyAPatternIsNone) {
    EXPECT_EQ(Matcher::of("a(b").error().message, "'a(b' is no pattern: missing ): a(b");
    EXPECT_TRUE(Matcher::of("[a-c]+\\d")->matches_all("abc1"));
    EXPECT_FALSE(Matcher::of("[a-c]+\\d")->matches_all("abc12"));
}
TEST(Matcher, TakesNoLongerThanTheTextIsLong) {       // a backtracking one would take 2^5000 steps
    EXPECT_FALSE(Matcher::of("(a*)*b")->matches_all(std::string(5000, 'a')));
}

TEST(Letters, BytesThatAreNoTextStay) {
    EXPECT_EQ(lower_case("A\xff\xc3Z"), "a\xff\xc3z");
    EXPECT_EQ(upper_case("\u00e9\u03c9\u044f"), "\u00c9\u03a9\u042f");
}

TEST(Parts, OfTextsWithoutEnd) {
    const std::string commas(100'000, ',');
    EXPECT_EQ(parts_of(commas, ",").size(), 100'001u);
    EXPECT_EQ(parts_of(commas, ",", 3).back().size(), 100'000u - 3);
    EXPECT_EQ(parts_of("\xff \xff", "").size(), 2u);
}

TEST(Numbers, OfEverySmallFloatReadBack) {
    for (uint32_t bits = 0; bits < 0x10000; bits += 7) {
        const F16 number = F16::of_bits(uint16_t(bits));
        const std::string text = number_text(DType::f16, reinterpret_cast<const std::byte*>(&number));
        F16 read;
        ASSERT_TRUE(read_number(DType::f16, text, {}, reinterpret_cast<std::byte*>(&read))) << text;
        ASSERT_TRUE(read.bits() == number.bits() || double(number) != double(number)) << text;
    }
}
TEST(Numbers, HaveOneSign) {
    float real = 0;
    int32_t whole = 0;
    for (const char* text : {"+-5", "-+5", "++5", "--5", "+", "-", "+-1.5"}) {
        EXPECT_FALSE(read_number(DType::f32, text, {}, reinterpret_cast<std::byte*>(&real))) << text;
        EXPECT_FALSE(read_number(DType::i32, text, {}, reinterpret_cast<std::byte*>(&whole))) << text;
    }
    ASSERT_TRUE(read_number(DType::i32, " +5 ", {}, reinterpret_cast<std::byte*>(&whole)));
    EXPECT_EQ(whole, 5);
}
TEST(Numbers, TheErrorNamesTheText) {
    float out = 0;
    auto read = [&](std::string_view text) { return read_number(DType::f32, text, {}, reinterpret_cast<std::byte*>(&out)).error().message; };
    EXPECT_EQ(read("Hello"), "'Hello' is no number to cast to f32");
    EXPECT_EQ(read(std::string(100, 'x')), "'" + std::string(60, 'x') + "…' is no number to cast to f32");
    int8_t small = 0;
    EXPECT_EQ(read_number(DType::i8, "128", {}, reinterpret_cast<std::byte*>(&small)).error().message, "'128' does not fit i8");
}
} // namespace nereus
