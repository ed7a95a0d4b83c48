// exe/blob.h - machine code in memory: written once, then executable and never writable again.
#pragma once
#include "base/result.h"
#include "tensor/kernel.h"
#include <cstddef>
#include <span>

namespace nereus {
class CodeBlob {
 public:
    // Copies position-independent code to fresh pages. The bytes may come from the compiler or from an artefact.
    static Result<CodeBlob> map(std::span<const std::byte> bytes);
    CodeBlob(CodeBlob&& other) noexcept;
    CodeBlob& operator=(CodeBlob&& other) noexcept;
    ~CodeBlob();

    Kernel entry(size_t offset) const;        // an offset the linker gave out
    size_t size() const { return size_; }
    std::span<const std::byte> bytes() const { return {base_, size_}; }

 private:
    CodeBlob(std::byte* base, size_t size) : base_(base), size_(size) {}
    std::byte* base_ = nullptr;
    size_t size_ = 0;
};
} // namespace nereus
