#include "vm/assembled.h"
#include "vm/small_stack.h"
#include <gtest/gtest.h>
#include <thread>

namespace nereus {
static constexpr int64_t lowest = INT64_MIN, highest = INT64_MAX;

TEST(Execute, Arithmetic) {
    struct Case { std::string_view op; int64_t a, b, expected; };
    const Case cases[] = {
        {"add", 2, 3, 5}, {"add", highest, 1, lowest}, {"sub", 2, 3, -1}, {"sub", lowest, 1, highest},
        {"mul", -4, 5, -20}, {"mul", lowest, -1, lowest},
        {"div", 7, 2, 3}, {"div", -7, 2, -3}, {"div", 7, -2, -3}, {"div", lowest, -1, lowest}, {"div", 5, -1, -5},
        {"floor_div", 7, 2, 3}, {"floor_div", -7, 2, -4}, {"floor_div", 7, -2, -4}, {"floor_div", -8, 2, -4},
        {"floor_div", lowest, -1, lowest}, {"floor_div", lowest, 1, lowest}, {"floor_div", lowest, 3, -3074457345618258603},
        {"mod", 7, 3, 1}, {"mod", -7, 3, 2}, {"mod", 7, -3, -2}, {"mod", -6, 3, 0}, {"mod", lowest, -1, 0}, {"mod", lowest, highest, highest - 1},
        {"min", -1, 1, -1}, {"max", -1, 1, 1},
        {"size_add", 2, 3, 5}, {"size_sub", 2, 3, -1}, {"size_mul", 6, 7, 42},
        {"size_bcast", 1, 7, 7}, {"size_bcast", 7, 1, 7}, {"size_bcast", 7, 7, 7}, {"size_bcast", 0, 1, 0}, {"size_bcast", 1, 0, 0},
        {"eq", 3, 3, 1}, {"ne", 3, 3, 0}, {"lt", -1, 0, 1}, {"le", 0, 0, 1}, {"gt", 0, -1, 1}, {"ge", -1, 0, 0},
        {"and", 1, 0, 0}, {"or", 1, 0, 1},
    };
    for (const Case& c : cases) {
        Assembled f(integer_entry(2, 1) + "function f(2) -> 1 { r2 = " + std::string(c.op) + " r0, r1 leave (r2) }");
        EXPECT_EQ(*f.number({c.a, c.b}), c.expected) << c.op << " " << c.a << " " << c.b;
    }
    const Case unary[] = {{"neg", lowest, 0, lowest}, {"neg", 3, 0, -3}, {"wrap.i32", 1LL << 31, 0, -(1LL << 31)}, {"wrap.i32", -1, 0, -1},
                          {"wrap.i32", (1LL << 32) + 5, 0, 5}, {"wrap.i8", 200, 0, -56}, {"wrap.i16", -32769, 0, 32767},
                          {"wrap.u8", -1, 0, 255}, {"wrap.u16", 65536 + 7, 0, 7}, {"wrap.u32", -1, 0, (1LL << 32) - 1}, {"not", 0, 0, 1}, {"not", 1, 0, 0}, {"move", 9, 0, 9}};
    for (const Case& c : unary) {
        Assembled f(integer_entry(1, 1) + "function f(1) -> 1 { r1 = " + std::string(c.op) + " r0 leave (r1) }");
        EXPECT_EQ(*f.number({c.a}), c.expected) << c.op << " " << c.a;
    }
}

TEST(Execute, FaultsNameTheirPlace) {
    for (std::string_view op : {"div", "floor_div", "mod"}) {
        Assembled f(integer_entry(2, 1) + "source {path: \"m.nr\"}\nsite {}\nsite {hint: \"think\", where: {source: 0, line: 3, column: 5}}\nfunction f(2) -> 1 { mark 0 r2 = neg r0 mark 1 r2 = " +
                    std::string(op) + " r0, r1 mark 0 leave (r2) }");
        Result<int64_t> result = f.number({1, 0});
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code, Code::value);
        EXPECT_EQ(result.error().message, "division by zero");
        EXPECT_EQ(result.error().where, (Span{0, 3, 5, 0}));
        EXPECT_EQ(result.error().hint, "think");
        EXPECT_EQ(*f.number({0, 7}), 0) << "usable afterwards";
    }
    for (std::string_view op : {"size_add", "size_mul"}) {
        Assembled f(integer_entry(2, 1) + "function f(2) -> 1 { r2 = " + std::string(op) + " r0, r1 leave (r2) }");
        EXPECT_EQ(f.number({highest, 2}).error().code, Code::shape) << op;
    }
    Assembled f(integer_entry(2, 1) + "site {code: shape, what: \"{0} is not {1}, {0}!\"}\nfunction f(2) -> 1 { check.equal 0, r0, r1 leave (r0) }");
    EXPECT_EQ(f.number({4, -5}).error().message, "4 is not -5, 4!");
    EXPECT_EQ(f.number({4, -5}).error().code, Code::shape);
    EXPECT_EQ(*f.number({4, 4}), 4);
    Assembled g(integer_entry(1, 1) + "site {code: unsupported, what: \"no\"}\nfunction f(1) -> 1 { fail 0 }");
    EXPECT_EQ(g.number({4}).error().message, "no");
}

