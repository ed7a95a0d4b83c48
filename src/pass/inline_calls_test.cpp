#include "pass/call_graph.h"
#include "pass/pass_testing.h"

namespace nereus {
namespace {
std::string inlined(const std::string& text) { return print(module_after(text, "shapes", {"inline_calls"})); }

TEST(InlineCalls, FunctionsWithoutCallersGoTheEntryStays) {
    std::string text = inlined("def @main(%x: Tensor[(n), f32]) { @a(%x) }\ndef @a(%x) { @b(%x) + 1.0 }\ndef @b(%x) { exp(%x) }");
    EXPECT_EQ(times(text, "def @"), 1u) << text;
    EXPECT_EQ(times(text, "exp("), 1u) << text;
}
TEST(InlineCalls, LongChainsTakeLittleTime) {
    std::string text = "def @main(%x: Tensor[(n), f32]) { @f0(%x) }\n";
    for (int i = 0; i < 300; ++i)
        text += "def @f" + std::to_string(i) + "(%x) { @f" + std::to_string(i + 1) + "(%x) + @f" + std::to_string(i + 1) + "(%x) }\n";
    text += "def @f300(%x) { tanh(%x) }\n";
    int64_t bindings = count_bindings(module_after(text, "shapes", {"inline_calls"}));
    EXPECT_LE(bindings, 300 * 30) << "a body is copied while it is small";
}
TEST(InlineCalls, MutualRecursionStays) {
    std::string text = inlined("def @main(%n: i64) { @even(%n) }\n"
                               "def @even(%n: i64) -> bool { if (%n == 0) { true } else { @odd(%n - 1) } }\n"
                               "def @odd(%n: i64) -> bool { if (%n == 0) { false } else { @even(%n - 1) } }");
    EXPECT_EQ(times(text, "@even(") + times(text, "@odd("), 5u) << text;
}
TEST(InlineCalls, DeclaredSizesAreNotLostBeforeShapesAreKnown) {
    std::string text = "def @main(%x: Tensor[.., f32]) { @f(%x) }\ndef @f(%x: Tensor[(n, 3), f32]) { %x * 2.0 }";
    EXPECT_EQ(times(print(module_after(text, "specialise", {"inline_calls"})), "@f("), 2u);
}

TEST(CallGraph, GroupsCalleesFirst) {
    Module m = module_after("def @main(%n: i64) { @a(%n) + @c(%n) }\n"
                            "def @a(%n: i64) -> i64 { if (%n <= 0) { @c(%n) } else { @b(%n - 1) } }\n"
                            "def @b(%n: i64) -> i64 { @a(%n) }\n"
                            "def @c(%n: i64) -> i64 { %n + 1 }", "parse");
    CallGraph graph(m);
    auto index = [&](const char* name) { return m.find_id(name).index; };
    EXPECT_EQ(graph.group[index("a")], graph.group[index("b")]);
    EXPECT_NE(graph.group[index("a")], graph.group[index("c")]);
    EXPECT_TRUE(graph.recursive[index("a")] && graph.recursive[index("b")]);
    EXPECT_FALSE(graph.recursive[index("main")] || graph.recursive[index("c")]);
    EXPECT_EQ(graph.references[index("c")], 2u);
    EXPECT_EQ(graph.callees_first.front(), m.find_id("c"));
    EXPECT_EQ(graph.callees_first.back(), m.find_id("main"));
    EXPECT_TRUE(graph.is_root[index("main")]);
    EXPECT_FALSE(graph.is_root[index("a")] || graph.is_root[index("c")]);
}
} // namespace
} // namespace nereus
