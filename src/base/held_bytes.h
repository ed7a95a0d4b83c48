// base/held_bytes.h - bytes that nobody changes, with whoever keeps them alive: memory of their own, or a part of a mapped
// file. Copies share.
#pragma once
#include <cstddef>
#include <memory>
#include <span>

namespace nereus {
class HeldBytes {
 public:
    static constexpr size_t alignment = 64;              // of memory of their own

    HeldBytes() = default;
    HeldBytes(std::shared_ptr<const std::byte> first, size_t count) : first_(std::move(first)), size_(count) {}
    static HeldBytes copy_of(std::span<const std::byte> bytes);

    const std::byte* data() const { return first_.get(); }
    size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    std::span<const std::byte> bytes() const { return {data(), size_}; }
    HeldBytes part(size_t offset, size_t count) const { return {{first_, data() + offset}, count}; }     // inside these
    bool operator==(const HeldBytes& other) const;       // the same bytes, wherever they are

 private:
    std::shared_ptr<const std::byte> first_;
    size_t size_ = 0;
};
} // namespace nereus
