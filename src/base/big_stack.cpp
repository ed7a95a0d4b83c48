#include "base/big_stack.h"
#include <pthread.h>

namespace nereus {
Status on_big_stack(const std::function<void()>& work) {
#ifdef NEREUS_ADDRESS_SANITIZER
    constexpr size_t bytes = size_t(512) << 20;          // its frames are several times as large
#else
    constexpr size_t bytes = size_t(64) << 20;
#endif
    auto run = [](void* given) -> void* {
        (*static_cast<const std::function<void()>*>(given))();
        return nullptr;
    };
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    bool started = pthread_attr_setstacksize(&attributes, bytes) == 0 &&
                   pthread_create(&thread, &attributes, run, const_cast<std::function<void()>*>(&work)) == 0;
    pthread_attr_destroy(&attributes);
    if (!started) return Error{Code::memory, "no memory for a stack of 64 MB"};
    pthread_join(thread, nullptr);
    return {};
}
} // namespace nereus
