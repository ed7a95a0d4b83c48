#include "import/node_order.h"
#include "import/node_title.h"
#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace nereus::onnx {
namespace {
using NameSet = std::unordered_set<std::string_view>;
constexpr int deepest = 64;                            // graphs further in are refused when the text is written
constexpr size_t most_free = 1 << 22;                  // names that bodies read from around them: no more are looked at

class NodeSorter {
 public:
    explicit NodeSorter(ModelFile& model) : model_(model), given_(model.graphs.size()), free_(model.graphs.size()) {}

    Status run() {
        for (size_t i = 0; i < model_.graphs.size(); ++i) given_[i] = given_in(model_.graphs[i]);
        for (size_t i = model_.graphs.size(); i-- > 0;) free_[i] = free_names(i);      // bodies come later in the list
        for (size_t i = 0; i < model_.graphs.size(); ++i) TRY(sort(model_.graphs[i].nodes, GraphId(uint32_t(i))));
        for (Function& function : model_.functions) TRY(sort(function.nodes, GraphId()));
        if (early_ == 0) return {};
        const std::string others = early_ > 1 ? ", and so do " + std::to_string(early_ - 1) + " more" : "";
        model_.notes.push_back({"node_order", first_ + others, "nodes are taken in the order in which they can run"});
        return {};
    }

 private:
    static NameSet given_in(const Graph& graph) {
        NameSet names;
        for (const ValueInfo& input : graph.inputs) names.insert(input.name);
        for (const TensorData& data : graph.initializers) names.insert(data.name);
        for (const SparseTensor& sparse : graph.sparse_initializers) names.insert(sparse.values.name);
        for (const Node& node : graph.nodes) names.insert(node.outputs.begin(), node.outputs.end());
        return names;
    }
    template <class Each> void for_each_read(const Node& node, const Each& each) const {
        for (std::string_view name : node.inputs)
            if (!name.empty()) each(name);
        for (const Attribute& attribute : node.attributes)
            if (const auto* graphs = std::get_if<std::vector<GraphId>>(&attribute.value))
                for (GraphId id : *graphs)
                    for (std::string_view name : free_[id.index]) each(name);
    }
    // The values that a graph reads from around it.
    NameSet free_names(size_t graph) {
        NameSet names;
        if (model_.graphs[graph].depth > deepest || free_count_ > most_free) return names;
        auto read = [&](std::string_view name) {
            if (!given_[graph].contains(name)) names.insert(name);
        };
        for (const Node& node : model_.graphs[graph].nodes) for_each_read(node, read);
        for (const ValueInfo& output : model_.graphs[graph].outputs) read(output.name);
        free_count_ += names.size();
        return names;
    }
    bool is_given_around(GraphId graph, std::string_view name) const {
        if (!graph.valid()) return false;
        int left = deepest;
        for (GraphId at = model_[graph].parent; at.valid() && left-- > 0; at = model_[at].parent)
            if (given_[at.index].contains(name)) return true;
        return false;
    }

    Status sort(std::vector<Node>& nodes, GraphId graph) {
        std::unordered_map<std::string_view, size_t> giver;
        for (size_t i = 0; i < nodes.size(); ++i)
            for (std::string_view output : nodes[i].outputs)
                if (!output.empty()) giver.try_emplace(output, i);
        std::vector<std::vector<Read>> reads(nodes.size());
        bool in_order = true;
        for (size_t i = 0; i < nodes.size(); ++i)
            for_each_read(nodes[i], [&](std::string_view name) {
                auto by = giver.find(name);
                if (by == giver.end()) return;
                if (by->second >= i) {
                    if (is_given_around(graph, name)) return;            // before it is given again here
                    in_order = false;
                    if (by->second > i) note_early(nodes[i], name, nodes[by->second]);
                }
                reads[i].push_back({by->second, name});
            });
        if (in_order) return {};
        std::vector<Node> sorted;
        for (size_t i : TRY(order_of(nodes, reads))) sorted.push_back(std::move(nodes[i]));
        nodes = std::move(sorted);
        return {};
    }
    void note_early(const Node& node, std::string_view name, const Node& by) {
        if (early_++ > 0) return;
        first_ = node_title(node) + " stands before " + node_title(by) + ", whose '" + std::string(name) + "' it reads";
    }

    struct Read { size_t node; std::string_view name; };
    using Reads = std::vector<std::vector<Read>>;
    // Depth first along what nodes read, without recursion: chains are as long as the file likes.
    static Result<std::vector<size_t>> order_of(const std::vector<Node>& nodes, const Reads& reads) {
        enum class State : uint8_t { untouched, open, done };
        struct Open { size_t node, next; };
        std::vector<State> state(nodes.size());
        std::vector<size_t> order;
        std::vector<Open> open;
        for (size_t root = 0; root < nodes.size(); ++root) {
            if (state[root] != State::untouched) continue;
            open.push_back({root, 0});
            while (!open.empty()) {
                Open& top = open.back();
                state[top.node] = State::open;
                if (top.next == reads[top.node].size()) {
                    state[top.node] = State::done;
                    order.push_back(top.node);
                    open.pop_back();
                    continue;
                }
                const size_t read = reads[top.node][top.next++].node;
                if (state[read] == State::untouched) open.push_back({read, 0});
                if (state[read] != State::open) continue;
                std::vector<Read> circle;
                for (auto at = std::ranges::find(open, read, &Open::node); at != open.end(); ++at)
                    circle.push_back({at->node, reads[at->node][at->next - 1].name});
                return circle_error(nodes, circle);
            }
        }
        return order;
    }
    // Each reads what the next one gives, the last one what the first one gives.
    static Error circle_error(const std::vector<Node>& nodes, const std::vector<Read>& circle) {
        constexpr size_t most_shown = 4;
        auto title = [&](size_t i) { return node_title(nodes[circle[i % circle.size()].node]); };
        auto value = [&](size_t i) { return "'" + std::string(circle[i].name) + "'"; };
        if (circle.size() == 1) return Error{Code::name, title(0) + ": it reads " + value(0) + ", which it gives itself"};
        std::string text = "nodes read each other in a circle: " + title(0);
        for (size_t i = 0; i < std::min(circle.size(), most_shown); ++i)
            text += (i ? ", which reads " : " reads ") + value(i) + " of " + title(i + 1);
        if (circle.size() > most_shown) text += ", and so on over " + std::to_string(circle.size()) + " nodes";
        return Error{Code::name, std::move(text)};
    }

    ModelFile& model_;
    std::vector<NameSet> given_, free_;                // by graph
    std::string first_;
    size_t early_ = 0, free_count_ = 0;
};
} // namespace

Status order_nodes(ModelFile& model) { return NodeSorter(model).run(); }
} // namespace nereus::onnx
