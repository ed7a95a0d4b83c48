#include "vm/region_plan.h"
#include <algorithm>

namespace nereus {
namespace {
int64_t read(const IntSource& source, std::span<const int64_t> plan_values, std::span<const uint64_t> registers) {
    switch (source.kind) {
    case IntSource::Kind::constant: return source.value;
    case IntSource::Kind::plan: return plan_values[size_t(source.value)];
    case IntSource::Kind::reg: return registers.empty() ? 0 : int64_t(registers[size_t(source.value)]);
    }
    return 0;
}
} // namespace

int64_t bind_params(const LaunchInfo& launch, const KernelInfo& kernel, std::span<const int64_t> plan_values,
                    std::span<const uint64_t> registers, std::span<int64_t> p, int64_t& scratch) {
    constexpr size_t room = 512;                         // numbers of all groups; more spill to the heap
    int64_t fixed[room];
    std::vector<int64_t> spilled;
    size_t needed = launch.scalars.size();
    for (const LaunchGroup& group : launch.groups) needed += group.extents.size() + group.strides.size();
    int64_t* numbers = fixed;
    if (needed > room) spilled.resize(needed), numbers = spilled.data();

    GroupShape shapes[16];
    invariant(launch.groups.size() <= 16, "a kernel has at most 16 groups");
    size_t used = 0;
    auto put = [&](const std::vector<IntSource>& sources) {
        size_t begin = used;
        for (const IntSource& source : sources) numbers[used++] = read(source, plan_values, registers);
        return std::span<const int64_t>(numbers + begin, used - begin);
    };
    for (size_t g = 0; g < launch.groups.size(); ++g) {
        std::span<const int64_t> extents = put(launch.groups[g].extents);
        for (int64_t extent : extents)
            if (extent < 0) return plan_values.empty() ? -1 : p[0] = 0;      // as above: nothing to run
        shapes[g] = GroupShape{extents, put(launch.groups[g].strides)};
    }
    std::span<const int64_t> scalars = put(launch.scalars);
    if (fill_params(kernel.layout, std::span(shapes, launch.groups.size()), scalars, p) < 0) return -1;
    if (launch.scratch < 0) scratch = std::max(scratch, kernel.scratch);
    return p[0];
}

void RegionPlan::bind_arena(std::byte* at) {
    arena = at;
    for (auto [buffer, slot] : slot_buffers) buffers[buffer] = at + slot_offsets[slot];
    for (auto [launch, slot] : scratch_slots) launches[launch].scratch = at + slot_offsets[slot];
}

Result<Placement> place_slots(const RegionInfo& region, std::span<const int64_t> values, PackMode mode) {
    Placement placed;
    size_t count = region.slots.size();
    std::vector<PackBuffer> buffers(count);
    std::vector<uint32_t> order(count);
    placed.slot_offsets.resize(count);
    for (size_t i = 0; i < count; ++i) {
        const SlotInfo& slot = region.slots[i];
        int64_t size = read(slot.bytes, values, {});
        size = std::max<int64_t>(size, 0);               // of an arm that does not run: a check there refuses it
        buffers[i] = PackBuffer{size, slot.first, slot.last, false, slot.more};
        for (uint32_t step : region.prefixes) buffers[i].low |= buffers[i].alive_at(step);
        placed.slot_bytes.push_back(size);
    }
    placed.arena_bytes = TRY(pack(buffers, mode, placed.slot_offsets, order));
    for (uint32_t step : region.prefixes) {
        int64_t end = 0;
        for (size_t i = 0; i < count; ++i)
            if (buffers[i].alive_at(step))
                end = std::max(end, placed.slot_offsets[i] + buffers[i].size);
        placed.prefixes.push_back((end + slot_alignment - 1) / slot_alignment * slot_alignment);
    }
    return placed;
}

Result<std::unique_ptr<RegionPlan>> make_region_plan(const LoadedExecutable& loaded, const RegionInfo& region,
                                                     std::span<const int64_t> key, std::span<const int64_t> values,
                                                     PackMode mode) {
    const Executable& exe = loaded.exe();
    auto plan = std::make_unique<RegionPlan>();
    plan->region = &region;
    plan->key.assign(key.begin(), key.end());
    Placement placed = TRY(place_slots(region, values, mode));
    plan->arena_bytes = placed.arena_bytes;
    plan->slot_offsets = std::move(placed.slot_offsets);
    plan->slot_bytes = std::move(placed.slot_bytes);
    plan->prefixes = std::move(placed.prefixes);

    // first the sizes of all blocks, so that the vectors do not move while launches point into them
    size_t buffer_total = 0, param_total = 0;
    std::vector<int32_t> ranks;
    for (const std::vector<uint32_t>& list : region.lists)
        for (uint32_t index : list) {
            const LaunchInfo& launch = exe.launches[index];
            ranks.clear();
            for (const LaunchGroup& group : launch.groups) ranks.push_back(int32_t(group.extents.size()));
            buffer_total += launch.buffers.size();
            param_total += size_t(param_slots(exe.kernels[launch.kernel].layout, ranks));
        }
    plan->buffers.resize(buffer_total);
    plan->bytes.resize(buffer_total);
    plan->params.resize(param_total);

    size_t buffer_at = 0, param_at = 0;
    for (const std::vector<uint32_t>& list : region.lists) {
        plan->list_begin.push_back(uint32_t(plan->launches.size()));
        for (uint32_t index : list) {
            const LaunchInfo& launch = exe.launches[index];
            const KernelInfo& kernel = exe.kernels[launch.kernel];
            ranks.clear();
            for (const LaunchGroup& group : launch.groups) ranks.push_back(int32_t(group.extents.size()));
            size_t slots = size_t(param_slots(kernel.layout, ranks));
            std::span<int64_t> p(plan->params.data() + param_at, slots);
            int64_t tasks = bind_params(launch, kernel, values, {}, p, plan->scratch_bytes);
            if (tasks < 0) return Error{Code::shape, "the sizes of a tensor overflow or are negative"};

            uint32_t patch_begin = uint32_t(plan->patches.size());
            for (size_t b = 0; b < launch.buffers.size(); ++b) {
                const LaunchBuffer& buffer = launch.buffers[b];
                uint32_t at = uint32_t(buffer_at + b);
                plan->bytes[at] = read(buffer.bytes, values, {});
                switch (buffer.kind) {
                case LaunchBuffer::Kind::slot: plan->slot_buffers.emplace_back(at, buffer.index); break;
                case LaunchBuffer::Kind::address: plan->patches.push_back({Patch::Kind::address, at, buffer.index}); break;
                case LaunchBuffer::Kind::object: plan->patches.push_back({Patch::Kind::object, at, buffer.index}); break;
                case LaunchBuffer::Kind::texts: plan->buffers[at] = const_cast<Text*>(loaded.texts() + buffer.index); break;
                case LaunchBuffer::Kind::weights:
                    plan->buffers[at] = const_cast<std::byte*>(exe.weights[buffer.index].data());
                    break;
                }
            }
            for (size_t s = 0; s < launch.scalars.size(); ++s)
                if (launch.scalars[s].kind == IntSource::Kind::reg)
                    plan->patches.push_back({Patch::Kind::param, uint32_t(param_at + size_t(kernel.layout.scalar_slot(s))),
                                             uint32_t(launch.scalars[s].value)});
            BoundLaunch bound{loaded.kernel(launch.kernel), tasks, {}, patch_begin, uint32_t(plan->patches.size()), index, nullptr};
            if (launch.scratch >= 0) plan->scratch_slots.emplace_back(uint32_t(plan->launches.size()), uint32_t(launch.scratch));
            bound.launch.buf = plan->buffers.data() + buffer_at;
            bound.launch.p = p.data();
            bound.launch.bytes = plan->bytes.data() + buffer_at;
            bound.launch.about = loaded.about(launch.kernel);
            plan->launches.push_back(bound);
            buffer_at += launch.buffers.size();
            param_at += slots;
        }
    }
    plan->list_begin.push_back(uint32_t(plan->launches.size()));
    return plan;
}
} // namespace nereus
