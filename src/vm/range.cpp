#include "vm/range.h"
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace nereus {
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
    : base_(std::exchange(other.base_, nullptr)), limit_(other.limit_), high_water_(other.high_water_) {}
AddressRange& AddressRange::operator=(AddressRange&& other) noexcept {
    std::swap(base_, other.base_), std::swap(limit_, other.limit_), std::swap(high_water_, other.high_water_);
    return *this;
}
AddressRange::~AddressRange() {
    if (base_) ::munmap(base_, size_t(limit_));
}

void AddressRange::trim(int64_t keep) {
    int64_t page = ::sysconf(_SC_PAGESIZE);
    keep = (keep + page - 1) / page * page;
    if (keep < limit_) ::madvise(base_ + keep, size_t(limit_ - keep), MADV_DONTNEED);
}
} // namespace nereus
