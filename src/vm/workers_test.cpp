// Tasks run once each, whoever helps; calls that want workers at the same time do not wait for each other.
#include "vm/workers.h"
#include <algorithm>
#include <atomic>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace nereus {
namespace {
// How often each task ran, and whether two that said to be the same thread ran at a time.
struct Count {
    explicit Count(int64_t tasks) : runs(size_t(tasks)) {}
    std::vector<std::atomic<int>> runs;
    std::atomic<bool> busy[most_threads] = {};
    std::atomic<bool> same_at_once = false;

    void share(int64_t range, int threads) {
        share_tasks({std::ssize(runs), range, [&](int64_t begin, int64_t end, int who) {
            if (busy[who].exchange(true)) same_at_once = true;
            for (int64_t i = begin; i < end; ++i) ++runs[size_t(i)];
            busy[who] = false;
        }}, threads);
    }
    bool each_once() const { return std::all_of(runs.begin(), runs.end(), [](const std::atomic<int>& n) { return n == 1; }); }
};
} // namespace

TEST(Workers, EachTaskRunsOnce) {
    for (int threads : {1, 2, 3, 8, 1000})
        for (int64_t tasks : {0, 1, 7, 1000})
            for (int64_t range : {1, 3, 64}) {
                Count count(tasks);
                count.share(range, threads);
                ASSERT_TRUE(count.each_once()) << threads << " threads, " << tasks << " tasks by " << range;
                ASSERT_FALSE(count.same_at_once);
            }
}
TEST(Workers, CallsShareThem) {
    std::vector<std::thread> callers;
    std::atomic<int> wrong = 0;
    for (int caller = 0; caller < 4; ++caller)
        callers.emplace_back([&] {
            for (int i = 0; i < 500; ++i) {
                Count count(40);
                count.share(1, 3);
                wrong += !count.each_once() || count.same_at_once;
            }
        });
    for (std::thread& caller : callers) caller.join();
    EXPECT_EQ(wrong, 0);
}
// The worker that the first call has is at a task that ends only after the second call.
TEST(Workers, NobodyWaitsForAnothersWork) {
    std::atomic<bool> second_is_done = false;
    std::atomic<int> began = 0;
    std::thread first([&] {
        share_tasks({8, 1, [&](int64_t, int64_t, int) {
            ++began;
            while (!second_is_done) std::this_thread::yield();
        }}, most_threads);
    });
    while (began == 0) std::this_thread::yield();
    Count count(100);
    count.share(1, most_threads);
    second_is_done = true;
    first.join();
    EXPECT_TRUE(count.each_once());
}
// Of the parent's workers a child has nothing but the memory.
TEST(Workers, AChildOfForkHasItsOwn) {
    Count before(100);
    before.share(1, 3);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        ::alarm(20);                                     // what would wait for a thread that is not there
        Count count(100);
        count.share(1, 3);
        std::exit(count.each_once() ? 7 : 1);            // also ends its workers
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
}
// The process ends while other threads call.
TEST(Workers, CallsMayGoOnAtTheEnd) {
#ifdef NEREUS_ADDRESS_SANITIZER
    GTEST_SKIP() << "it takes what threads hold that end with the process for leaks";
#endif
    for (int round = 0; round < 10; ++round) {
        const pid_t child = ::fork();
        ASSERT_GE(child, 0);
        if (child == 0) {
            ::alarm(20);
            for (int caller = 0; caller < 3; ++caller)
                std::thread([] {
                    for (;;) share_tasks({40, 1, [](int64_t, int64_t, int) {}}, 3);
                }).detach();
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
            std::exit(7);
        }
        int status = 0;
        ASSERT_EQ(::waitpid(child, &status, 0), child);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7) << status;
    }
}
TEST(Workers, SignalsAreForOthers) {
    std::atomic<int> helped = 0, open = 0;
    for (int tries = 0; tries < 1000 && helped == 0; ++tries)
        share_tasks({4, 1, [&](int64_t, int64_t, int who) {
            sigset_t blocked;
            ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
            if (who == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
            else ++helped, open += ::sigismember(&blocked, SIGUSR1) == 0 || ::sigismember(&blocked, SIGSEGV) == 1;
        }}, 3);
    EXPECT_GT(helped, 0);
    EXPECT_EQ(open, 0);
}
} // namespace nereus
