// text/testing.h - what the tests of this room share: parse and print at once, with every promise about them checked.
#pragma once
#include "ir/print.h"
#include "ir/verify.h"
#include "base/diagnostics.h"
#include "text/parse.h"
#include "text/test_ops.h"
#include <gtest/gtest.h>

namespace nereus {
inline std::string failure(const std::string& text) {
    std::vector<SourceText> sources;
    Result<Module> module = parse(ParseInput{"prog.nr", text, no_imports(), {}}, test_ops(), &sources);
    return module ? "no error:\n" + print(*module) : render(module.error(), sources);
}

// print(parse(text)), after checking that it is well formed and that both forms read back as the same module.
inline std::string printed(const Module& module) {
    Status sound = verify(module);
    if (!sound) return "malformed: " + sound.error().message + "\n" + print(module);
    for (bool generic : {false, true}) {
        PrintOptions options{.generic = generic};
        std::string once = print(module, options);
        std::vector<SourceText> sources;
        Result<Module> again = parse(ParseInput{"printed", once, no_imports(), {}}, test_ops(), &sources);
        if (!again) return "does not read back: " + render(again.error(), sources) + once;
        EXPECT_EQ(print(*again, options), once);
        EXPECT_TRUE(same_module(module, *again)) << once;
        EXPECT_TRUE(verify(*again)) << once;
    }
    return print(module);
}
inline std::string printed(const std::string& text) {
    std::vector<SourceText> sources;
    Result<Module> module = parse(ParseInput{"prog.nr", text, no_imports(), {}}, test_ops(), &sources);
    return module ? printed(*module) : render(module.error(), sources);
}

// The lines of the body of def @f(%x, %y), without their indentation of two.
inline std::string body(const std::string& text, const std::string& signature = "(%x, %y)") {
    std::string head = "def @f" + signature + " {\n", out = printed(head + text + "\n}\n"), lines;
    size_t start = out.find("{\n");
    if (start == std::string::npos || !out.starts_with("def @f")) return out;
    for (size_t at = start + 2; at < out.size();) {
        size_t end = out.find('\n', at);
        std::string line = out.substr(at, end - at);
        if (line == "}") break;
        lines += line.substr(std::min<size_t>(2, line.size())) + "\n";
        at = end + 1;
    }
    return lines;
}
} // namespace nereus
