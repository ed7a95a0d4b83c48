// generator/pairs.h - which constructs have been seen inside which.
#pragma once
#include "generator/program.h"

namespace nereus::gen {
struct Pairs {
    int64_t seen[construct_count][construct_count] = {};     // [outer][inner]
    void add(const Program& program);
};
// Pairs that no program can have, or that say nothing.
bool is_possible(Construct outer, Construct inner);
} // namespace nereus::gen
