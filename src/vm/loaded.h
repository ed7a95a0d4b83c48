// vm/loaded.h - an executable ready to run: verified, its code mapped, its kernels resolved. Shared and immutable.
#pragma once
#include "exe/executable.h"

namespace nereus {
class LoadedExecutable {
 public:
    // The one loading path, for compiled programs and artefacts alike.
    static Result<std::shared_ptr<const LoadedExecutable>> load(Executable executable);

    const Executable& exe() const { return exe_; }
    Kernel kernel(uint32_t index) const { return kernels_[index]; }
    int64_t scratch_bytes() const { return scratch_bytes_; }
    int64_t max_params() const { return max_params_; }   // of a launch whose parameters come from registers
    size_t max_buffers() const { return max_buffers_; }
    const EntryInfo* find_entry(std::string_view name) const;        // null: none of that name
    const Site& site_at(const Instruction* at) const;                // whom to blame for a fault there

 private:
    LoadedExecutable(Executable exe, CodeBlob code) : exe_(std::move(exe)), code_(std::move(code)) {}
    Executable exe_;
    CodeBlob code_;
    std::vector<Kernel> kernels_;
    int64_t scratch_bytes_ = 0, max_params_ = 0;
    size_t max_buffers_ = 0;
};
} // namespace nereus
