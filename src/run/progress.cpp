#include "run/progress.h"
#include <algorithm>
#include <cstdio>
#include <sys/ioctl.h>
#include <unistd.h>

namespace nereus {
namespace {
constexpr std::chrono::milliseconds patience(1000), pause(100);
size_t terminal_columns() {
    winsize size{};
    return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}
} // namespace

Progress::Progress(std::string what) : what_(std::move(what)), begin_(Clock::now()) {
    if (::isatty(STDERR_FILENO) == 1) drawing_ = std::thread([this] { keep_drawing(); });
}
Progress::~Progress() {
    if (!drawing_.joinable()) return;
    clear();
    {
        const std::lock_guard lock(mutex_);
        is_over_ = true;
    }
    ended_.notify_one();
    drawing_.join();
}

void Progress::keep_drawing() {
    std::unique_lock lock(mutex_);
    std::chrono::milliseconds wait = patience;
    while (!ended_.wait_for(lock, wait, [this] { return is_over_; })) {
        wait = pause;
        if (!is_said_) continue;
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(Clock::now() - begin_);
        std::fprintf(stderr, "\r\033[K%s", progress_line(what_, part_, done_, of_, seconds.count(), terminal_columns() - 1).c_str());
        std::fflush(stderr);
        is_drawn_ = true;
    }
}

void Progress::show(std::string_view part, int64_t done, int64_t of) {
    if (!drawing_.joinable()) return;
    const std::lock_guard lock(mutex_);
    part_ = part, done_ = done, of_ = of, is_said_ = true;
}
void Progress::clear() {
    if (!drawing_.joinable()) return;
    const std::lock_guard lock(mutex_);
    if (is_drawn_) std::fputs("\r\033[K", stderr), std::fflush(stderr);
    is_said_ = is_drawn_ = false;
}
void Progress::print(std::string_view line) {
    const std::lock_guard lock(mutex_);
    std::fprintf(stderr, "%s%.*s\n", is_drawn_ ? "\r\033[K" : "", int(line.size()), line.data());
    is_drawn_ = false;
}
std::function<void(std::string_view, int64_t, int64_t)> Progress::reporter() {
    if (!drawing_.joinable()) return {};
    return [this](std::string_view part, int64_t done, int64_t of) { show(part, done, of); };
}

std::string progress_line(std::string_view what, std::string_view part, int64_t done, int64_t of, int64_t seconds, size_t columns) {
    std::string line(what);
    if (of > 0) {
        constexpr int64_t width = 24;
        const int64_t filled = std::clamp<int64_t>(width * done / of, 0, width);
        line += " [" + std::string(size_t(filled), '#') + std::string(size_t(width - filled), '.') + "] " + std::to_string(done) + "/" + std::to_string(of);
    }
    if (!part.empty()) line += " " + std::string(part);
    return (line + ", " + std::to_string(seconds) + " s").substr(0, columns);
}
} // namespace nereus
