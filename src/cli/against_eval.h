// cli/against_eval.h - a model, compiled once, against the interpreter at random sizes and values.
#pragma once
#include "cli/find_difference.h"
#include "cli/recorded_check.h"

namespace nereus {
struct AgainstEval {
    HowToCompile how;
    uint64_t seed = 0;
    int64_t runs = 10;                       // that are compared
    double seconds = 60;                     // of CPU, after which no other run begins
    std::function<void(Nearness&)> adjust;
    std::filesystem::path differences;       // a folder in here for each model that differs
    std::function<void(int64_t done)> progress = {};      // told how many inputs have been compared
};
struct AgainstTally {
    int64_t compared = 0;
    int64_t refused = 0;                     // both ways: an input that the model does not take
    int64_t by_l2 = 0;                       // right as vectors only
    int64_t by_rounding = 0;                 // far apart, and so is eval from itself where weights are off by a last bit
    std::string difference;                  // empty: none
};
Result<AgainstTally> check_against_eval(const ModelPlace& place, const AgainstEval& against);
} // namespace nereus
