// Four lanes side by side, so that weights are read at the speed of memory; every step is a bijection of its lane.
#include "exe/checksum.h"
#include <bit>
#include <cstring>

namespace nereus {
uint64_t checksum(std::span<const std::byte> bytes, uint64_t seed) {
    constexpr uint64_t a = 0x9e3779b185ebca87, b = 0xc2b2ae3d27d4eb4f;
    uint64_t lanes[4] = {seed + a, seed + b, seed, seed - a};
    auto mix = [&](uint64_t lane, uint64_t word) { return std::rotl(lane ^ (word * b), 31) * a; };
    size_t at = 0;
    for (; at + 32 <= bytes.size(); at += 32) {
        uint64_t words[4];
        std::memcpy(words, bytes.data() + at, 32);
        for (int i = 0; i < 4; ++i) lanes[i] = mix(lanes[i], words[i]);
    }
    uint64_t sum = bytes.size();
    for (uint64_t lane : lanes) sum = mix(sum, lane);
    for (; at < bytes.size(); ++at) sum = mix(sum, uint64_t(bytes[at]) + 1);
    return sum ^ (sum >> 29);
}
} // namespace nereus
