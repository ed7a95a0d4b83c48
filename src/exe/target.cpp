#include "exe/artefact.h"

namespace nereus {
Status check_target(std::string_view target) {
    struct Feature { int level; std::string_view name; bool here; };
    const Feature features[] = {                         // cx16 of level 2 has no name that both compilers know
        {2, "popcnt", bool(__builtin_cpu_supports("popcnt"))},
        {2, "sse3", bool(__builtin_cpu_supports("sse3"))},
        {2, "ssse3", bool(__builtin_cpu_supports("ssse3"))},
        {2, "sse4.1", bool(__builtin_cpu_supports("sse4.1"))},
        {2, "sse4.2", bool(__builtin_cpu_supports("sse4.2"))},
        {3, "avx", bool(__builtin_cpu_supports("avx"))},
        {3, "avx2", bool(__builtin_cpu_supports("avx2"))},
        {3, "bmi", bool(__builtin_cpu_supports("bmi"))},
        {3, "bmi2", bool(__builtin_cpu_supports("bmi2"))},
        {3, "f16c", bool(__builtin_cpu_supports("f16c"))},
        {3, "fma", bool(__builtin_cpu_supports("fma"))},
        {3, "lzcnt", bool(__builtin_cpu_supports("lzcnt"))},
        {3, "movbe", bool(__builtin_cpu_supports("movbe"))},
        {4, "avx512f", bool(__builtin_cpu_supports("avx512f"))},
        {4, "avx512bw", bool(__builtin_cpu_supports("avx512bw"))},
        {4, "avx512cd", bool(__builtin_cpu_supports("avx512cd"))},
        {4, "avx512dq", bool(__builtin_cpu_supports("avx512dq"))},
        {4, "avx512vl", bool(__builtin_cpu_supports("avx512vl"))},
    };
    int level = target == "x86-64"      ? 1
                : target == "x86-64-v2" ? 2
                : target == "x86-64-v3" ? 3
                : target == "x86-64-v4" ? 4
                                        : 0;
    if (level == 0)
        return Error{Code::mismatch, "the program was compiled for '" + std::string(target) +
                                         "', which this runtime does not know"};
    std::string missing;
    for (const Feature& feature : features)
        if (feature.level <= level && !feature.here)
            missing += (missing.empty() ? "" : ", ") + std::string(feature.name);
    if (missing.empty()) return {};
    return Error{Code::mismatch,
                 "the program was compiled for " + std::string(target) + ", and this CPU lacks " + missing,
                 {},
                 "compile it for an older target, for example x86-64-v2"};
}
} // namespace nereus
