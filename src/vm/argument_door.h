// vm/argument_door.h - values become arguments: matched against the entry's declared types, they are numbers, addresses and
// objects; the extents found on the way are the door sizes from which the entry solves its dims.
#pragma once
#include "value/value.h"
#include "vm/heap.h"
#include "vm/loaded.h"

namespace nereus {
class ArgumentDoor {
 public:
    // `words` become the registers that the entry's function begins with: door sizes, then a word per leaf.
    ArgumentDoor(const LoadedExecutable& program, const EntryInfo& entry, Heap& heap, std::vector<uint64_t>& words);
    Status take(std::span<const Value> args);
    Status take(std::span<const HostTensor> args);       // for an entry all of whose parameters are tensors

 private:
    struct Take;
    const LoadedExecutable& program_;
    const EntryInfo& entry_;
    Heap& heap_;
    std::vector<uint64_t>& words_;
};
// What is shared crosses the door once per type: another type looks at other dtypes and sizes.
struct DoorPlace {
    const void *at, *binder = nullptr, *shared = nullptr;
    uint32_t type = 0;
    bool operator==(const DoorPlace&) const = default;
};
struct DoorPlaceHash {
    size_t operator()(const DoorPlace& place) const {
        return (uintptr_t(place.at) ^ (uintptr_t(place.binder) * 31) ^ (uintptr_t(place.shared) * 37) ^ place.type) * 0x9e3779b97f4a7c15 >> 8;
    }
};
} // namespace nereus
