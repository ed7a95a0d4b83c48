// vm/region_plan.h - a region planned for one key: where its slots lie and its launches, bound and ready to run.
#pragma once
#include "pack/pack.h"
#include "vm/loaded.h"

namespace nereus {
struct BoundLaunch {
    Kernel kernel;
    int64_t tasks;
    Launch launch;
    uint32_t patch_begin, patch_end;         // what comes from registers at every run
    uint32_t info;                           // which LaunchInfo
    void* scratch;                           // null: the context's own
};
struct Patch {
    enum class Kind : uint8_t { address, object, param } kind;
    uint32_t at;                             // index in `buffers` or `params`
    uint32_t reg;
};

struct RegionPlan {
    const RegionInfo* region = nullptr;
    std::vector<int64_t> key;
    int64_t arena_bytes = 0;
    int64_t scratch_bytes = 0;               // of the launch that needs most and has no slot for it
    std::vector<int64_t> slot_offsets;
    std::vector<int64_t> slot_bytes;
    std::vector<int64_t> prefixes;           // per call: where the callee's frame may begin
    std::vector<BoundLaunch> launches;       // of all lists, in order; lists[i] begins at list_begin[i]
    std::vector<uint32_t> list_begin;
    std::vector<Patch> patches;
    std::vector<void*> buffers;
    std::vector<int64_t> bytes, params;
    std::vector<std::pair<uint32_t, uint32_t>> slot_buffers;   // (index in `buffers`, slot): move with the arena
    std::vector<std::pair<uint32_t, uint32_t>> scratch_slots;  // (launch, slot): as well
    std::byte* arena = nullptr;              // what the addresses are bound to
    uint32_t pins = 0;                       // frames that stand on it
    uint64_t hash = 0;                       // the rest belongs to the plan cache
    RegionPlan *older = nullptr, *newer = nullptr;

    // Points the launches at an arena that begins here.
    void bind_arena(std::byte* at);
};

struct Placement {
    int64_t arena_bytes = 0;
    std::vector<int64_t> slot_offsets, slot_bytes, prefixes;   // as in RegionPlan
};
// `values` are the registers of the plan program after it ran. Fails when sizes overflow.
Result<Placement> place_slots(const RegionInfo& region, std::span<const int64_t> values, PackMode mode);

Result<std::unique_ptr<RegionPlan>> make_region_plan(const LoadedExecutable& loaded, const RegionInfo& region,
                                                     std::span<const int64_t> key, std::span<const int64_t> values,
                                                     PackMode mode);

// Fills the parameters of one launch. Returns tasks, or -1 if sizes overflow; raises `scratch` to what it needs
// besides its slots.
int64_t bind_params(const LaunchInfo& launch, const KernelInfo& kernel, std::span<const int64_t> plan_values,
                    std::span<const uint64_t> registers, std::span<int64_t> p, int64_t& scratch);
} // namespace nereus
