// pack/pack.h - places buffers in bytes; used by peak() and by a plan miss alike.
#pragma once
#include "base/result.h"
#include <cstdint>
#include <span>

namespace nereus {
inline constexpr int64_t slot_alignment = 64;

struct PackBuffer {
    int64_t size = 0;                        // bytes; known by now
    uint32_t first = 0, last = 0;            // alive from step first to step last, both included
    bool low = false;                        // alive across a call: placed first, so that callees start early
    std::span<const uint32_t> more = {};     // alive again: first, last, first, last, …; ascending

    bool alive_at(uint32_t step) const;
};
enum class PackMode : uint8_t {
    packed,                                  // several orders, each buffer at the lowest place that is free for its lifetime
    apart,                                   // every buffer on its own; this and the next: what planning is compared with
    pool,                                    // in order of birth, as an allocator that does not know what comes
};

// Gives every buffer an offset, a multiple of slot_alignment; returns the bytes needed. Buffers alive at the same time
// never overlap. `order` is scratch. All three spans have one length.
Result<int64_t> pack(std::span<const PackBuffer> buffers, PackMode mode, std::span<int64_t> offsets,
                     std::span<uint32_t> order);

// The largest sum of bytes alive at one step: no packing can be smaller.
int64_t max_live(std::span<const PackBuffer> buffers);
} // namespace nereus
