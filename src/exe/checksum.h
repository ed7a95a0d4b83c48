// exe/checksum.h - a 64-bit sum that finds damage, not malice. Changing any one word of the bytes changes it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace nereus {
uint64_t checksum(std::span<const std::byte> bytes, uint64_t seed = 0);
} // namespace nereus
