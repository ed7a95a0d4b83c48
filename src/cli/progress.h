// cli/progress.h - how far a long job is, on one line of a terminal: shown once it has taken a second, gone when it is done.
// Nothing is written where stderr is no terminal.
#pragma once
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace nereus {
class Progress {
 public:
    explicit Progress(std::string what);             // "compiling"
    Progress(const Progress&) = delete;
    ~Progress() { clear(); }
    // `part`: what is being done, "codegen"; `of` 0: how much there is is not known.
    void show(std::string_view part, int64_t done, int64_t of);
    void clear();                                    // before something else is printed
    std::function<void(std::string_view, int64_t, int64_t)> reporter();      // empty where nothing would be written

 private:
    using Clock = std::chrono::steady_clock;
    std::string what_;
    bool is_terminal_, is_shown_ = false;
    Clock::time_point next_;                         // when to write again
};
std::string progress_line(std::string_view what, std::string_view part, int64_t done, int64_t of, size_t columns);
} // namespace nereus
