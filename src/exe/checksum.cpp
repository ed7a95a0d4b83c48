// Four lanes side by side, so that weights are read at the speed of memory; every step is a bijection of its lane.
#include "exe/checksum.h"
#include <algorithm>
#include <bit>
#include <cstring>

namespace nereus {
namespace {
constexpr uint64_t a = 0x9e3779b185ebca87, b = 0xc2b2ae3d27d4eb4f;
uint64_t mix(uint64_t lane, uint64_t word) { return std::rotl(lane ^ (word * b), 31) * a; }
} // namespace

Checksum::Checksum(uint64_t seed) : lanes_{seed + a, seed + b, seed, seed - a}, rest_{} {}

void Checksum::take(const std::byte* row) {
    uint64_t words[4];
    std::memcpy(words, row, width);
    for (int i = 0; i < 4; ++i) lanes_[i] = mix(lanes_[i], words[i]);
}

void Checksum::add(std::span<const std::byte> bytes) {
    const size_t held = total_ % width;
    total_ += bytes.size();
    if (held > 0) {
        const size_t more = std::min(width - held, bytes.size());
        std::copy_n(bytes.data(), more, rest_ + held);
        bytes = bytes.subspan(more);
        if (held + more < width) return;
        take(rest_);
    }
    uint64_t lanes[4];                                     // in registers: a byte may be anywhere, even in our own
    std::copy_n(lanes_, 4, lanes);
    for (; bytes.size() >= width; bytes = bytes.subspan(width)) {
        uint64_t words[4];
        std::memcpy(words, bytes.data(), width);
        for (int i = 0; i < 4; ++i) lanes[i] = mix(lanes[i], words[i]);
    }
    std::copy_n(lanes, 4, lanes_);
    std::copy_n(bytes.data(), bytes.size(), rest_);
}

uint64_t Checksum::sum() const {
    uint64_t sum = total_;
    for (uint64_t lane : lanes_) sum = mix(sum, lane);
    for (size_t i = 0; i < total_ % width; ++i) sum = mix(sum, uint64_t(rest_[i]) + 1);
    return sum ^ (sum >> 29);
}

uint64_t checksum(std::span<const std::byte> bytes, uint64_t seed) {
    Checksum all(seed);
    all.add(bytes);
    return all.sum();
}
} // namespace nereus
