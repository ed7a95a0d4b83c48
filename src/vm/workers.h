// vm/workers.h - threads of the process that help calls with the tasks of a launch.
#pragma once
#include <cstdint>
#include <functional>

namespace nereus {
// Tasks of a launch: each runs once, in ranges, in any order, on any thread.
struct SharedTasks {
    int64_t tasks;
    int64_t range;                                       // so many at a time
    std::function<void(int64_t begin, int64_t end, int who)> run;        // who: 0 is the caller, then its helpers, each another
};

// Returns when all tasks have run. Up to threads - 1 workers that have nothing to do help; none is waited for that works for
// another call, so without any the caller does it all. Workers begin when they are first wanted, and sleep when they are not.
void share_tasks(const SharedTasks& work, int threads);

inline constexpr int most_threads = 64;                  // of one call, its own with them
} // namespace nereus
