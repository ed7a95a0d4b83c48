// vm/range.h - one reserved stretch of addresses per context: frames and arenas live on it like on a stack. It never
// moves, so addresses in bound launches stay right; pages are committed when first touched.
#pragma once
#include "base/result.h"
#include <cstddef>

namespace nereus {
// What the machine and its control group can still give, less a tenth: beyond that processes are killed.
int64_t available_memory();

class AddressRange {
 public:
    static Result<AddressRange> reserve(int64_t limit);         // bytes; more than that is refused by `ensure`
    AddressRange(AddressRange&& other) noexcept;
    AddressRange& operator=(AddressRange&& other) noexcept;
    ~AddressRange();

    std::byte* begin() const { return base_; }
    // True if that many bytes from the beginning may be used; remembers how high it went.
    bool ensure(int64_t bytes) {
        if (bytes > limit_) return false;
        if (bytes > high_water_) high_water_ = bytes;
        return true;
    }
    int64_t limit() const { return limit_; }
    int64_t high_water() const { return high_water_; }   // since the last reset_high_water
    void reset_high_water() { touched_ = kept(), high_water_ = 0; }
    int64_t kept() const { return touched_ > high_water_ ? touched_ : high_water_; }     // bytes that may have pages
    void trim();                                         // gives all pages back to the system

 private:
    AddressRange(std::byte* base, int64_t limit) : base_(base), limit_(limit) {}
    std::byte* base_ = nullptr;
    int64_t limit_ = 0, high_water_ = 0, touched_ = 0;
};
} // namespace nereus
