// Ensembles of trees of ai.onnx.ml. forest.h makes tables of the nodes, prelude/onnx/trees.nr walks along them.
#include "import/forest.h"
#include "import/host_data.h"
#include "import/scores.h"
#include <algorithm>
#include <map>
#include <set>

namespace nereus::onnx {
namespace {
struct Vote { int64_t node, target; double weight; };

// Numbers of an attribute that is a list, or a tensor under another name.
struct Numbers {
    std::vector<double> values;
    bool wide = false;                                 // f64, else they are f32
};
Numbers of_tensor(NodeText& n, const TensorData& data) {
    Numbers out{{}, data.type == ElemType::float64};
    const std::optional<DType> dtype = dtype_of(data.type);
    if (!dtype || !is_float(*dtype)) {
        n.refuse("a tensor among its attributes has elements that are " + std::string(onnx_type_name(data.type)));
        return out;
    }
    const Result<HostTensor> tensor = HostTensor::copy_of(*dtype, data.dims, data.bytes);
    if (!tensor) return n.refuse(tensor.error().message), out;
    with_number(*dtype, [&](auto zero) {
        for (auto element : tensor->data<decltype(zero)>()) out.values.push_back(double(element));
    });
    return out;
}
Numbers numbers(NodeText& n, const std::string& name) {
    if (n.attribute(name + "_as_tensor"))
        if (const TensorData* data = n.tensor(name + "_as_tensor")) return of_tensor(n, *data);
    Numbers out;
    for (float value : n.reals(name).value_or(std::vector<float>())) out.values.push_back(double(value));
    return out;
}
std::string split_table(NodeText& n, const std::vector<double>& splits, bool wide) {
    if (wide) return n.table("splits", {std::ssize(splits)}, splits);
    return n.table("splits", {std::ssize(splits)}, std::vector<float>(splits.begin(), splits.end()));
}

// (rows, targets): what the leaves say, together.
std::string votes(NodeText& n, const std::vector<TreeNode>& nodes, const std::vector<int64_t>& roots, bool wide_splits, const std::vector<Vote>& votes,
                  int64_t targets, int how) {
    const Result<Forest> forest = forest_of(nodes, roots);
    if (!forest) {
        n.refuse(forest.error().message);
        return "()";
    }
    std::vector<std::vector<const Vote*>> of_node(nodes.size());
    size_t most = 1;
    for (const Vote& vote : votes) {
        std::vector<const Vote*>& all = of_node[size_t(vote.node)];
        all.push_back(&vote);
        most = std::max(most, all.size());
    }
    constexpr size_t most_votes = size_t(1) << 27;     // 2 GiB of tables: a file of votes for one leaf alone must not take all memory
    if (nodes.size() > most_votes / most) {
        n.refuse("it has " + std::to_string(nodes.size()) + " nodes and up to " + std::to_string(most) + " votes for each, more than are offered");
        return "()";
    }
    std::vector<int64_t> targets_of(nodes.size() * most, targets);               // one behind the last: nobody's
    std::vector<double> weights(nodes.size() * most);
    for (size_t node = 0; node < of_node.size(); ++node)
        for (size_t i = 0; i < of_node[node].size(); ++i) {
            targets_of[node * most + i] = of_node[node][i]->target;
            weights[node * most + i] = of_node[node][i]->weight;
        }
    const int64_t count = std::ssize(forest->features), own = std::ssize(nodes), each = int64_t(most);
    const std::string leaves = n.named("leaves", "onnx_tree_leaves(" + n.in(0) + ", " + n.table("features", {count}, forest->features) + ", " +
                                                     split_table(n, forest->splits, wide_splits) + ", " + n.table("next", {4 * count}, forest->next) + ", " +
                                                     n.table("roots", {std::ssize(roots)}, roots) + ", " + std::to_string(forest->depth) + ")");
    return n.named("votes", "onnx_tree_votes(" + leaves + ", " + n.table("targets", {own, each}, targets_of) + ", " + n.table("weights", {own, each}, weights) + ", " +
                                std::to_string(targets) + ", " + std::to_string(how) + ")");
}

// The nodes of a classifier or regressor, which are named by a tree and a number in it.
struct NamedNodes {
    std::vector<TreeNode> nodes;
    std::vector<int64_t> roots;
    std::map<std::pair<int64_t, int64_t>, int64_t> place;
    bool wide = false;                                 // splits
};
std::optional<Branch> branch_named(std::string_view word) {
    static constexpr std::string_view words[] = {"BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF"};
    const size_t at = size_t(std::ranges::find(words, word) - words);
    if (at == std::size(words) || word == "BRANCH_MEMBER") return std::nullopt;
    return Branch(at);
}
std::optional<NamedNodes> named_nodes(NodeText& n) {
    auto integers = [&](std::string_view name) { return n.integers(name).value_or(std::vector<int64_t>()); };
    const std::vector<int64_t> trees = integers("nodes_treeids"), ids = integers("nodes_nodeids"), features = integers("nodes_featureids"), yes = integers("nodes_truenodeids"),
                               no = integers("nodes_falsenodeids"), missing = integers("nodes_missing_value_tracks_true");
    const std::vector<std::string_view> modes = n.words("nodes_modes").value_or(std::vector<std::string_view>());
    const Numbers splits = numbers(n, "nodes_values");
    NamedNodes out{.wide = splits.wide};
    const size_t count = ids.size();
    for (size_t size : {trees.size(), features.size(), yes.size(), no.size(), modes.size(), splits.values.size(), missing.empty() ? count : missing.size()})
        if (size != count) return n.refuse("the lists of its nodes are not equally long"), std::nullopt;
    std::set<int64_t> begun;                           // trees
    for (size_t i = 0; i < count; ++i) {
        if (!out.place.try_emplace({trees[i], ids[i]}, int64_t(i)).second) return n.refuse("node " + std::to_string(ids[i]) + " of tree " + std::to_string(trees[i]) + " is there twice"), std::nullopt;
        if (begun.insert(trees[i]).second) out.roots.push_back(int64_t(i));
    }
    auto node = [&](size_t i, int64_t id) {
        auto found = out.place.find({trees[i], id});
        return found == out.place.end() ? -1 : found->second;
    };
    for (size_t i = 0; i < count; ++i) {
        const std::optional<Branch> branch = branch_named(modes[i]);
        if (!branch) return n.refuse("a node has mode '" + std::string(modes[i]) + "'"), std::nullopt;
        out.nodes.push_back({*branch, features[i], splits.values[i], !missing.empty() && missing[i] != 0, node(i, yes[i]), node(i, no[i])});
    }
    return out;
}
std::optional<std::vector<Vote>> named_votes(NodeText& n, const NamedNodes& nodes, const std::string& stem, int64_t targets) {
    auto integers = [&](const std::string& name) { return n.integers(stem + name).value_or(std::vector<int64_t>()); };
    const std::vector<int64_t> trees = integers("_treeids"), ids = integers("_nodeids"), to = integers("_ids");
    const Numbers weights = numbers(n, stem + "_weights");
    std::vector<Vote> out;
    bool fits = trees.size() == ids.size() && to.size() == ids.size() && weights.values.size() == ids.size();
    for (size_t i = 0; fits && i < ids.size(); ++i) {
        auto found = nodes.place.find({trees[i], ids[i]});
        fits = found != nodes.place.end() && to[i] >= 0 && to[i] < targets;
        if (fits) out.push_back({found->second, to[i], weights.values[i]});
    }
    if (!fits) return n.refuse("the lists of what its leaves say do not fit its nodes and " + std::to_string(targets) + " targets"), std::nullopt;
    return out;
}
std::string base_values(NodeText& n, int64_t targets) {            // 0: however many
    const Numbers base = numbers(n, "base_values");
    if (base.values.empty()) return {};
    if (targets && std::ssize(base.values) != targets) n.refuse("it has " + std::to_string(base.values.size()) + " base values for " + std::to_string(targets) + " targets");
    return n.table("base", {std::ssize(base.values)}, base.values);
}

int aggregate(NodeText& n) {
    static constexpr std::string_view words[] = {"AVERAGE", "SUM", "MIN", "MAX"};
    const std::string_view word = n.word("aggregate_function", "SUM");
    const size_t at = size_t(std::ranges::find(words, word) - words);
    if (at == std::size(words)) n.refuse("attribute 'aggregate_function' is '" + std::string(word) + "', expected AVERAGE, SUM, MIN or MAX");
    return int(at);
}
// Of its only target a leaf says one thing: the first that is listed.
void only_first(std::vector<Vote>& votes) {
    std::set<int64_t> heard;
    std::erase_if(votes, [&](const Vote& vote) { return !heard.insert(vote.node).second; });
}
void regressor(NodeText& n) {
    const int64_t targets = n.integer("n_targets", 1);
    if (targets < 1) return n.refuse("it has " + std::to_string(targets) + " targets");
    const std::optional<NamedNodes> nodes = named_nodes(n);
    if (!nodes) return;
    std::optional<std::vector<Vote>> all = named_votes(n, *nodes, "target", targets);
    if (!all) return;
    if (targets == 1) only_first(*all);
    const std::string sums = votes(n, nodes->nodes, nodes->roots, nodes->wide, *all, targets, aggregate(n)), base = base_values(n, targets);
    const std::string based = base.empty() ? sums : n.named("based", sums + " + " + base);
    n.give("cast(onnx_scores_as(" + based + ", " + post_transform(n) + "), f32)");
}

// Where all leaves of two classes speak of the first, their score is that of the second, and the other's follows: 1 - x of
// shares, which are never negative, else -x. Where all speak of the second, the first has none. One class has one score.
void classifier(NodeText& n) {
    const std::vector<int64_t> numbers = n.integers("classlabels_int64s").value_or(std::vector<int64_t>());
    const std::vector<std::string_view> texts = n.words("classlabels_strings").value_or(std::vector<std::string_view>());
    if (numbers.empty() && texts.empty()) return n.refuse("it has no labels");
    const int64_t classes = texts.empty() ? std::ssize(numbers) : std::ssize(texts);
    const std::optional<NamedNodes> nodes = named_nodes(n);
    if (!nodes) return;
    std::optional<std::vector<Vote>> all = named_votes(n, *nodes, "class", std::max<int64_t>(classes, 2));
    if (!all) return;
    const bool one = classes <= 2 && std::ranges::all_of(*all, [&](const Vote& vote) { return vote.target == all->front().target; });
    const bool shares = std::ranges::all_of(*all, [](const Vote& vote) { return vote.weight >= 0; });
    const bool of_second = one && !all->empty() && all->front().target == 1;
    if (one)
        for (Vote& vote : *all) vote.target = 0;
    const int64_t targets = one ? 1 : classes;
    const std::string sums = votes(n, nodes->nodes, nodes->roots, nodes->wide, *all, targets, 1), base = base_values(n, one ? 0 : classes);
    const std::string based = base.empty() ? sums : n.named("based", one ? "onnx_tree_based(" + sums + ", " + base + ")" : sums + " + " + base);
    const std::string names = texts.empty() ? vector_text(numbers) : texts_text(texts);
    if (one && classes == 1 && !texts.empty()) return n.refuse("its one label is a text: what it says of other rows is not told");
    if (!one) return n.give_each({"onnx_class_of(" + based + ", " + names + ")", "cast(onnx_scores_as(" + based + ", " + post_transform(n) + "), f32)"});
    const std::string how = post_transform(n), least = shares && (of_second || how == "0" || how == "4") ? ", 0.5)" : ", 0.0)";
    const std::string scores = classes == 1 ? "onnx_scores_as(" + based + ", " + how + ")" : of_second ? "onnx_scores_as(onnx_tree_second(" + based + "), " + how + ")" : "onnx_tree_two_scores(" + based + ", " + (shares ? "1, " : "0, ") + how + ")";
    n.give_each({classes == 1 ? "onnx_only_class(" + based + ", " + integer_text(numbers[0]) + ", 0.0)" : "onnx_tree_class(" + based + ", " + names + least, "cast(" + scores + ", f32)"});
}

// Nodes and leaves have lists of their own; leaves follow the nodes in ours.
void ensemble(NodeText& n) {
    auto integers = [&](std::string_view name) { return n.integers(name).value_or(std::vector<int64_t>()); };
    const std::vector<int64_t> features = integers("nodes_featureids"), yes = integers("nodes_truenodeids"), no = integers("nodes_falsenodeids"), yes_leaf = integers("nodes_trueleafs"),
                               no_leaf = integers("nodes_falseleafs"), missing = integers("nodes_missing_value_tracks_true"), targets_of = integers("leaf_targetids");
    std::vector<int64_t> roots = integers("tree_roots");
    const TensorData *modes = n.tensor("nodes_modes"), *split_data = n.tensor("nodes_splits"), *weight_data = n.tensor("leaf_weights"), *member_data = n.attribute("membership_values") ? n.tensor("membership_values") : nullptr;
    const int64_t targets = n.integer("n_targets", 1), how = n.integer("aggregate_function", 1), transform = n.integer("post_transform", 0);
    if (!modes || modes->type != ElemType::uint8 || !split_data || !weight_data) return n.refuse("it lacks nodes_modes, nodes_splits or leaf_weights");
    if (targets < 1 || how < 0 || how > 3 || transform < 0 || transform > 4) return n.refuse("n_targets, aggregate_function or post_transform has no meaning");
    const Numbers splits = of_tensor(n, *split_data), weights = of_tensor(n, *weight_data), members = member_data ? of_tensor(n, *member_data) : Numbers();
    const size_t count = features.size();
    for (size_t size : {modes->bytes.size(), splits.values.size(), yes.size(), no.size(), yes_leaf.size(), no_leaf.size(), missing.empty() ? count : missing.size()})
        if (size != count) return n.refuse("the lists of its nodes are not equally long");
    const int64_t leaves = std::ssize(targets_of), first_leaf = int64_t(count);
    if (std::ssize(weights.values) != leaves) return n.refuse("it has " + std::to_string(leaves) + " leaves and " + std::to_string(weights.values.size()) + " weights");

    auto place = [&](int64_t id, int64_t is_leaf) { return id < 0 || id >= (is_leaf ? leaves : first_leaf) ? -1 : is_leaf ? first_leaf + id : id; };
    std::vector<TreeNode> nodes;
    size_t member = 0;
    for (size_t i = 0; i < count; ++i) {
        const size_t mode = size_t(modes->bytes[i]);
        if (mode >= size_t(Branch::leaf)) return n.refuse("a node has mode " + std::to_string(mode) + ", expected 0 to 6");
        nodes.push_back({Branch(mode), features[i], splits.values[i], !missing.empty() && missing[i] != 0, place(yes[i], yes_leaf[i]), place(no[i], no_leaf[i])});
        if (Branch(mode) != Branch::member) continue;
        for (; member < members.values.size() && members.values[member] == members.values[member]; ++member) nodes.back().members.push_back(members.values[member]);
        if (member++ >= members.values.size()) return n.refuse("membership_values has fewer sets than nodes ask for");       // a NaN ends a set
    }
    std::vector<Vote> all;
    for (int64_t i = 0; i < leaves; ++i) {
        nodes.emplace_back();
        if (targets_of[size_t(i)] < 0 || targets_of[size_t(i)] >= targets) return n.refuse("a leaf has target " + std::to_string(targets_of[size_t(i)]) + " of " + std::to_string(targets));
        all.push_back({first_leaf + i, targets_of[size_t(i)], weights.values[size_t(i)]});
    }
    // A tree that is a leaf is written as a node whose ways both lead to it.
    const std::string sums = votes(n, nodes, roots, splits.wide, all, targets, int(how));
    n.give("onnx_cast_like(onnx_scores_as(" + sums + ", " + std::to_string(transform) + "), " + n.in(0) + ")");
}
} // namespace

std::span<const OpRow> tree_rows() {
    static constexpr OpRow rows[] = {
    //   operator                  since inputs attributes form
        {"TreeEnsembleRegressor",  1,    "",    "",        "", regressor, "ai.onnx.ml"},
        {"TreeEnsembleClassifier", 1,    "",    "",        "", classifier, "ai.onnx.ml"},
        {"TreeEnsemble",           5,    "",    "",        "", ensemble, "ai.onnx.ml"},
    };
    return rows;
}
} // namespace nereus::onnx
