#include "cli/launch_table.h"
#include "cli/json_object.h"
#include "run/place_text.h"
#include <algorithm>
#include <tuple>

namespace nereus {
namespace {
void add(loop::Cost& sum, const loop::Cost& more) {
    sum.points += more.points, sum.flops += more.flops, sum.read += more.read, sum.written += more.written;
}
void add(LaunchRow& sum, const LaunchRow& more) {
    sum.runs += more.runs, sum.nanoseconds += more.nanoseconds;
    add(sum.cost, more.cost);
}
LaunchRow sum_of(std::span<const LaunchRow> rows) {
    LaunchRow all;
    for (const LaunchRow& row : rows) add(all, row);
    return all;
}
int64_t lane_points(std::span<const LaunchRow> rows) {
    int64_t points = 0;
    for (const LaunchRow& row : rows)
        if (row.way == loop::Way::lanes) points += row.cost.points;
    return points;
}
// Of kernels by hand nobody says what they compute.
loop::Cost bytes_alone(const ParamLayout& layout, const loop::Function& signature, const Launch& launch) {
    loop::Cost cost;
    for (size_t i = 0; i < layout.buffers.size(); ++i)
        (signature.buffers[i].out ? cost.written : cost.read) += double(std::max<int64_t>(launch.bytes[i], 0));
    return cost;
}
} // namespace

void LaunchTable::see(const Executable& exe, const LaunchInfo& info, const Launch& launch, int64_t nanoseconds) {
    const loop::Scheduled& kernel = kernels_[info.kernel];
    LaunchRow one{.runs = 1, .nanoseconds = nanoseconds};
    if (!in_library_[info.kernel]) {
        one.way = loop::way_of(kernel, launch.p, exe.target == "x86-64-v4");
        one.cost = loop::cost_of(kernel.function, kernel.params, launch.p);
    } else {
        one.cost = bytes_alone(kernel.params, kernel.function, launch);
    }
    LaunchRow& row = seen_[{size_t(&info - exe.launches.data()), one.way}];
    row.way = one.way;
    add(row, one);
}

std::vector<LaunchRow> LaunchTable::rows(const Executable& exe, std::span<const SourceText> sources) const {
    std::map<std::tuple<std::string, std::string, loop::Way>, LaunchRow> by_place;
    for (const auto& [key, row] : seen_) {
        const LaunchInfo& info = exe.launches[key.first];
        std::string where = place_text(exe.sites[info.site].where, sources);
        const std::string& kernel = exe.kernels[info.kernel].name;
        LaunchRow& sum = by_place[{where, kernel, key.second}];
        sum.kernel = kernel, sum.where = std::move(where), sum.way = row.way;
        add(sum, row);
    }
    std::vector<LaunchRow> rows;
    for (auto& [key, row] : by_place) rows.push_back(std::move(row));
    std::ranges::stable_sort(rows,
                             [](const LaunchRow& a, const LaunchRow& b) { return a.nanoseconds > b.nanoseconds; });
    return rows;
}

std::string launches_text(const std::vector<LaunchRow>& rows) {
    constexpr size_t most_rows = 40;             // of what there may be thousands; --json has all
    const LaunchRow all = sum_of(rows);
    std::string out = " share         ms     runs   GFLOP/s      GB/s  way      kernel            where\n";
    auto line = [&](const LaunchRow& row, std::string_view way) {
        char numbers[120];
        const double ns = std::max(double(row.nanoseconds), 1.0), bytes = row.cost.read + row.cost.written;
        std::snprintf(numbers, sizeof numbers, "%5.1f%% %10.3f %8lld %9.2f %9.2f  ",
                      100 * double(row.nanoseconds) / std::max(double(all.nanoseconds), 1.0), ns * 1e-6,
                      static_cast<long long>(row.runs), row.cost.flops / ns, bytes / ns);
        std::string text = numbers + std::string(way);
        text.resize(std::max<size_t>(text.size(), std::string_view(numbers).size() + 7), ' ');
        out += text + "  " + row.kernel + std::string(row.kernel.size() < 16 ? 16 - row.kernel.size() : 0, ' ') + "  " +
               row.where + "\n";
    };
    for (size_t i = 0; i < std::min(rows.size(), most_rows); ++i) line(rows[i], loop::way_name(rows[i].way));
    if (rows.size() > most_rows) {
        LaunchRow others = sum_of(std::span(rows).subspan(most_rows));
        others.kernel = std::to_string(rows.size() - most_rows) + " others";
        line(others, "");
    }
    std::map<loop::Way, LaunchRow> ways;
    for (const LaunchRow& row : rows) add(ways[row.way], row);
    for (auto& [way, row] : ways) {
        row.kernel = "all of this way";
        line(row, loop::way_name(way));
    }
    return out + "points run lane by lane: " + std::to_string(lane_points(rows)) + "\n";
}

std::string launches_json(const std::vector<LaunchRow>& rows) {
    std::vector<std::string> items;
    for (const LaunchRow& row : rows)
        items.push_back(JsonObject()
                            .add("kernel", row.kernel)
                            .add("where", row.where)
                            .add("way", loop::way_name(row.way))
                            .add("runs", row.runs)
                            .add("ms", double(row.nanoseconds) * 1e-6)
                            .add("points", row.cost.points)
                            .add("flops", row.cost.flops)
                            .add("read", row.cost.read)
                            .add("written", row.cost.written)
                            .text());
    return json_list(items);
}

std::string sums_json(const std::vector<LaunchRow>& rows) {
    const LaunchRow all = sum_of(rows);
    return JsonObject()
        .add("runs", all.runs)
        .add("bytes_read", int64_t(all.cost.read))
        .add("bytes_written", int64_t(all.cost.written))
        .add("flops", int64_t(all.cost.flops))
        .add("lane_points", lane_points(rows))
        .text();
}
} // namespace nereus
