// ir/decision.h - what a stage could have done and has not: `nereus opt` shows it.
#pragma once
#include <string>
#include <vector>

namespace nereus {
struct Decision { std::string stage, value, why; };
using Decisions = std::vector<Decision>;
} // namespace nereus
