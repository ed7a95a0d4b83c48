#include "base/held_bytes.h"
#include <cstring>
#include <new>

namespace nereus {
HeldBytes HeldBytes::copy_of(std::span<const std::byte> bytes) {
    constexpr std::align_val_t place{alignment};
    auto* memory = static_cast<std::byte*>(::operator new(bytes.size() + 1, place));       // of nothing, too, an address
    std::shared_ptr<const std::byte> held(memory, [](std::byte* at) { ::operator delete(at, place); });
    if (!bytes.empty()) std::memcpy(memory, bytes.data(), bytes.size());
    return {std::move(held), bytes.size()};
}

bool HeldBytes::operator==(const HeldBytes& other) const {
    return size_ == other.size_ && (size_ == 0 || data() == other.data() || std::memcmp(data(), other.data(), size_) == 0);
}
} // namespace nereus
