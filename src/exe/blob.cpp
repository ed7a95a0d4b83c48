#include "exe/blob.h"
#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <utility>

namespace nereus {
namespace {
Error map_error(const char* verb) {
    return Error{Code::memory, std::string("cannot ") + verb + " memory for machine code: " + std::strerror(errno)};
}
} // namespace

Result<CodeBlob> CodeBlob::map(std::span<const std::byte> bytes) {
    if (bytes.empty()) return Error{Code::corrupt, "the code blob is empty"};
    void* pages = ::mmap(nullptr, bytes.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return map_error("map");
    CodeBlob blob(static_cast<std::byte*>(pages), bytes.size());
    std::memcpy(pages, bytes.data(), bytes.size());
    if (::mprotect(pages, bytes.size(), PROT_READ | PROT_EXEC) != 0) return map_error("protect");
    return blob;
}

CodeBlob::CodeBlob(CodeBlob&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), size_(std::exchange(other.size_, 0)) {}

CodeBlob& CodeBlob::operator=(CodeBlob&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(size_, other.size_);
    return *this;
}

CodeBlob::~CodeBlob() {
    if (base_) ::munmap(base_, size_);
}

Kernel CodeBlob::entry(size_t offset) const {
    invariant(offset < size_, "an entry lies inside its blob");
    return reinterpret_cast<Kernel>(base_ + offset);
}
} // namespace nereus
