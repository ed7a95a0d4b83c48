// vm/loaded.h - an executable ready to run: verified, its code mapped, its kernels resolved. Shared and immutable.
#pragma once
#include "exe/executable.h"
#include "plugin/plugin.h"
#include "tensor/texts.h"

namespace nereus {
class LoadedExecutable {
 public:
    // The one loading path, for compiled programs and artefacts alike. Kernels that are not in the program's own code
    // are taken from the library, by index, or from operators that were registered; one that is not there is a mismatch.
    static Result<std::shared_ptr<const LoadedExecutable>> load(Executable executable, std::span<const Kernel> library = {});

    ~LoadedExecutable();
    const Executable& exe() const { return exe_; }
    const Text* texts() const { return texts_.data(); }  // its text constants, held
    Kernel kernel(uint32_t index) const { return kernels_[index]; }
    const void* about(uint32_t kernel) const { return about_[kernel]; }  // what a launch of it carries
    int64_t max_params() const { return max_params_; }   // of a launch whose parameters come from registers
    size_t max_buffers() const { return max_buffers_; }
    bool reads_bound(uint32_t door_type) const { return reads_bound_[door_type]; }   // of a constructor around it
    bool reads_shared(uint32_t door_type) const { return reads_shared_[door_type]; } // sizes of an object around it
    const EntryInfo* find_entry(std::string_view name) const;        // null: none of that name
    const Site& site_at(const Instruction* at) const;                // whom to blame for a fault there

 private:
    LoadedExecutable(Executable exe, std::shared_ptr<const CodeBlob> code) : exe_(std::move(exe)), code_(std::move(code)) {}
    void find_readers();
    Executable exe_;
    std::shared_ptr<const CodeBlob> code_;   // null: the program has no kernels of its own
    std::vector<Kernel> kernels_;
    std::vector<Text> texts_;
    std::vector<const void*> about_;         // per kernel; null but for those from outside
    std::vector<std::unique_ptr<const PluginKernel>> outside_;
    std::vector<bool> reads_bound_, reads_shared_;
    int64_t max_params_ = 0;
    size_t max_buffers_ = 0;
};
} // namespace nereus
