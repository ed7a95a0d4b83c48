// cli/find_difference.h - the first node of a model that gives something else compiled than interpreted, and a small model
// that shows it.
//
// Every node is run on what eval has there, so that no difference is that of another node. If all are right alone, it is what
// several of them become together: the shortest run of nodes that goes wrong is looked for, by halving.
#pragma once
#include "cli/both_ways.h"

namespace nereus {
struct FoundDifference {
    std::string nodes;                       // "Add 'fc1', node 17 of 301"
    std::string what;                        // "output 'y' at [0, 3]: found 2, expected 3"
    std::filesystem::path folder;            // model.onnx, check.json and a case, for `nereus check`
};
// Nothing: the difference is one that rounding decides, here and in every part. `folder` is made, or replaced.
Result<std::optional<FoundDifference>> find_difference(const onnx::ModelFile& file, const HowToCompile& how, std::span<const Value> args, const Nearness& near,
                                                       const std::filesystem::path& folder, std::mt19937_64& random);
} // namespace nereus
