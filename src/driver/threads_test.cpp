// One executable, many threads, each with a context of its own: the same bits as on one thread.
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
} // namespace nereus
