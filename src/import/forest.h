// import/forest.h - trees of decisions as tables. At a node the feature is less than, equal to or greater than the split, or
// missing: each of the four leads to a node of its own, and a leaf leads to itself. So one step of all trees is a few gathers,
// and as many steps as the deepest tree has levels end at leaves.
#pragma once
#include "base/result.h"
#include <string_view>
#include <vector>

namespace nereus::onnx {
enum class Branch : uint8_t { at_most, less, at_least, greater, equal, not_equal, member, leaf };     // in ONNX's order

struct TreeNode {
    Branch branch = Branch::leaf;
    int64_t feature = 0;
    double split = 0;
    bool missing_is_true = false;
    int64_t if_true = 0, if_false = 0;                 // nodes
    std::vector<double> members = {};                  // of branch member: true if the feature is one of these
};

struct Forest {
    std::vector<int64_t> features, next;               // next: four per node
    std::vector<double> splits;
    int64_t depth = 0;                                 // steps from a root to the farthest leaf
};

// Nodes keep their numbers; others may come after them. Refuses ways that lead to no node, or round in a circle.
Result<Forest> forest_of(std::vector<TreeNode> nodes, const std::vector<int64_t>& roots);
} // namespace nereus::onnx
