#include "import/forest.h"
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>

namespace nereus::onnx {
namespace {
// Where less, equal, greater and missing lead.
std::array<int64_t, 4> ways(const TreeNode& n) {
    const int64_t yes = n.if_true, no = n.if_false, missing = n.missing_is_true ? yes : no;
    switch (n.branch) {
    case Branch::at_most: return {yes, yes, no, missing};
    case Branch::less: return {yes, no, no, missing};
    case Branch::at_least: return {no, yes, yes, missing};
    case Branch::greater: return {no, no, yes, missing};
    case Branch::equal: return {no, yes, no, missing};
    case Branch::member: return {no, no, no, missing}; // of nothing
    case Branch::not_equal: return {yes, no, yes, missing};
    case Branch::leaf: break;
    }
    return {};
}

// A set becomes a row of nodes: each asks for one member, and the last one goes where none is left to go. What is empty stays.
void take_sets_apart(std::vector<TreeNode>& nodes) {
    for (size_t i = 0, count = nodes.size(); i < count; ++i) {
        const std::vector<double> members = std::exchange(nodes[i].members, {});
        const TreeNode set = nodes[i];
        size_t at = i;
        for (size_t member = 0; member < members.size(); ++member) {
            nodes[at].branch = Branch::equal;
            nodes[at].split = members[member];
            if (member + 1 == members.size()) break;
            nodes[at].if_false = std::ssize(nodes);
            at = nodes.size();
            nodes.push_back(set);
        }
    }
}

class Depths {
 public:
    explicit Depths(const Forest& forest) : forest_(forest), depth_(forest.features.size(), unseen) {}

    // Absent: a way leads back to itself. Without recursion, as trees may be as deep as a file can say.
    std::optional<int64_t> from(int64_t root) {
        std::vector<int64_t> path = {root};
        while (!path.empty()) {
            const size_t at = size_t(path.back());
            if (depth_[at] >= 0) {
                path.pop_back();
                continue;
            }
            if (depth_[at] == unseen) {
                depth_[at] = open;
                for (size_t way = 0; way < 4; ++way) {
                    const int64_t next = forest_.next[4 * at + way];
                    if (next == int64_t(at)) continue;                 // a leaf
                    if (depth_[size_t(next)] == open) return std::nullopt;
                    if (depth_[size_t(next)] == unseen) path.push_back(next);
                }
                continue;
            }
            int64_t depth = 0;
            for (size_t way = 0; way < 4; ++way) {
                const int64_t next = forest_.next[4 * at + way];
                if (next != int64_t(at)) depth = std::max(depth, depth_[size_t(next)] + 1);
            }
            depth_[at] = depth;
            path.pop_back();
        }
        return depth_[size_t(root)];
    }

 private:
    static constexpr int64_t unseen = -2, open = -1;
    const Forest& forest_;
    std::vector<int64_t> depth_;
};
} // namespace

Result<Forest> forest_of(std::vector<TreeNode> nodes, const std::vector<int64_t>& roots) {
    take_sets_apart(nodes);
    Forest forest;
    const int64_t count = std::ssize(nodes);
    auto is_node = [&](int64_t node) { return node >= 0 && node < count; };
    for (int64_t i = 0; i < count; ++i) {
        const TreeNode& node = nodes[size_t(i)];
        const bool is_leaf = node.branch == Branch::leaf;
        if (!is_leaf && (!is_node(node.if_true) || !is_node(node.if_false) || node.if_true == i || node.if_false == i || node.feature < 0))
            return Error{Code::unsupported, "node " + std::to_string(i) + " of its trees leads to no other node, or asks for feature " + std::to_string(node.feature)};
        for (int64_t next : is_leaf ? std::array<int64_t, 4>{i, i, i, i} : ways(node)) forest.next.push_back(next);
        forest.features.push_back(is_leaf ? 0 : node.feature);
        forest.splits.push_back(is_leaf ? 0 : node.split);
    }
    Depths depths(forest);
    for (int64_t root : roots) {
        const std::optional<int64_t> depth = is_node(root) ? depths.from(root) : std::nullopt;
        if (!depth) return Error{Code::unsupported, "node " + std::to_string(root) + " is the root of no tree"};
        forest.depth = std::max(forest.depth, *depth);
    }
    return forest;
}
} // namespace nereus::onnx
