// exe/checksum.h - a 64-bit sum that finds damage, not malice. Changing any one word of the bytes changes it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace nereus {
// Of bytes that come piece by piece; how they are cut does not matter.
class Checksum {
 public:
    explicit Checksum(uint64_t seed = 0);
    void add(std::span<const std::byte> bytes);
    uint64_t sum() const;

 private:
    static constexpr size_t width = 32;
    void take(const std::byte* row);
    uint64_t lanes_[4];
    std::byte rest_[width];                                // what is not yet a whole row
    uint64_t total_ = 0;
};
uint64_t checksum(std::span<const std::byte> bytes, uint64_t seed = 0);
} // namespace nereus
