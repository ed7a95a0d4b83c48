#include "import/offered.h"
#include "import/op_rows.h"
#include "import/places.h"
#include "import/versions.h"
#include <map>
#include <unordered_set>

namespace nereus::onnx {
namespace {
std::string called(const Node& node) {
    if (!node.name.empty()) return "'" + std::string(node.name) + "'";
    for (std::string_view output : node.outputs)
        if (!output.empty()) return "the one that gives '" + std::string(output) + "'";
    return "one without a name";
}
std::string list_of(const std::vector<const Node*>& nodes) {
    constexpr size_t shown = 5;
    std::string text = std::to_string(nodes.size()) + (nodes.size() == 1 ? " node: " : " nodes: ");
    for (size_t i = 0; i < std::min(nodes.size(), shown); ++i) text += (i ? ", " : "") + called(*nodes[i]);
    return text + (nodes.size() > shown ? " and " + std::to_string(nodes.size() - shown) + " more" : "");
}
} // namespace

Status all_offered(const ModelFile& model) {
    struct Place { const std::vector<Node>* nodes; const Function* function; };
    std::vector<Place> open = {{&model.main().nodes, nullptr}};
    std::unordered_set<const void*> seen = {open[0].nodes};
    std::map<std::string, std::vector<const Node*>> missing;
    auto look_into = [&](const std::vector<Node>& nodes, const Function* function) {
        if (seen.insert(&nodes).second) open.push_back({&nodes, function});
    };
    while (!open.empty()) {
        const Place place = open.back();
        open.pop_back();
        for (const Node& node : *place.nodes) {
            for (const Attribute& attribute : node.attributes)
                if (const auto* graphs = std::get_if<std::vector<GraphId>>(&attribute.value))
                    for (GraphId graph : *graphs) look_into(model[graph].nodes, place.function);
            if (const Function* function = function_of(model, node)) {
                look_into(function->nodes, function);
                continue;
            }
            const int64_t version = version_of(node.domain, model, place.function);
            if (find_row(node.domain, node.op_type, version)) continue;
            const std::string domain = node.domain.empty() ? "" : std::string(node.domain) + ".";
            missing[domain + std::string(node.op_type) + " (opset " + std::to_string(version) + ")"].push_back(&node);
        }
    }
    if (missing.empty()) return {};
    std::string text = missing.size() == 1 ? "an operator is not offered" : std::to_string(missing.size()) + " operators are not offered";
    for (const auto& [op, nodes] : missing) text += "\n  " + op + ", " + list_of(nodes);
    return Error{Code::unsupported, text, {}, "docs/onnx_support.md lists those that are; a plug-in can add one: --plugin"};
}
} // namespace nereus::onnx
