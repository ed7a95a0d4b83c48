#include "vm/loaded.h"
#include "exe/verify.h"
#include <algorithm>

namespace nereus {
Result<std::shared_ptr<const LoadedExecutable>> LoadedExecutable::load(Executable executable,
                                                                       std::span<const Kernel> library) {
    TRY(verify(executable));
    std::shared_ptr<const CodeBlob> code;
    if (!executable.blob.empty()) {
        code = std::make_shared<const CodeBlob>(TRY(CodeBlob::map(executable.blob.bytes())));
        executable.blob = HeldBytes({code, code->bytes().data()}, code->size());         // no second copy
    }
    auto loaded = std::shared_ptr<LoadedExecutable>(new LoadedExecutable(std::move(executable), std::move(code)));
    const Executable& exe = loaded->exe_;
    for (const KernelInfo& kernel : exe.kernels) {
        loaded->about_.push_back(nullptr);
        if (kernel.library && kernel.offset == KernelInfo::outside) {
            if (kernel.layout.groups.size() != 1) return Error{Code::corrupt, "a kernel from outside with groups of its own"};
            PluginKernel found = TRY(plugin_kernel(kernel.name, kernel.layout.buffers, kernel.layout.scalars));
            loaded->outside_.push_back(std::make_unique<const PluginKernel>(std::move(found)));
            loaded->about_.back() = loaded->outside_.back().get();
            loaded->kernels_.push_back(run_plugin_kernel);
            continue;
        }
        if (kernel.library && (kernel.offset >= library.size() || !library[kernel.offset]))
            return Error{Code::mismatch, "the program needs the library kernel \"" + kernel.name +
                                             "\", which this runtime does not have"};
        loaded->kernels_.push_back(kernel.library ? library[kernel.offset] : loaded->code_->entry(kernel.offset));
    }
    std::vector<Text> pool;
    for (const std::string& text : exe.texts) pool.push_back(intern(text));
    for (uint32_t place : exe.text_constants) loaded->texts_.push_back(pool[place]);
    hold(loaded->texts_);
    let_go(pool);
    std::vector<int32_t> ranks;
    for (const LaunchInfo& launch : exe.launches) {
        ranks.clear();
        for (const LaunchGroup& group : launch.groups) ranks.push_back(int32_t(group.extents.size()));
        loaded->max_params_ = std::max(loaded->max_params_,
                                       param_slots(exe.kernels[launch.kernel].layout, ranks));
        loaded->max_buffers_ = std::max(loaded->max_buffers_, launch.buffers.size());
    }
    loaded->find_readers();
    return std::shared_ptr<const LoadedExecutable>(std::move(loaded));
}

LoadedExecutable::~LoadedExecutable() { let_go(texts_); }

// A type reads sizes of what is around it if an axis of it does, or a field of it does and no other such sizes stand
// between: those that its own constructor binds, those that its own object shares.
void LoadedExecutable::find_readers() {
    const std::vector<DoorType>& types = exe_.door_types;
    auto readers = [&](auto reads, auto hides) {
        std::vector<std::vector<uint32_t>> holders(types.size());
        std::vector<bool> found(types.size(), false);
        std::vector<uint32_t> work;
        auto mark = [&](uint32_t type) {
            if (!found[type]) work.push_back(type);
            found[type] = true;
        };
        for (uint32_t i = 0; i < types.size(); ++i) {
            for (size_t k = 0; k < types[i].fields.size(); ++k)
                if (!hides(types[i], k))
                    for (uint32_t field : types[i].fields[k]) holders[field].push_back(i);
            for (int32_t axis : types[i].axes)
                if (reads(axis)) mark(i);
        }
        while (!work.empty()) {
            uint32_t type = work.back();
            work.pop_back();
            for (uint32_t holder : holders[type]) mark(holder);
        }
        return found;
    };
    constexpr int32_t shared = -2 - DoorType::shared_from;
    reads_bound_ = readers([](int32_t axis) { return axis < -1 && axis > shared; },
                           [](const DoorType& type, size_t k) { return !type.bound.empty() && type.bound[k] > 0; });
    reads_shared_ = readers([](int32_t axis) { return axis <= shared; }, [](const DoorType& type, size_t) { return type.shared > 0; });
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
