#include "exe/cpu.h"

namespace nereus {
int cpu_level() {
    if (__builtin_cpu_supports("x86-64-v4")) return 4;
    if (__builtin_cpu_supports("x86-64-v3")) return 3;
    if (__builtin_cpu_supports("x86-64-v2")) return 2;
    return 1;
}
} // namespace nereus
