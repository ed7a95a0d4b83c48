#include "run/profile.h"
#include "run/place_text.h"
#include <algorithm>
#include <cstdio>
#include <map>
#include <tuple>

namespace nereus {
namespace {
constexpr size_t most_rows = 20;

std::string row(double milliseconds, double all, int64_t runs, const std::string& kernel, const std::string& where) {
    char numbers[80];
    std::snprintf(numbers, sizeof numbers, "%6.1f%% %10.3f %8ld  ", all > 0 ? 100 * milliseconds / all : 0, milliseconds, long(runs));
    std::string out = numbers + kernel;
    if (!where.empty()) out += std::string(kernel.size() < 16 ? 16 - kernel.size() : 0, ' ') + "  " + where;
    return out + "\n";
}
} // namespace

std::string profile_text(const Context& context, double seconds, std::span<const SourceText> sources) {
    const Executable& exe = context.program().exe();
    std::map<std::pair<std::string, std::string>, LaunchTime> sums;      // by place and kernel
    LaunchTime kernels;
    for (size_t i = 0; i < context.launch_times().size(); ++i) {
        const LaunchTime& one = context.launch_times()[i];
        if (one.runs == 0) continue;
        const LaunchInfo& launch = exe.launches[i];
        LaunchTime& sum = sums[{place_text(exe.sites[launch.site].where, sources), exe.kernels[launch.kernel].name}];
        sum.runs += one.runs, sum.nanoseconds += one.nanoseconds;
        kernels.runs += one.runs, kernels.nanoseconds += one.nanoseconds;
    }
    std::vector<std::pair<std::pair<std::string, std::string>, LaunchTime>> rows(sums.begin(), sums.end());
    std::sort(rows.begin(), rows.end(), [](auto& a, auto& b) {
        return std::tie(b.second.nanoseconds, a.first) < std::tie(a.second.nanoseconds, b.first);
    });
    const double all = seconds * 1e3;
    std::string out = "  share         ms     runs  kernel            where\n";
    LaunchTime others;
    for (size_t i = 0; i < rows.size(); ++i) {
        const auto& [key, time] = rows[i];
        if (i < most_rows) out += row(double(time.nanoseconds) * 1e-6, all, time.runs, key.second, key.first);
        else others.runs += time.runs, others.nanoseconds += time.nanoseconds;
    }
    if (rows.size() > most_rows) out += row(double(others.nanoseconds) * 1e-6, all, others.runs, std::to_string(rows.size() - most_rows) + " others", "");
    out += row(all - double(kernels.nanoseconds) * 1e-6, all, context.stats().calls, "host", "between kernels, per call");
    return out;
}
} // namespace nereus
