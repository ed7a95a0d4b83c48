#include "import/size_expression.h"
#include <gtest/gtest.h>
#include <map>

namespace nereus::onnx {
namespace {
std::string text_of(std::string_view size) {
    const std::optional<SizeExpression> made = SizeExpression::parse(size);
    return made ? made->text([](std::string_view name) { return std::string(name); }) : "a name";
}
std::map<std::string, std::string> decided(const std::vector<std::string_view>& sizes) {
    std::map<std::string, std::string> out;
    for (const auto& [size, expression] : decided_expressions(sizes)) out.emplace(size, expression.text([](std::string_view name) { return std::string(name); }));
    return out;
}

TEST(SizeExpression, ReadsArithmetic) {
    EXPECT_EQ(text_of("past + 1"), "past + 1");
    EXPECT_EQ(text_of("2*n"), "2 * n");
    EXPECT_EQ(text_of("seq_len//2"), "seq_len // 2");
    EXPECT_EQ(text_of("n/2"), "n // 2");
    EXPECT_EQ(text_of("a - b - 1"), "(a - b) - 1");
    EXPECT_EQ(text_of("a + b*c"), "a + (b * c)");
    EXPECT_EQ(text_of("(a + b)*c"), "(a + b) * c");
    EXPECT_EQ(text_of("-1 + n"), "(0 - 1) + n");
}

TEST(SizeExpression, LeavesOddNamesAlone) {
    for (std::string_view name : {"", " ", "7", "2*3", "batch-size", "dim-1", "encoder/length", "ceil(n/2)", "n**2", "n +", "(n", "n)", "a b", "n//0", "n % 2", "x:0", "é + 1",
                                  "99999999999999999999*n", "?"})
        EXPECT_EQ(text_of(name), "a name") << name;
    EXPECT_EQ(text_of(std::string(5000, '(') + "n" + std::string(5000, ')')), "a name");
}

TEST(SizeExpression, GrowsWithNames) {
    const SizeExpression made = *SizeExpression::parse("3*(a - 2*b) + c*d + (c + 1)//2 - 0*e");
    EXPECT_EQ(made.growth("a"), 3);
    EXPECT_EQ(made.growth("b"), -6);
    EXPECT_EQ(made.growth("c"), std::nullopt);
    EXPECT_EQ(made.growth("e"), 0);
}

TEST(SizeExpression, IsDecidedByWhatStandsAloneOrIsTheOnlyUnknown) {
    using Sizes = std::map<std::string, std::string>;
    EXPECT_EQ(decided({"past", "past + 1", "past//2"}), (Sizes{{"past + 1", "past + 1"}, {"past//2", "past // 2"}}));
    EXPECT_EQ(decided({"past + seq", "2*seq"}), (Sizes{{"past + seq", "past + seq"}, {"2*seq", "2 * seq"}}));
    EXPECT_EQ(decided({"a + b", "n//2", "n*n"}), Sizes{});             // nothing tells a, b or n
    EXPECT_EQ(decided({"n", "n - n - 1"}), Sizes{});
    EXPECT_EQ(decided({"n", "n"}), Sizes{});
}
} // namespace
} // namespace nereus::onnx
