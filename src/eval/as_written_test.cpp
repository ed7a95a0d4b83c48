// The program after the stage shapes is made another one here, as a wrong fact would make it.
#include "eval/as_written.h"
#include "infer/shapes.h"
#include "infer/specialise.h"
#include "ops/registry.h"
#include "text/parse.h"
#include "value/text.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
Module typed(const std::string& text) {
    Module parsed = *parse("test.nr", text, all_ops());
    const FunctionId entry = parsed.find_id("main");
    return *specialise(std::move(parsed), entry);
}
std::string shown(const std::string& written, const std::string& shaped, const std::vector<Value>& args,
                  std::string* out_prints = nullptr) {
    const AsWritten program{typed(written), *infer_shapes(typed(shaped), FunctionId(0), nullptr)};
    EvalOptions options;
    if (out_prints) options.print = [&](std::string_view line) { *out_prints += std::string(line) + ";"; };
    Result<Value> result = eval(program, FunctionId(0), args, options);
    return result ? to_text(*result) : result.error().message;
}
Value zeros(int64_t n) { return Value::tensor(*HostTensor::make(DType::f32, {n})); }
} // namespace

TEST(AsWritten, NoFactDecidesWhatItGives) {
    EXPECT_EQ(shown("def @main(%n: i64) { if (%n < 2) { 1 } else { 2 } }", "def @main(%n: i64) { 1 }",
                    {Value::tensor(HostTensor::scalar(int64_t(5)))}),
              "i64 2");
}
TEST(AsWritten, ErrorsNameSizesAsTheSignatureDoes) {
    const std::string text = "def @main(%x: Tensor[(n), f32], %y: Tensor[(m), f32]) {\n print(\"here\")\n %x + %y }";
    std::string prints;
    const std::string message = shown(text, text, {zeros(3), zeros(2)}, &prints);
    EXPECT_NE(message.find("n = 3 and m = 2"), std::string::npos) << message;
    EXPECT_EQ(prints, "here;");
}
TEST(AsWritten, AFactThatHidesAnErrorIsSeen) {
    const std::string program = "def @main(%x: Tensor[(n), f32], %k: i64) { %x[%k] }";
    EXPECT_NE(shown(program, "def @main(%x: Tensor[(n), f32], %k: i64) { 1.0 }",
                    {zeros(3), Value::tensor(HostTensor::scalar(int64_t(5)))}),
              "f32 1");
}
TEST(AsWritten, ShapesTellHowWideNothingIs) {
    const std::string text =
        "def @main(%x: Tensor[(n), f32], %k: i64) { for %i in %k, () { yield concat([%x, %x], axis=0) } }";
    EXPECT_EQ(shown(text, text, {zeros(3), Value::tensor(HostTensor::scalar(int64_t(0)))}), "Tensor[(0, 6), f32] []");
}
} // namespace nereus
