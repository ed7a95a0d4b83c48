// base/invariant.h - our own mistakes. Never for anything an input should cause. Whoever may be stopped at any point
// says so by `guarded`, and gets an error; elsewhere, as in a running program, the place is printed and the process ends.
#pragma once
#include "base/error.h"
#include <source_location>

namespace nereus {
[[noreturn]] void invariant_failed(const char* what, std::source_location where);

inline void invariant(bool holds, const char* what, std::source_location where = std::source_location::current()) {
    if (!holds) [[unlikely]] invariant_failed(what, where);
}

struct BrokenInvariant { Error error; };

class InvariantGuard {                                   // of this thread
 public:
    InvariantGuard();
    ~InvariantGuard();
    InvariantGuard(const InvariantGuard&) = delete;
};

// `work` changes nothing that outlives it but what it returns, a Result or Status.
template <class Work> auto guarded(Work&& work) -> decltype(work()) {
    InvariantGuard guard;
    try {
        return work();
    } catch (BrokenInvariant& broken) { return std::move(broken.error); }
}
} // namespace nereus
