// One executable, many threads, each with a context of its own, or several that share a call: the same bits as on one thread.
#include "driver/compiled_testing.h"
#include "value/compare.h"
#include <atomic>
#include <thread>

namespace nereus {
namespace {
struct Entry { const char *file, *name; };
constexpr Entry entries[] = {{"straight.nr", "dense"}, {"straight.nr", "late"}, {"memory.nr", "attention"},
                             {"memory.nr", "unequal_arms"}, {"control.nr", "encode"}, {"control.nr", "growing"},
                             {"control.nr", "closures"}, {"strings.nr", "states"}, {"strings.nr", "made"}};
constexpr int threads = 16, calls = 30;

void agree(const Entry& e) {
    SCOPED_TRACE(std::string(e.file) + " @" + e.name);
    Compiled program(e.file, e.name);
    ASSERT_TRUE(program.loaded);
    std::mt19937_64 random(5);
    std::vector<std::vector<Value>> args;
    std::vector<Value> expected;
    std::unique_ptr<Context> alone = program.context();
    for (int call = 0; call < calls; ++call) {
        RandomInputs inputs{program.typed, random, [](std::mt19937_64& r) { return int64_t(1 + r() % 40); }};
        args.push_back(random_arguments(inputs));
        Result<Value> result = alone->run(program.entry(), args.back());
        ASSERT_TRUE(result) << result.error().message;
        expected.push_back(std::move(*result));
    }
    std::atomic<int> wrong = 0, leaked = 0, waiting = 0;
    std::vector<std::thread> running;
    for (int t = 0; t < threads; ++t)
        running.emplace_back([&, t] {
            std::unique_ptr<Context> context = program.context();
            ++waiting;
            while (waiting < threads) std::this_thread::yield();     // all at once
            for (int call = 0; call < calls; ++call) {
                size_t which = size_t((call + t * 7) % calls);       // not in step with each other
                Result<Value> result = context->run(program.entry(), args[which]);
                if (!result || !equal_bitwise(*result, expected[which])) ++wrong;
            }
            leaked += int(context->stats().leaked_objects);
        });
    for (std::thread& thread : running) thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(leaked, 0);
}
} // namespace

TEST(Threads, SixteenContextsAgreeBitwiseWithOne) {
    for (const Entry& e : entries) agree(e);
}

// Large enough that launches are shared; the predicted peak counts what each thread has to itself.
TEST(Threads, ThreadsOfOneCallDoNotChangeABit) {
    constexpr Entry large[] = {{"straight.nr", "dense"}, {"straight.nr", "softmax"}, {"straight.nr", "batched"},
                               {"straight.nr", "moves"}, {"memory.nr", "attention"}, {"memory.nr", "recurrent"}};
    for (const Entry& e : large) {
        SCOPED_TRACE(std::string(e.file) + " @" + e.name);
        Compiled program(e.file, e.name);
        ASSERT_TRUE(program.loaded);
        std::mt19937_64 random(7);
        std::unique_ptr<Context> alone = program.context();
        for (int call = 0; call < 3; ++call) {
            RandomInputs inputs{program.typed, random, [](std::mt19937_64& r) { return int64_t(150 + r() % 100); }};
            const std::vector<Value> args = random_arguments(inputs);
            Result<Value> expected = alone->run(program.entry(), args);
            ASSERT_TRUE(expected) << expected.error().message;
            for (int helped : {2, 3, 8}) {
                std::unique_ptr<Context> context = program.context({.memory_limit = int64_t(1) << 30, .threads = helped});
                Result<Value> result = context->run(program.entry(), args);
                ASSERT_TRUE(result) << result.error().message;
                EXPECT_TRUE(equal_bitwise(*result, *expected)) << helped << " threads";
                Result<int64_t> alone_peak = alone->peak(program.entry(), args), peak = context->peak(program.entry(), args);
                ASSERT_TRUE(peak && alone_peak);
                EXPECT_EQ(*peak - *alone_peak, context->stats().peak_bytes - alone->stats().peak_bytes);
            }
        }
    }
}
TEST(Threads, OfSeveralFaultsTheFirstIsTold) {
    CompileOptions options;
    Result<Module> parsed = parse_text("pick.nr", "def @main(%x: Tensor[(n), f32], %at: Tensor[(k), i64]) { gather(%x, %at) }", nullptr);
    ASSERT_TRUE(parsed) << parsed.error().message;
    Result<Executable> exe = compile(std::move(*parsed), options);
    ASSERT_TRUE(exe) << exe.error().message;
    const std::shared_ptr<const LoadedExecutable> loaded = *LoadedExecutable::load(std::move(*exe), library());
    constexpr int64_t count = 1 << 20;
    std::mt19937_64 random(3);
    HostTensor at = *HostTensor::make(DType::i64, {count});
    const std::span<int64_t> numbers = *at.mutable_data<int64_t>();
    const Value x = Value::tensor(HostTensor::of<float>({2}, {1, 2}));
    for (int round = 0; round < 20; ++round) {
        std::fill(numbers.begin(), numbers.end(), 1);
        int64_t first = count;
        for (int wrong = 0; wrong < 5; ++wrong) {
            const int64_t place = int64_t(random() % count);
            numbers[size_t(place)] = 1000 + place;
            first = std::min(first, place);
        }
        for (int helped : {1, 2, 5}) {
            std::unique_ptr<Context> context = std::move(*Context::make(loaded, {.threads = helped}));
            Result<Value> result = context->run(loaded->exe().entries[0], std::vector<Value>{x, Value::tensor(at)});
            ASSERT_FALSE(result);
            EXPECT_EQ(result.error().message, "index " + std::to_string(1000 + first) + " is out of range for size 2");
        }
    }
}
} // namespace nereus
