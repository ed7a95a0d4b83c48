#include "exe/launch_params.h"
#include "base/invariant.h"
#include <algorithm>

namespace nereus {
namespace {
int64_t ceil_div(int64_t a, int64_t b) { return a / b + (a % b != 0); }

// Points of a group; -1 on overflow. A zero extent makes it zero whatever the others are.
int64_t point_count(std::span<const int64_t> extents) {
    if (std::find(extents.begin(), extents.end(), 0) != extents.end()) return 0;
    int64_t count = 1;
    for (int64_t extent : extents)
        if (__builtin_mul_overflow(count, extent, &count)) return -1;
    return count;
}

void fill_grid(const ParamLayout& layout, std::span<int64_t> p) {
    const GridLayout& grid = layout.grid;
    auto points = [&](uint16_t g) { return p[size_t(layout.group_slot(g)) + 2]; };
    int64_t items = 1, work = 1;
    for (GridLayout::Dim d : grid.dims) {
        const int64_t* header = p.data() + layout.group_slot(d.group);
        const int64_t row = d.by_row ? p[size_t(header[1] + std::max<int64_t>(header[0], 1) - 1)] : header[2];
        items *= row == 0 ? 0 : header[2] / row * ceil_div(row, d.tile);
    }
    for (uint16_t g : grid.work)
        if (__builtin_mul_overflow(work, std::max<int64_t>(points(g), 1), &work)) work = INT64_MAX;
    int64_t per_task = std::max<int64_t>(grid.target / work, 1);
    per_task = ceil_div(per_task, grid.align) * grid.align;
    p[0] = ceil_div(items, per_task);
    p[1] = per_task;
}
} // namespace

int collapse(int rank, int buffers, int64_t* extents, int64_t* strides) {
    int kept = 0;
    for (int i = 0; i < rank; ++i) {
        if (extents[i] == 1) continue;
        bool merges = kept > 0;
        for (int b = 0; b < buffers && merges; ++b) {
            int64_t span;
            merges = !__builtin_mul_overflow(strides[b * rank + i], extents[i], &span) &&
                     strides[b * rank + kept - 1] == span;
        }
        int to = merges ? kept - 1 : kept++;
        extents[to] = merges ? extents[to] * extents[i] : extents[i];
        for (int b = 0; b < buffers; ++b) strides[b * rank + to] = strides[b * rank + i];
    }
    for (int b = 1; b < buffers; ++b)
        for (int i = 0; i < kept; ++i) strides[b * kept + i] = strides[b * rank + i];
    return kept;
}

int64_t param_slots(const ParamLayout& layout, std::span<const int32_t> ranks) {
    int64_t slots = layout.tables();
    for (size_t g = 0; g < layout.groups.size(); ++g)
        slots += int64_t(1 + layout.groups[g].buffers.size()) * std::max(ranks[g], 1);
    return slots;
}

int64_t fill_params(const ParamLayout& layout, std::span<const GroupShape> groups, std::span<const int64_t> scalars,
                    std::span<int64_t> p) {
    invariant(groups.size() == layout.groups.size() && scalars.size() == size_t(layout.scalars),
              "a launch binds every group and scalar");
    for (size_t s = 0; s < scalars.size(); ++s) p[size_t(layout.scalar_slot(s))] = scalars[s];
    int64_t at = layout.tables();
    for (size_t g = 0; g < groups.size(); ++g) {
        const GroupLayout& group = layout.groups[g];
        int rank = int(groups[g].extents.size()), buffers = int(group.buffers.size());
        invariant(groups[g].strides.size() == size_t(rank) * size_t(buffers), "strides for every buffer of a group");
        int64_t points = point_count(groups[g].extents);
        if (points < 0) return -1;
        int64_t* extents = p.data() + at;
        int64_t* strides = extents + rank;
        std::copy(groups[g].extents.begin(), groups[g].extents.end(), extents);
        std::copy(groups[g].strides.begin(), groups[g].strides.end(), strides);
        int kept = points == 0 ? 0 : group.keep_axes ? rank : collapse(rank, buffers, extents, strides);
        if (kept > max_group_rank) return -1;
        if (kept == 0) {                      // one point, or none: a single axis that no buffer moves along
            kept = 1;
            extents[0] = points;
            std::fill_n(extents + 1, buffers, 0);
        } else {
            std::copy(strides, strides + kept * buffers, extents + kept);
        }
        for (int b = 0; b < buffers; ++b) {
            int64_t size = size_of(layout.buffers[group.buffers[size_t(b)]]);
            for (int i = 0; i < kept; ++i) extents[kept + b * kept + i] *= size;
        }
        int64_t* header = p.data() + layout.group_slot(g);
        header[0] = group.keep_axes && rank == 0 ? 0 : kept;     // the table always has an axis
        header[1] = at;
        header[2] = points;
        at += kept * (1 + buffers);
    }
    fill_grid(layout, p);
    return at;
}
} // namespace nereus
