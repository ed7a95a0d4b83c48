// pass/pass_testing.h - programs as text, through the stages up to one and through passes, for the tests of passes.
#pragma once
#include "driver/pipeline.h"
#include "ir/print.h"
#include "ops/registry.h"
#include <gtest/gtest.h>

namespace nereus {
inline Module module_after(const std::string& text, std::string_view stage, std::vector<std::string> passes = {}) {
    ParseInput input;
    input.path = "test.nr";
    input.text = text;
    Result<Module> module = parse(std::move(input), all_ops(), nullptr);
    if (module) module = run_until(std::move(*module), stage, {});
    for (const std::string& name : passes) {
        const Stage* pass = find_pass(name);
        EXPECT_TRUE(pass) << name;
        if (!module || !pass) break;
        module = pass->pass(std::move(*module));
        if (!module) break;
        Status sound = verified(*module, *pass);
        EXPECT_TRUE(sound) << sound.error().message;
    }
    if (module) return std::move(*module);
    ADD_FAILURE() << module.error().message;
    return {};
}
inline size_t times(const std::string& text, std::string_view part) {
    size_t count = 0;
    for (size_t at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) ++count;
    return count;
}
} // namespace nereus
