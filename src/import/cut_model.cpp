#include "import/cut_model.h"
#include <algorithm>
#include <set>

namespace nereus::onnx {
namespace {
// What a node reads from around it. Graphs nest no deeper than model_text.h takes them.
void add_reads(const ModelFile& model, const Node& node, const std::set<std::string_view>& own, std::vector<std::string_view>& out) {
    auto add = [&](std::string_view name, const std::set<std::string_view>& inside) {
        if (!name.empty() && !inside.contains(name) && std::ranges::find(out, name) == out.end()) out.push_back(name);
    };
    for (std::string_view name : node.inputs) add(name, own);
    for (const Attribute& attribute : node.attributes) {
        const std::vector<GraphId>* graphs = std::get_if<std::vector<GraphId>>(&attribute.value);
        if (!graphs) continue;
        for (GraphId id : *graphs) {
            const Graph& graph = model[id];
            std::set<std::string_view> inside = own;
            for (const ValueInfo& input : graph.inputs) inside.insert(input.name);
            for (const TensorData& each : graph.initializers) inside.insert(each.name);
            for (const Node& each : graph.nodes) inside.insert(each.outputs.begin(), each.outputs.end());
            for (const Node& each : graph.nodes) add_reads(model, each, inside, out);
            for (const ValueInfo& output : graph.outputs) add(output.name, inside);
        }
    }
}
} // namespace

ModelCutter::ModelCutter(const ModelFile& model) : model_(model) {
    for (const TensorData& each : model.main().initializers) initializers_[each.name] = &each;
    for (const Node& node : model.main().nodes) {
        std::vector<std::string_view>& reads = reads_.emplace_back();
        add_reads(model, node, {}, reads);
        varies_.push_back(std::ranges::any_of(reads, [&](std::string_view name) { return !is_constant(name); }));
        for (std::string_view output : node.outputs)
            if (!output.empty()) producer_[output] = reads_.size() - 1;
    }
}

bool ModelCutter::is_constant(std::string_view name) const {
    if (auto by = producer_.find(name); by != producer_.end()) return !varies_[by->second];
    return initializers_.contains(name);
}

ModelFile ModelCutter::with_all_outputs() const {
    ModelFile out = model_;
    Graph& main = out.graphs[0];
    std::set<std::string_view> known;
    for (const ValueInfo& output : main.outputs) known.insert(output.name);
    for (const Node& node : main.nodes)
        for (std::string_view output : node.outputs)
            if (!output.empty() && known.insert(output).second) main.outputs.push_back({output, {}, {}});
    return out;
}

ModelFile ModelCutter::with_nodes(const std::vector<bool>& chosen, const std::vector<std::string_view>& outputs, const TypeOf& type_of) const {
    ModelFile out = model_;
    Graph& main = out.graphs[0];
    const Graph& whole = model_.main();
    main.nodes.clear(), main.initializers.clear(), main.inputs.clear(), main.outputs.clear();
    std::set<std::string_view> known;
    for (size_t i = 0; i < whole.nodes.size(); ++i) {
        if (!chosen[i]) continue;
        for (std::string_view name : reads_[i]) {
            if (!known.insert(name).second) continue;
            if (auto weight = initializers_.find(name); weight != initializers_.end()) main.initializers.push_back(*weight->second);
            else if (std::optional<TypeInfo> type = type_of(name)) main.inputs.push_back({name, *type, {}});
        }
        known.insert(whole.nodes[i].outputs.begin(), whole.nodes[i].outputs.end());
        main.nodes.push_back(whole.nodes[i]);
    }
    for (std::string_view output : outputs) main.outputs.push_back({output, {}, {}});
    return out;
}

ModelFile ModelCutter::window(size_t first, size_t last, const TypeOf& type_of) const {
    std::vector<bool> chosen(node_count());
    std::vector<size_t> open;
    std::vector<std::string_view> outputs;
    for (size_t i = first; i < last; ++i) {
        open.push_back(i);
        for (std::string_view output : model_.main().nodes[i].outputs)
            if (!output.empty()) outputs.push_back(output);
    }
    while (!open.empty()) {
        const size_t node = open.back();
        open.pop_back();
        if (chosen[node]) continue;
        chosen[node] = true;
        for (std::string_view name : reads_[node]) {
            auto by = producer_.find(name);
            if (by != producer_.end() && (is_constant(name) || !type_of(name))) open.push_back(by->second);
        }
    }
    return with_nodes(chosen, outputs, type_of);
}

ModelFile ModelCutter::apart(const TypeOf& type_of) {
    std::unordered_map<std::string_view, std::string_view> renamed;
    auto cut_type = [&](std::string_view name) { return is_constant(name) ? std::nullopt : type_of(name); };
    size_t count = 0;
    for (const Node& node : model_.main().nodes) count += node.outputs.size();
    names_.clear(), names_.reserve(count);             // so that none moves
    std::vector<std::string_view> outputs;
    for (size_t i = 0; i < node_count(); ++i)
        for (std::string_view output : model_.main().nodes[i].outputs) {
            if (output.empty() || !varies_[i]) continue;
            if (cut_type(output)) renamed[output] = names_.emplace_back(std::string(output) + std::string(found_mark));
            outputs.push_back(renamed.contains(output) ? renamed[output] : output);
        }
    ModelFile out = with_nodes(std::vector<bool>(node_count(), true), outputs, cut_type);
    Graph& main = out.graphs[0];
    std::set<std::string_view> inputs;
    for (const ValueInfo& input : main.inputs) inputs.insert(input.name);
    for (size_t i = 0; i < main.nodes.size(); ++i) {
        for (std::string_view name : reads_[i])
            if (renamed.contains(name) && inputs.insert(name).second) main.inputs.push_back({name, *type_of(name), {}});
        for (std::string_view& output : main.nodes[i].outputs)
            if (auto it = renamed.find(output); it != renamed.end()) output = it->second;
    }
    return out;
}
} // namespace nereus::onnx
