// base/id.h - typed indices: an id of one table never converts to an id of another.
#pragma once
#include <compare>
#include <cstdint>
#include <functional>

namespace nereus {
template <class Tag> struct Id {
    uint32_t index = UINT32_MAX;
    constexpr Id() = default;
    constexpr explicit Id(size_t i) : index(uint32_t(i)) {}
    constexpr bool valid() const { return index != UINT32_MAX; }
    constexpr auto operator<=>(const Id&) const = default;
};
} // namespace nereus

template <class Tag> struct std::hash<nereus::Id<Tag>> {
    size_t operator()(nereus::Id<Tag> id) const noexcept { return std::hash<uint32_t>()(id.index); }
};
