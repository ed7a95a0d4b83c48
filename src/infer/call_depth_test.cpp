#include "infer/specialise.h"
#include "infer/types_testing.h"
#include <gtest/gtest.h>

namespace nereus {
static Result<Module> specialised(int functions, const std::string& main) {
    std::string text = "def @f0(%x) { %x }\n";
    for (int i = 1; i < functions; ++i)
        text += "def @f" + std::to_string(i) + "(%x) { @f" + std::to_string(i - 1) + "(%x) + 1.0 }\n";
    Module parsed = TRY(parse_for_test(text + "def @main(%x: f32) { " + main + " }\n"));
    FunctionId entry = parsed.find_id("main");
    return specialise(std::move(parsed), entry);
}

TEST(CallDepth, LongChainsAreRefused) {
    Result<Module> deep = specialised(12000, "@f11999(%x)");
    ASSERT_FALSE(deep);
    EXPECT_EQ(deep.error().code, Code::limit);
    EXPECT_EQ(deep.error().message, "calls nest too deep to infer shapes");
    EXPECT_TRUE(specialised(1000, "@f999(%x)"));
}

TEST(CallDepth, WhatWasReachedBeforeIsNotDeep) {
    std::string calls;
    for (int i = 100; i < 3000; i += 100) calls += "_ = @f" + std::to_string(i) + "(%x); ";
    EXPECT_TRUE(specialised(3000, calls + "@f2999(%x)"));
}
} // namespace nereus
