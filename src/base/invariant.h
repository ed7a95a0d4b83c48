// base/invariant.h - our own mistakes: prints the place and aborts. Never for anything an input can cause.
#pragma once
#include <source_location>

namespace nereus {
[[noreturn]] void invariant_failed(const char* what, std::source_location where);

inline void invariant(bool holds, const char* what, std::source_location where = std::source_location::current()) {
    if (!holds) [[unlikely]] invariant_failed(what, where);
}
} // namespace nereus