TEST(Execute, LoopOfTenMillionSteps) {
    Assembled f(integer_entry(1, 1) + R"(function f(1) -> 1 {
        r1 = load_constant 0
        r2 = load_constant 1
        r3 = move r1
        loop: r3 = add r3, r1
        r1 = add r1, r2
        r4 = lt r1, r0
        jump_if loop, r4
        leave (r3) })");
    EXPECT_EQ(*f.number({10'000'000}), 49'999'995'000'000);
}

TEST(Execute, MoveIfAndJumps) {
    Assembled f(integer_entry(2, 2) + R"(function f(2) -> 2 {
        r2 = move r0
        move_if r2, r1, r1
        jump_unless other, r1
        leave (r2, r0)
        other: leave (r2, r1) })");
    Value both = *f.run({Value::tensor(HostTensor::scalar(int64_t(5))), Value::tensor(HostTensor::scalar(int64_t(3)))});
    EXPECT_EQ(both.children()[0].tensor().as_i64(0), 3);
    EXPECT_EQ(both.children()[1].tensor().as_i64(0), 5);
}

static constexpr std::string_view sum_to_n = R"(function sum(1) -> 1 {
    r1 = load_constant 1
    r2 = lt r0, r1
    jump_if zero, r2
    r2 = sub r0, r1
    (r2) = call sum, (r2)
    r2 = add r2, r0
    leave (r2)
    zero: leave (r0) })";

TEST(Execute, RecursionAMillionDeep) {
    on_small_stack([] {
        Assembled f(integer_entry(1, 1) + std::string(sum_to_n));
        EXPECT_EQ(*f.number({1'000'000}), 500'000'500'000);
        EXPECT_EQ(*f.number({3}), 6);
    });
}

TEST(Execute, MemoryLimitIsAnErrorAndNotTheEnd) {
    Assembled f(integer_entry(1, 1) + "source {path: \"m.nr\"}\nsite {where: {source: 0, line: 1, column: 1}}\n" + std::string(sum_to_n).replace(std::string(sum_to_n).find("(r2) = call"), 0, "mark 0 "),
                {.memory_limit = 1 << 20});
    Result<int64_t> result = f.number({1'000'000});
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error().code, Code::memory);
    EXPECT_EQ(result.error().message, "out of memory: the limit is 1048576 bytes");
    EXPECT_EQ(result.error().where, (Span{0, 1, 1, 0}));
    EXPECT_LE(f.stats().peak_bytes, 1 << 20);
    EXPECT_EQ(*f.number({1000}), 500500);
    EXPECT_GT(f.stats().peak_bytes, 1000 * 64);
}

static const std::string endless[] = {"function f(1) -> 1 { x: jump x }", "function f(1) -> 1 { x: jump_if x, r0 leave (r0) }",
                                      "function f(1) -> 1 { r1 = not r0 x: jump_unless x, r1 leave (r0) }",
                                      "function f(1) -> 1 { x: () = call g, () jump x } function g(0) -> 0 { leave () }"};

