#include "cli/latency.h"
#include <algorithm>
#include <cmath>
#include <numeric>

namespace nereus {
Latency latency_of(std::vector<double> ms) {
    if (ms.empty()) return {};
    std::sort(ms.begin(), ms.end());
    auto percentile = [&](double share) { return ms[size_t(std::ceil(share * double(ms.size()))) - 1]; };
    return {ms.front(), std::accumulate(ms.begin(), ms.end(), 0.0) / double(ms.size()), percentile(0.5), percentile(0.9), percentile(0.99)};
}
} // namespace nereus
