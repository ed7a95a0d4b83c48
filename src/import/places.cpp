#include "import/places.h"
#include "base/suggest.h"
#include "import/versions.h"
#include <algorithm>

namespace nereus::onnx {
namespace {
constexpr int deepest = 64;                            // as the text of models goes
constexpr int64_t most_nodes = 1'000'000;

std::string_view name_of(const Node& node) {
    if (!node.name.empty()) return node.name;
    return node.outputs.empty() ? node.op_type : node.outputs[0];
}
} // namespace

const Function* function_of(const ModelFile& model, const Node& node) {
    for (const Function& function : model.functions)
        if (function.name == node.op_type && function.domain == node.domain && function.overload == node.overload) return &function;
    return nullptr;
}

Places::Places(const ModelFile& model) {
    int64_t nodes_left = most_nodes;
    add(model, {.graph = &model.main()}, nodes_left, 0);
    name_values();
}

void Places::add(const ModelFile& model, Place place, int64_t& nodes_left, int depth) {
    const int number = size();
    inside_[{place.around, place.node, place.graph}] = number;
    const std::string path = place.path;
    const Function* function = place.function;
    for (int around = place.around; !function && around >= 0; around = (*this)[around].around) function = (*this)[around].function;
    all_.push_back(std::move(place));
    if (depth == deepest) return;
    for (const Node& node : nodes(number)) {
        if (--nodes_left < 0) return;
        const std::string inner = path + std::string(name_of(node)) + "/";
        if (const Function* called = function_of(model, node)) {
            add(model, {.kind = Place::Kind::call, .around = number, .node = &node, .function = called, .path = inner}, nodes_left, depth + 1);
            continue;
        }
        const bool by_batch = node.op_type == "Scan" && version_of("", model, function) < 9;
        if (by_batch) continue;                        // a loop in a loop, of which there is no name
        for (const Attribute& a : node.attributes)
            if (const auto* graphs = std::get_if<std::vector<GraphId>>(&a.value); graphs && graphs->size() == 1)
                add(model, {.kind = node.op_type == "If" ? Place::Kind::arm : Place::Kind::trips, .around = number, .node = &node, .graph = &model[(*graphs)[0]],
                     .path = inner + std::string(a.name) + "/"}, nodes_left, depth + 1);
    }
}

int Places::inside(int place, const Node& node, const Graph* graph) const {
    auto it = inside_.find({place, &node, graph});
    return it == inside_.end() ? -1 : it->second;
}
std::span<const Node> Places::nodes(int place) const {
    const Place& at = (*this)[place];
    return at.graph ? at.graph->nodes : at.function->nodes;
}
bool Places::is_in(int place, int other) const {
    for (; place >= 0; place = (*this)[place].around)
        if (place == other) return true;
    return false;
}
std::vector<Place::Kind> Places::layers(int place) const {
    std::vector<Place::Kind> kinds;
    for (; place > 0; place = (*this)[place].around)
        if ((*this)[place].kind != Place::Kind::call) kinds.push_back((*this)[place].kind);
    std::ranges::reverse(kinds);
    return kinds;
}

void Places::name_values() {
    for (int place = 0; place < size(); ++place) {
        const Place& at = (*this)[place];
        auto take = [&](std::string_view name) {
            if (!name.empty() && by_path_.try_emplace(at.path + std::string(name), values_.size()).second) values_.push_back({place, name});
        };
        for (const Node& node : nodes(place))
            for (std::string_view name : node.outputs) take(name);
        if (!at.graph) continue;
        for (const ValueInfo& input : at.graph->inputs) take(input.name);
        for (const TensorData& data : at.graph->initializers) take(data.name);
    }
}
Result<Places::Value> Places::find(const std::string& wanted) const {
    if (auto it = by_path_.find(wanted); it != by_path_.end()) return values_[it->second];           // in the main graph, a name is a path
    std::vector<Value> found;
    for (const Value& value : values_)
        if (wanted.ends_with(value.name) && ("/" + path(value)).ends_with("/" + wanted)) found.push_back(value);
    if (found.size() == 1) return found[0];
    std::vector<std::string> paths;
    for (const Value& value : found.empty() ? values_ : found) paths.push_back(path(value));
    if (found.empty()) return Error{Code::name, "the model has no value '" + wanted + "'", {}, did_you_mean("", wanted, std::vector<std::string_view>(paths.begin(), paths.end()))};
    constexpr size_t most_listed = 4;
    std::string all;
    for (size_t i = 0; i < std::min(paths.size(), most_listed); ++i) all += (i ? ", " : "") + paths[i];
    return Error{Code::name, "the model has " + std::to_string(paths.size()) + " values '" + wanted + "'", {}, "say which: " + all + (paths.size() > most_listed ? " …" : "")};
}
} // namespace nereus::onnx
