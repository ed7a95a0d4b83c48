#include "vm/range.h"
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace nereus {
namespace {
// The number after `name` in a small file of the kernel, or alone in it; nullopt: no such file or number.
std::optional<int64_t> kernel_number(const char* path, const char* name) {
    std::unique_ptr<FILE, int (*)(FILE*)> file(std::fopen(path, "r"), std::fclose);
    char line[256];
    while (file && std::fgets(line, sizeof line, file.get())) {
        size_t length = std::strlen(name);
        if (std::strncmp(line, name, length) != 0) continue;
        char* end = nullptr;
        long long number = std::strtoll(line + length, &end, 10);
        if (end != line + length) return number;
    }
    return std::nullopt;
}
} // namespace

int64_t available_memory() {
    int64_t bytes = int64_t(::sysconf(_SC_PHYS_PAGES)) * int64_t(::sysconf(_SC_PAGESIZE));
    if (std::optional<int64_t> free = kernel_number("/proc/meminfo", "MemAvailable:")) bytes = std::min(bytes, *free * 1024);
    std::optional<int64_t> most = kernel_number("/sys/fs/cgroup/memory.max", "");
    if (most) bytes = std::min(bytes, *most - kernel_number("/sys/fs/cgroup/memory.current", "").value_or(0));
    return std::max<int64_t>(bytes - bytes / 10, int64_t(1) << 20);
}

Result<AddressRange> AddressRange::reserve(int64_t limit) {
    int64_t page = ::sysconf(_SC_PAGESIZE);
    if (limit < page) limit = page;
    // NORESERVE: address space costs nothing, the limit above is ours to enforce
    void* at = ::mmap(nullptr, size_t(limit), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED)
        return Error{Code::memory, "cannot reserve " + std::to_string(limit) + " bytes of address space", {},
                     "set a lower memory limit"};
    return AddressRange(static_cast<std::byte*>(at), limit);
}

AddressRange::AddressRange(AddressRange&& other) noexcept
    : base_(std::exchange(other.base_, nullptr)), limit_(other.limit_), high_water_(other.high_water_), touched_(other.touched_) {}
AddressRange& AddressRange::operator=(AddressRange&& other) noexcept {
    std::swap(base_, other.base_), std::swap(limit_, other.limit_), std::swap(high_water_, other.high_water_), std::swap(touched_, other.touched_);
    return *this;
}
AddressRange::~AddressRange() {
    if (base_) ::munmap(base_, size_t(limit_));
}

void AddressRange::trim() {
    ::madvise(base_, size_t(limit_), MADV_DONTNEED);
    high_water_ = touched_ = 0;
}
} // namespace nereus
