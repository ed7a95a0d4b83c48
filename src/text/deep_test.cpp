// Limits and scale: nesting is refused with a clear error, length is not limited, and time is near linear.
#include "text/testing.h"

namespace nereus {
static std::string repeat(std::string_view piece, size_t times) {
    std::string out;
    out.reserve(piece.size() * times);
    for (size_t i = 0; i < times; ++i) out += piece;
    return out;
}
static std::string in_f(const std::string& body) { return "def @f(%x) { " + body + " }"; }
static Code code_of(const std::string& text) {
    Result<Module> module = parse("prog.nr", text, test_ops());
    return module ? Code::internal : module.error().code;
}

TEST(Nesting, TooDeepIsALimit) {
    size_t n = 10000;
    EXPECT_EQ(failure("def @f(%x) {\n  " + repeat("(", n) + "%x" + repeat(")", n) + "\n}").substr(0, 57),
              "prog.nr:2:1002: error: brackets nest more than 1000 deep\n");
    EXPECT_EQ(code_of(repeat("(", n)), Code::limit);
    EXPECT_EQ(code_of(in_f(repeat("[", n) + repeat("]", n))), Code::limit);
    EXPECT_EQ(code_of(in_f(repeat("exp(", n) + "%x" + repeat(")", n))), Code::limit);
    EXPECT_EQ(code_of(in_f(repeat("if (%x) { ", n) + "1" + repeat("} else { 2 }", n))), Code::limit);
    EXPECT_EQ(code_of(in_f(repeat("if (%x) { 1 } else ", n) + "{ 2 }")), Code::limit);
    EXPECT_EQ(code_of(in_f(repeat("match (%x) { _ => ", n) + "1" + repeat("}", n))), Code::limit);
    EXPECT_EQ(code_of(in_f(repeat("(%x && %x || ", n) + "1" + repeat(")", n))), Code::limit);
    EXPECT_EQ(code_of(in_f(repeat("match (%x) { _ => { ", n) + "1" + repeat("} }", n))), Code::limit);
    EXPECT_EQ(code_of(in_f(repeat("fn() { ", n) + "1" + repeat("}", n))), Code::limit);
    EXPECT_EQ(code_of(in_f(repeat("for %i in ", n) + "1")), Code::limit);
    EXPECT_EQ(code_of(in_f(repeat("(", n) + "%y" + repeat(", _)", n) + " = %x; %y")), Code::limit);
    EXPECT_EQ(code_of("def @f(%x: " + repeat("(", n) + "f32" + repeat(", f32)", n) + ") { 1 }"), Code::limit);
    EXPECT_EQ(code_of("def @f(%x: " + repeat("fn() -> ", n) + "f32) { 1 }"), Code::limit);
    EXPECT_EQ(code_of("def @f(%x: Tensor[(" + repeat("(", n) + "n" + repeat(")", n) + "), f32]) { 1 }"), Code::limit);
    EXPECT_EQ(code_of(in_f("tensor(" + repeat("[", n) + "1" + repeat("]", n) + ")")), Code::limit);
}

TEST(Nesting, WhatFitsIsReadPrintedAndReadAgain) {
    size_t n = 900;
    for (const std::string& body : {
             repeat("(", n) + "%x" + repeat(")", n),
             repeat("exp(", n) + "%x" + repeat(")", n),
             repeat("if (%x) { ", n) + "1" + repeat("} else { 2 }", n),
             repeat("if (%x) { 1 } else ", n) + "{ 2 }",
             repeat("match (%x) { _ => ", n) + "1" + repeat("}", n),
             repeat("match (%x) { _ => { ", n) + "1" + repeat("} }", n),
             repeat("(%x || %x && ", n / 2) + "1" + repeat(")", n / 2),
             repeat("fn() { ", n) + "1" + repeat("}", n),
             repeat("(", n) + "%y" + repeat(", _)", n) + " = %x; %y",
         })
        EXPECT_TRUE(printed(in_f(body)).starts_with("def @f(")) << body.substr(0, 60);
    printed("def @f(%x: " + repeat("fn() -> ", n) + "f32) { 1 }");
}

TEST(Scale, ChainsAreLoops) {
    size_t n = 100000;
    for (const std::string& body : {
             "%x" + repeat(" + %x", n), "%x" + repeat(" + 1", n), "1" + repeat(" + 1", n), "%x" + repeat(" && %x", n),
             repeat("-", n) + "%x", repeat("!", n) + "%x", "%x" + repeat(".0", n), "%x" + repeat("(1)", n),
             "max(%x" + repeat(", %x", n) + ")", "[" + repeat("%x, ", n) + "]",
         }) {
        Result<Module> module = parse("prog.nr", in_f(body), test_ops());
        ASSERT_TRUE(module) << module.error().message;
        EXPECT_TRUE(verify(*module));
    }
    EXPECT_TRUE(parse("prog.nr", "def @f(%x: Tensor[(n" + repeat(" + n", n) + "), f32]) { %x }", test_ops()));
}

TEST(Scale, LongFunctionsAndManyDeclarations) {
    std::string lines = "def @f(%x) {\n", functions;
    for (int i = 0; i < 100000; ++i) lines += "  %x = %x * 2 + " + std::to_string(i) + "\n";
    Result<Module> module = parse("prog.nr", lines + "  %x\n}\n", test_ops());
    ASSERT_TRUE(module);
    EXPECT_EQ((*module)[FunctionId(0)].values.back().name, "x_100000");
    std::string once = print(*module);
    Result<Module> again = parse("prog.nr", once, test_ops());
    ASSERT_TRUE(again);
    EXPECT_TRUE(print(*again) == once);

    for (int i = 0; i < 5000; ++i) {
        std::string k = std::to_string(i);
        functions += "type T" + k + "[a] = C" + k + "(T" + std::to_string((i + 1) % 5000) + "[a])\n";
        functions += "def @f" + k + "(%x: T" + k + "[a]) { @f" + std::to_string((i + 7) % 5000) + "(%x) }\n";
    }
    Result<Module> many = parse("prog.nr", functions, test_ops());
    ASSERT_TRUE(many);
    EXPECT_EQ(print(*many).size(), print(*parse("prog.nr", print(*many), test_ops())).size());
}
} // namespace nereus
