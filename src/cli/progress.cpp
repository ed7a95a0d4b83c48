#include "cli/progress.h"
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

Progress::Progress(std::string what) : what_(std::move(what)), is_terminal_(::isatty(STDERR_FILENO) == 1), next_(Clock::now() + patience) {}

void Progress::show(std::string_view part, int64_t done, int64_t of) {
    if (!is_terminal_ || Clock::now() < next_) return;
    next_ = Clock::now() + pause;
    is_shown_ = true;
    std::fprintf(stderr, "\r\033[K%s", progress_line(what_, part, done, of, terminal_columns() - 1).c_str());
    std::fflush(stderr);
}
void Progress::clear() {
    if (is_shown_) std::fputs("\r\033[K", stderr);
    is_shown_ = false;
}
std::function<void(std::string_view, int64_t, int64_t)> Progress::reporter() {
    if (!is_terminal_) return {};
    return [this](std::string_view part, int64_t done, int64_t of) { show(part, done, of); };
}

std::string progress_line(std::string_view what, std::string_view part, int64_t done, int64_t of, size_t columns) {
    std::string line(what);
    if (of > 0) {
        constexpr int64_t width = 24;
        const int64_t filled = std::clamp<int64_t>(width * done / of, 0, width);
        line += " [" + std::string(size_t(filled), '#') + std::string(size_t(width - filled), '.') + "] " + std::to_string(done) + "/" + std::to_string(of);
    }
    if (!part.empty()) line += " " + std::string(part);
    return line.substr(0, columns);
}
} // namespace nereus
