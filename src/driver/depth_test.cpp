// Depth and length are bounded by memory alone: recursion a million deep, with values as deep as that, runs, compares,
// prints and is freed on a thread with little native stack; interpreted as well as compiled.
#include "driver/compiled_testing.h"
#include "eval/eval.h"
#include "value/compare.h"
#include "value/text.h"
#include "vm/small_stack.h"

namespace nereus {
namespace {
constexpr int64_t million = 1'000'000;

// Calls the entry once on a small stack and looks at the result there, where it is also freed.
void call(const char* entry, std::vector<Value> args, const std::function<void(const Value&, const Stats&)>& look,
          ContextOptions options = {}) {
    SCOPED_TRACE(entry);
    Compiled program("depth.nr", entry);
    ASSERT_TRUE(program.loaded);
    on_small_stack([&] {
        std::unique_ptr<Context> context = program.context(options);
        Result<Value> result = context->run(program.entry(), args);
        ASSERT_TRUE(result) << result.error().message;
        EXPECT_EQ(context->stats().leaked_objects, 0);
        look(*result, context->stats());
    });
}
void expect_text(const char* entry, int64_t n, const std::string& text) {
    call(entry, {number_value(n)}, [&](const Value& value, const Stats&) { EXPECT_EQ(to_text(value), text); });
}
} // namespace

TEST(Depth, RecursionAMillionDeep) {
    expect_text("count", million, "i64 1000000");
    expect_text("built_total", million, "i64 500000500000");
    expect_text("compared", million, "(bool true, bool false)");
    Value x = Value::tensor(HostTensor::of<float>({4}, {1, 2, 3, 4}));
    call("tensors", {x, number_value(million)}, [&](const Value& value, const Stats& stats) {
        EXPECT_EQ(value.tensor().as_f64(3), 8);
        EXPECT_GT(stats.arena_bytes, million * 128);
    });
}

TEST(Depth, AValueAMillionDeepIsReturnedPrintedComparedAndFreed) {
    std::string printed;
    call("printed", {number_value(million)}, [](const Value&, const Stats&) {},
         {.print = [&](std::string_view line) { printed = line; }});
    EXPECT_EQ(printed.substr(0, 40), "deep Cons(i64 1000000, Cons(i64 999999, ");

    Compiled interpreted("depth.nr", "build");
    ASSERT_TRUE(interpreted.loaded);
    call("build", {number_value(million)}, [&](const Value& value, const Stats&) {
        EXPECT_EQ("deep " + to_text(value), printed);
        Value args[] = {number_value(million)};
        Result<Value> expected = eval(interpreted.typed, FunctionId(0), args);
        ASSERT_TRUE(expected) << expected.error().message;
        EXPECT_FALSE(compare(*expected, value, Tolerance{0, 0, true}));
        EXPECT_TRUE(equal_bitwise(*expected, value));
        std::unique_ptr<Context> context = Compiled("depth.nr", "total").context();      // and goes in again
        Result<Value> total = context->run(context->program().exe().entries[0], std::span(&value, 1));
        ASSERT_TRUE(total) << total.error().message;
        EXPECT_EQ(to_text(*total), "i64 500000500000");
        EXPECT_EQ(context->stats().leaked_objects, 0);
    });
}

TEST(Depth, TenMillionStepsTakeTheMemoryOfTen) {
    int64_t few = 0, many = 0;
    call("long", {number_value(10)}, [&](const Value&, const Stats& stats) { few = stats.peak_bytes; });
    call("long", {number_value(10 * million)}, [&](const Value& value, const Stats& stats) {
        EXPECT_EQ(to_text(value), "i64 9999999");
        many = stats.peak_bytes;
    });
    EXPECT_EQ(few, many);
}

TEST(Depth, TenMillionCallsInTailPositionTakeTheMemoryOfTen) {
    auto peak = [](const char* entry, int64_t n, const std::string& text) {
        Compiled program("tail.nr", entry);
        int64_t bytes = 0;
        on_small_stack([&] {
            std::unique_ptr<Context> context = program.context();
            Value args[] = {number_value(n)};
            Result<Value> result = context->run(program.entry(), args);
            ASSERT_TRUE(result) << result.error().message;
            EXPECT_EQ(to_text(*result), text);
            bytes = context->stats().peak_bytes;
        });
        return bytes;
    };
    EXPECT_EQ(peak("long", 10, "i64 27"), peak("long", 10 * million, "i64 29999997"));
    EXPECT_EQ(peak("evens_below", 10, "i64 200"), peak("evens_below", 10 * million, "i64 249999950000000"));
}

TEST(Depth, PushingIsLinear) {
    auto bytes = [](int64_t pushes) {                    // of all objects ever made: copies of the Seq among them
        int64_t sum = 0;
        auto count = [&](std::string_view line) {
            if (line.starts_with("born ")) sum += std::stoll(std::string(line.substr(line.rfind(' ') + 1)));
        };
        call("pushes", {number_value(pushes)}, [&](const Value& value, const Stats&) {
            EXPECT_EQ(to_text(value), "(i64 " + std::to_string(pushes + 1) + ", i64 " + std::to_string(pushes - 1) + ")");
        }, {.trace = count});
        return sum;
    };
    int64_t half = bytes(50'000), all = bytes(100'000);
    EXPECT_GT(half, 50'000 * 8);
    EXPECT_LT(all, 3 * half) << "four times as many if every push copied";
}
} // namespace nereus
