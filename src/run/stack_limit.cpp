#include "run/stack_limit.h"
#include <string>
#include <sys/resource.h>

namespace nereus {
Status enough_stack() {
    constexpr rlim_t least = rlim_t(512) << 10;          // enough for all that is tested, values a million deep among it
    rlimit limit{};
    if (::getrlimit(RLIMIT_STACK, &limit) != 0 || limit.rlim_cur >= least) return {};
    return Error{Code::limit,
                 "the stack may have " + std::to_string(limit.rlim_cur >> 10) + " kB, which is too small",
                 {},
                 "allow at least " + std::to_string(least >> 10) + " kB: ulimit -s " + std::to_string(least >> 10)};
}
} // namespace nereus