TEST(Execute, CancelStopsLoopsAndRecursion) {
    for (const std::string& loop : endless) {
        Assembled f(integer_entry(1, 1) + loop);
        std::atomic<bool> done = false;
        std::thread canceller([&] {
            while (!done) f.context->cancel(), std::this_thread::yield();
        });
        Result<int64_t> result = f.number({1});
        done = true;
        canceller.join();
        ASSERT_FALSE(result);
        EXPECT_EQ(result.error().code, Code::cancelled);
    }
}

TEST(Execute, DeadlinesStopLoopsAndRecursion) {
    const Value one[] = {Value::tensor(HostTensor::scalar(int64_t(1)))};
    for (const std::string& loop : endless) {
        Assembled f(integer_entry(1, 1) + loop);
        for (int64_t milliseconds : {5, -5}) {
            const int64_t deadline = steady_nanoseconds() + milliseconds * 1'000'000;
            Result<Value> result = f.context->run(f.entry(), one, {.deadline = deadline});
            ASSERT_FALSE(result);
            EXPECT_EQ(result.error().code, Code::deadline);
            EXPECT_GE(steady_nanoseconds(), deadline);
        }
    }
    Assembled short_one(integer_entry(1, 1) + "function f(1) -> 1 { leave (r0) }");
    EXPECT_EQ(short_one.context->run(short_one.entry(), one, {.deadline = steady_nanoseconds()}).error().code, Code::deadline)
        << "before it begins";
    EXPECT_TRUE(short_one.context->run(short_one.entry(), one, {.deadline = INT64_MAX}));
    EXPECT_EQ(*short_one.number({3}), 3);
}

TEST(Execute, OneFlagStopsManyCalls) {
    std::atomic<int32_t> flag = 0;
    const Value one[] = {Value::tensor(HostTensor::scalar(int64_t(1)))};
    std::vector<std::thread> callers;
    callers.reserve(std::size(endless));
    for (const std::string& loop : endless)
        callers.emplace_back([&] {
            Assembled f(integer_entry(1, 1) + loop);
            EXPECT_EQ(f.context->run(f.entry(), one, {.cancel = &flag}).error().code, Code::cancelled);
            EXPECT_EQ(f.context->run(f.entry(), one, {.cancel = &flag}).error().code, Code::cancelled) << "it is still set";
        });
    flag = 1;
    for (std::thread& caller : callers) caller.join();
}

TEST(Execute, ScalarsInMemory) {
    for (std::string_view dtype : {"bool", "i8", "i16", "i32", "i64"}) {
        std::string d(dtype);
        Assembled f(integer_entry(1, 1) + "function f(1) -> 1 { r1 = new_scalar." + d + " r0 r2 = tensor_data r1 r3 = read_scalar." + d +
                    " r2 write_scalar." + d + " r2, r3 r4 = scalar_value." + d + " r1 release r1 leave (r4) }");
        EXPECT_EQ(*f.number({1}), 1);
        EXPECT_EQ(*f.number({d == "bool" ? 0 : -5}), d == "bool" ? 0 : -5) << d;
        EXPECT_EQ(f.stats().leaked_objects, 0);
    }
}

// With one owner it is the same object, which then has both numbers; with two it is another.
TEST(Execute, TensorsAreOwnedInPlace) {
    for (bool shared : {false, true}) {
        Assembled f(integer_entry(1, 1) + "function f(1) -> 1 { r1 = new_scalar.i64 r0 " + (shared ? "retain r1 " : "") +
                    "r2 = tensor_data r1 r3 = tensor_own r1 r4 = tensor_data r3 r5 = add r0, r0 write_scalar.i64 r4, r5 "
                    "r6 = read_scalar.i64 r2 r7 = eq r2, r4 r6 = add r6, r7 release r3 " + (shared ? "release r1 " : "") + "leave (r6) }");
        EXPECT_EQ(*f.number({21}), shared ? 21 : 43);
        EXPECT_EQ(f.stats().leaked_objects, 0);
    }
}

TEST(Execute, WeightsAreReadInPlace) {
    Assembled f(integer_entry(1, 1) + "function f(1) -> 1 { r1 = weights 1 r2 = read_scalar.i64 r1 r2 = add r2, r0 leave (r2) }\n"
                                      "weight \"0000000000000000\" weight 1 \"2a000000\" \"00000000\"");
    EXPECT_EQ(*f.number({1}), 43);
}
} // namespace nereus
