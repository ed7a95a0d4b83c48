#include "exe/text.h"
#include "exe/samples.h"
#include "exe/verify.h"
#include <gtest/gtest.h>

namespace nereus {
static Executable sample() {
    Result<Executable> exe = assemble(sample_program);
    EXPECT_TRUE(exe) << exe.error().message;
    return exe ? std::move(*exe) : Executable();
}
static std::string mistake(std::string_view text) {
    Result<Executable> exe = assemble(text);
    return exe ? "none" : exe.error().message;
}

TEST(ExecutableText, SampleIsWellFormedAndSurvivesTheRoundTrip) {
    Executable exe = sample();
    Status status = verify(exe);
    ASSERT_TRUE(status) << status.error().message;
    std::string text = disassemble(exe);
    Result<Executable> again = assemble(text);
    ASSERT_TRUE(again) << again.error().message << "\n" << text;
    EXPECT_TRUE(*again == exe) << text;
    EXPECT_EQ(disassemble(*again), text);
}

TEST(ExecutableText, InstructionsReadAsTheTableSays) {
    std::string text = disassemble(sample());
    EXPECT_NE(text.find("function 1 factorial(1) -> 1 registers 3 {\n"
                        "  r1 = load_constant 1\n"
                        "  r2 = le r0, r1\n"
                        "  jump_if L6, r2\n"
                        "  r2 = sub r0, r1\n"
                        "  (r2) = call.0 factorial, (r2)\n"
                        "  r1 = mul r0, r2\n"
                        "L6:\n"
                        "  leave (r1)\n"
                        "}\n"), std::string::npos) << text;
    EXPECT_NE(
        text.find("region 0 {key: [0], slots: [{bytes: p1, last: 2}], prefixes: [1], lists: [[0], [1]]}\n"),
        std::string::npos)
        << text;
}

// One instruction of every kind; two functions of one name, and pools in an unusual order.
TEST(ExecutableText, EveryOpcodeSurvives) {
    Executable exe;
    uint32_t count = opcode_count;
    exe.functions = {{"odd name \"x\"\n\x01", 0, count, 9, 0, 0},
                     {"two", count, count + 1, 1, 0, 0},
                     {"two", count + 1, count + 2, 1, 0, 0}};
    exe.constants = {INT64_MIN, -1, 7};
    exe.operands = {1, 2, 3};
    exe.lists = {{0, 0}, {0, 2}, {1, 2}, {0, 3}};
    for (const OpcodeRow& row : opcode_rows()) {
        Instruction in{row.op};
        auto fill = [](OperandKind kind, uint32_t some) { return kind == OperandKind::none ? 0 : some; };
        in.x = uint16_t(fill(row.x, 3)), in.a = fill(row.a, 2), in.b = fill(row.b, 1), in.c = fill(row.c, 2);
        exe.code.push_back(in);
    }
    exe.code.resize(count + 2, Instruction{Opcode::leave});
    std::string text = disassemble(exe);
    Result<Executable> again = assemble(text);
    ASSERT_TRUE(again) << again.error().message << "\n" << text;
    EXPECT_TRUE(*again == exe) << text;
}

TEST(ExecutableText, MistakesNameTheLine) {
    EXPECT_EQ(mistake("target \"x\"\nfunktion f"), "executable text, line 2: 'funktion' begins nothing");
    EXPECT_EQ(mistake("function f(0) -> 0 {\n  r1 = ad r2, r3\n}"),
              "executable text, line 2: no instruction 'ad'");
    EXPECT_EQ(mistake("function f(0) -> 0 {\n\n  add r2, r3 }"),
              "executable text, line 3: add writes something: nothing stands left of it");
    EXPECT_EQ(mistake("function f(0) -> 0 {\n  r1 = add r2 r3 }"),
              "executable text, line 2: expected ',', found 'r3'");
    EXPECT_EQ(mistake("function f(0) -> 0 {\n  jump away\n}"),
              "executable text, line 3: no label 'away' for the jump in line 2");
    EXPECT_EQ(mistake("function f(0) -> 0 {\n  () = call g, ()\n}"),
              "executable text, line 3: no function 'g' for the call in line 2");
    EXPECT_EQ(mistake("site {who: \"me\"}"), "executable text, line 1: no field 'who' here");
    EXPECT_EQ(mistake("site {code: odd}"), "executable text, line 1: no such kind: 'odd'");
    EXPECT_EQ(mistake("launch {kernel: 4294967296}"),
              "executable text, line 1: the number 4294967296 does not fit");
    EXPECT_EQ(mistake("launch {kernel: 99999999999999999999}"), "executable text, line 1: a number over 64 bits");
    EXPECT_EQ(mistake("target \"x"), "executable text, line 1: a string that does not end");
    EXPECT_EQ(mistake("blob \"0g\""), "executable text, line 1: not hexadecimal");
}

TEST(ExecutableText, EveryPrefixOfATextIsReadOrRefused) {
    for (size_t length = 0; length < sample_program.size(); length += 3)
        (void)assemble(sample_program.substr(0, length));
}
} // namespace nereus
