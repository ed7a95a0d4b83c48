// api/cancel_token.h - a flag that any number of calls watch.
#pragma once
#include "nereus/nereus.h"
#include <atomic>

struct nereus_cancel_token {
    mutable std::atomic<int64_t> owners = 1;
    std::atomic<int32_t> triggered = 0;      // lock-free: a signal handler may set it
    static_assert(std::atomic<int32_t>::is_always_lock_free);
};
