// dim/relation.h - how two sizes are compared, in facts, checks and instructions alike.
#pragma once
#include <cstdint>
#include <string>

namespace nereus {
// compatible: equal, or one of them is 1. The order is stored in artefacts: append only.
enum class Relation : uint8_t { equal, not_equal, less, less_equal, greater, greater_equal, compatible };

constexpr bool holds(Relation relation, int64_t a, int64_t b) {
    switch (relation) {
    case Relation::equal: return a == b;
    case Relation::not_equal: return a != b;
    case Relation::less: return a < b;
    case Relation::less_equal: return a <= b;
    case Relation::greater: return a > b;
    case Relation::greater_equal: return a >= b;
    case Relation::compatible: return a == b || a == 1 || b == 1;
    }
    return false;
}

// What a check says is compared; of `where compatible(n, m)` it adds what is asked for, as no sign says it.
inline std::string compared(std::string what, Relation relation) {
    return relation == Relation::compatible && what.ends_with(": where") ? what + ": sizes that must be equal or 1" : what;
}
} // namespace nereus
