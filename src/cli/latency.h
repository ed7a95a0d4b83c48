// cli/latency.h - times of calls, and what is said of many of them.
#pragma once
#include <chrono>
#include <vector>

namespace nereus {
class Stopwatch {
 public:
    double ms() const { return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// A percentile is the least time that so many of the calls did not exceed. All are 0 of no calls.
struct Latency { double min = 0, mean = 0, p50 = 0, p90 = 0, p99 = 0; };
Latency latency_of(std::vector<double> ms);
} // namespace nereus
