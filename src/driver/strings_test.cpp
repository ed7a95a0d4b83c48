// Texts across calls: results keep theirs, calls leave none behind, constants go with the executable, artefacts bring them along.
#include "driver/compiled_testing.h"
#include "driver/run_artefact_testing.h"
#include "exe/artefact.h"
#include "ops/registry.h"
#include "tensor/texts.h"
#include "value/compare.h"
#include "value/text.h"

namespace nereus {
namespace {
Result<Executable> compiled(const std::string& text) {
    ParseInput input;
    input.path = "test.nr";
    input.text = text;
    input.load = [](const std::string& imported) { return read_file(imported); };
    return compile(TRY(parse(std::move(input), all_ops(), nullptr)), {});
}
struct Program {
    std::shared_ptr<const LoadedExecutable> loaded;
    std::unique_ptr<Context> context;
    explicit Program(const std::string& text, int64_t limit = int64_t(1) << 30) {
        Result<Executable> exe = compiled(text);
        EXPECT_TRUE(exe) << exe.error().message;
        loaded = *LoadedExecutable::load(std::move(*exe), library());
        context = std::move(*Context::make(loaded, {.memory_limit = limit}));
    }
    Result<Value> operator()(const std::vector<Value>& args) { return context->run(loaded->exe().entries[0], args); }
};
Value texts(Extents shape, const std::vector<std::string>& all) { return Value::tensor(*text_tensor(std::move(shape), all)); }
std::string shown(const Result<Value>& value) { return value ? to_text(*value) : value.error().message; }
} // namespace

TEST(Strings, ResultsOutliveTheCallAndTheContext) {
    const int64_t before = texts_held();
    Result<Value> result = Value();
    {
        Program join("def @main(%x: Tensor[(n), str]) { (str_concat(concat([%x, %x], axis=0), tensor(\"!\")), [str_upper(%x)], tensor([\"constant\"])) }");
        result = join({texts({2}, {"a", "\u00e9"})});
        const std::vector<std::string> other = {"other"};
        ASSERT_TRUE(join({texts({1}, other)}));
    }
    EXPECT_EQ(shown(result), "(Tensor[(4), str] [\"a!\", \"\u00e9!\", \"a!\", \"\u00e9!\"], [Tensor[(2), str] [\"A\", \"\u00c9\"]], Tensor[(1), str] [\"constant\"])");
    result = Value();
    EXPECT_EQ(texts_held(), before);
}

TEST(Strings, AMillionTextsOverManyCallsLeaveNone) {
    Program count("def @main(%from: i64) { str_concat(tensor(\"number \"), cast(iota(1000) + %from, str)) }");
    ASSERT_TRUE(count({number_value(0)}));
    const int64_t before = texts_held();
    for (int64_t call = 0; call < 1000; ++call) {
        Result<Value> result = count({number_value(call * 1000)});
        ASSERT_TRUE(result);
        ASSERT_EQ(text_at(result->tensor(), 7), "number " + std::to_string(call * 1000 + 7));
        result = Value();
        ASSERT_EQ(texts_held(), before);
    }
}

TEST(Strings, FailingCallsLeaveNone) {
    Program read("def @main(%x: Tensor[(n), str]) { cast(str_concat(%x, tensor(\"0\")), i64) }");
    const int64_t before = texts_held();
    EXPECT_EQ(shown(read({texts({2}, {"1", "2"})})), "Tensor[(2), i64] [10, 20]");
    EXPECT_EQ(shown(read({texts({2}, {"1", "x"})})), "'x0' is no number to cast to i64");
    EXPECT_EQ(texts_held(), before);
    Program match("def @main(%x: Tensor[(n), str], %p: str) { str_match(%x, %p) }");
    EXPECT_EQ(shown(match({texts({1}, {"a"}), texts({}, {"(a"})})), "'(a' is no pattern: missing ): (a");
    EXPECT_EQ(shown(match({texts({0}, {}), texts({}, {"(a"})})), "Tensor[(0), bool] []");
}

TEST(Strings, TensorsAsResultsAreHeldToo) {
    Program same("def @main(%x: Tensor[(n), str]) { str_concat(%x, %x) }");
    const HostTensor args[] = {*text_tensor({2}, std::vector<std::string>{"ab", "c"})};
    HostTensor results[1], first;
    for (int call = 0; call < 3; ++call) {
        ASSERT_TRUE(same.context->run(same.loaded->exe().entries[0], args, results));
        if (call == 0) first = results[0];
    }
    EXPECT_EQ(text_at(first, 0), "abab");
    EXPECT_EQ(text_at(results[0], 1), "cc");
}

TEST(Strings, ATextThatDoublesEndsInAnError) {
    Program doubles("def @main(%x: str, %k: i64) { for %i in %k, (%s = %x) { str_concat(%s, %s) } }", int64_t(1) << 24);
    const Value x = texts({}, {"0123456789abcdef"});
    EXPECT_EQ(text_at(doubles({x, number_value(3)})->tensor(), 0).size(), 128u);
    EXPECT_EQ(doubles({x, number_value(60)}).error().code, Code::memory);
}

TEST(Strings, ConstantsGoWithTheExecutable) {
    const int64_t before = texts_held();
    Result<Executable> exe = compiled("def @main(%x: Tensor[(n), str]) { (%x == tensor(\"only here\"), tensor([\"p\", \"q\", \"p\"])) }");
    ASSERT_TRUE(exe);
    EXPECT_EQ(exe->texts.size(), 3u);                    // each once
    EXPECT_EQ(texts_held(), before);                     // an executable that is not loaded has no numbers
    std::shared_ptr<const LoadedExecutable> loaded = *LoadedExecutable::load(*exe, library());
    EXPECT_EQ(texts_held(), before + 3);
    loaded = nullptr;
    EXPECT_EQ(texts_held(), before);
}

TEST(Strings, ArtefactsBringTheirTexts) {
    Result<Executable> exe = compiled("def @main(%x: Tensor[(n), str]) { (concat([%x, tensor([\"end\", \"\u00e9\\n\"])], axis=0), %x == tensor(\"b\")) }");
    ASSERT_TRUE(exe);
    std::vector<std::byte> bytes = *save(*exe);
    EXPECT_EQ(*load(bytes), *exe);
    EXPECT_EQ(run_artefact(bytes, R"({"x": {"dtype": "str", "shape": [2], "data": ["a\"", "b"]}})"),
              "{\"tuple\": [{\"dtype\": \"str\", \"shape\": [4], \"data\": [\"a\\\"\", \"b\", \"end\", \"\u00e9\\n\"]}, "
              "{\"dtype\": \"bool\", \"shape\": [2], \"data\": [false, true]}]}\n");
    exe->text_constants[0] = 3;
    Result<Executable> damaged = load(*save(*exe));
    ASSERT_FALSE(damaged);
    EXPECT_EQ(damaged.error().code, Code::corrupt);
    EXPECT_NE(damaged.error().message.find("text 3 is out of range, there are 3"), std::string::npos) << damaged.error().message;
}
} // namespace nereus
