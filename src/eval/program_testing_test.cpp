#include "eval/program_testing.h"
#include "infer/shapes.h"
#include "infer/specialise.h"
#include "ops/registry.h"
#include "text/parse.h"
#include "value/compare.h"
#include "value/text.h"
#include <gtest/gtest.h>

namespace nereus {
Result<Value> run(const std::string& text, const std::vector<Value>& args, const EvalOptions& options) {
    Module parsed = TRY(parse("test.nr", text, all_ops()));
    FunctionId entry = parsed.find_id("main");
    Module module = TRY(specialise(std::move(parsed), entry));
    return eval(module, FunctionId(0), args, options);
}
namespace {
// As run, and once more after the shapes stage: a program means the same there.
Result<Value> run_twice(const std::string& text, const std::vector<Value>& args) {
    Module parsed = TRY(parse("test.nr", text, all_ops()));
    FunctionId entry = parsed.find_id("main");
    Module module = TRY(specialise(std::move(parsed), entry));
    Result<Value> typed = eval(module, FunctionId(0), args);
    Result<Module> shaped = infer_shapes(std::move(module), FunctionId(0), nullptr);
    if (!shaped) {
        EXPECT_FALSE(bool(typed)) << "refused by the shapes stage: " << shaped.error().message << "\n" << text;
        return typed;
    }
    Result<Value> again = eval(*shaped, FunctionId(0), args);
    EXPECT_EQ(bool(typed), bool(again)) << (typed ? again.error().message : typed.error().message) << "\n" << text;
    if (typed && again) { EXPECT_TRUE(equal_bitwise(*typed, *again)) << to_text(*again) << "\n" << text; }
    return typed;
}
} // namespace

static std::string text_of(const Result<Value>& result) {
    if (result) return to_text(*result);
    return std::string(code_name(result.error().code)) + ": " + result.error().message;
}
std::string shown(const std::string& text, const std::vector<Value>& args) { return text_of(run_twice(text, args)); }
std::string shown_as_typed(const std::string& text, const std::vector<Value>& args) { return text_of(run(text, args)); }
} // namespace nereus
