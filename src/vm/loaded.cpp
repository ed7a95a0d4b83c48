#include "vm/loaded.h"
#include "exe/verify.h"
#include <algorithm>

namespace nereus {
Result<std::shared_ptr<const LoadedExecutable>> LoadedExecutable::load(Executable executable) {
    TRY(verify(executable));
    CodeBlob code = TRY(CodeBlob::map(executable.blob));
    auto loaded = std::shared_ptr<LoadedExecutable>(new LoadedExecutable(std::move(executable), std::move(code)));
    const Executable& exe = loaded->exe_;
    for (const KernelInfo& kernel : exe.kernels) {
        loaded->kernels_.push_back(loaded->code_.entry(kernel.offset));
        loaded->scratch_bytes_ = std::max(loaded->scratch_bytes_, kernel.scratch);
    }
    std::vector<int32_t> ranks;
    for (const LaunchInfo& launch : exe.launches) {
        ranks.clear();
        for (const LaunchGroup& group : launch.groups) ranks.push_back(int32_t(group.extents.size()));
        loaded->max_params_ = std::max(loaded->max_params_, param_slots(exe.kernels[launch.kernel].layout, ranks));
        loaded->max_buffers_ = std::max(loaded->max_buffers_, launch.buffers.size());
    }
    return std::shared_ptr<const LoadedExecutable>(std::move(loaded));
}

const EntryInfo* LoadedExecutable::find_entry(std::string_view name) const {
    for (const EntryInfo& entry : exe_.entries)
        if (entry.name == name) return &entry;
    return nullptr;
}

const Site& LoadedExecutable::site_at(const Instruction* at) const {
    uint32_t index = uint32_t(at - exe_.code.data());
    auto after = std::upper_bound(exe_.marks.begin(), exe_.marks.end(), index,
                                  [](uint32_t i, const PlaceMark& mark) { return i < mark.instruction; });
    static const Site nowhere;
    return after == exe_.marks.begin() ? nowhere : exe_.sites[(after - 1)->site];
}
} // namespace nereus
