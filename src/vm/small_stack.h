// vm/small_stack.h - runs a function on a thread with little native stack: recursion on depth of data would fail there.
#pragma once
#include "base/invariant.h"
#include <functional>
#include <pthread.h>

namespace nereus {
inline void on_small_stack(const std::function<void()>& body) {
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, 256 * 1024);
    pthread_t thread;
    auto start = [](void* at) -> void* { return (*static_cast<const std::function<void()>*>(at))(), nullptr; };
    int failed = pthread_create(&thread, &attributes, start, const_cast<std::function<void()>*>(&body));
    invariant(failed == 0, "a thread can be made");
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}
} // namespace nereus
