// run/progress.h - how far a long job is, on one line of a terminal: shown once it has taken a second, gone when it is done.
// Nothing is written where stderr is no terminal.
#pragma once
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace nereus {
class Progress {
 public:
    explicit Progress(std::string what);             // "compiling"
    Progress(const Progress&) = delete;
    ~Progress();
    // `part`: what is being done, "codegen"; `of` 0: how much there is is not known. Stays, with the seconds that have gone by.
    void show(std::string_view part, int64_t done, int64_t of);
    void clear();                                    // before something else is printed; until the next show()
    void print(std::string_view line);               // on stderr, above what is shown
    std::function<void(std::string_view, int64_t, int64_t)> reporter();      // empty where nothing would be written

 private:
    using Clock = std::chrono::steady_clock;
    void keep_drawing();

    const std::string what_;
    const Clock::time_point begin_;
    std::mutex mutex_;
    std::condition_variable ended_;
    std::string part_;
    int64_t done_ = 0, of_ = 0;
    bool is_said_ = false, is_drawn_ = false, is_over_ = false;
    std::thread drawing_;                            // a job may say nothing for long; none where nothing is written
};
std::string progress_line(std::string_view what, std::string_view part, int64_t done, int64_t of, int64_t seconds, size_t columns);
} // namespace nereus
