#include "import/unknown_parts.h"
#include "import/op_attributes.h"
#include "import/places.h"
#include <algorithm>
#include <unordered_set>

namespace nereus::onnx {
namespace {
std::vector<std::string_view> split(std::string_view words) {
    std::vector<std::string_view> out;
    for (size_t end; !words.empty(); words.remove_prefix(std::min(end + 1, words.size()))) {
        end = std::min(words.find(' '), words.size());
        out.push_back(words.substr(0, end));
    }
    return out;
}
void look_at_attributes(const Node& node, std::vector<Unknown>& found) {
    const std::optional<std::string_view> listed = op_attributes(node.domain, node.op_type);
    if (!listed) return;
    const std::vector<std::string_view> known = split(*listed);
    std::string strange, has;
    for (const Attribute& attribute : node.attributes)
        if (std::ranges::find(known, attribute.name) == known.end()) strange += (strange.empty() ? "'" : ", '") + std::string(attribute.name) + "'";
    if (strange.empty()) return;
    for (std::string_view name : known)
        if (name != "consumed_inputs") has += (has.empty() ? "" : ", ") + std::string(name);
    found.push_back({&node, "nobody looks at " + strange + ", which " + std::string(node.op_type) + " does not have", has.empty() ? "it has no attributes" : "it has " + has});
}
} // namespace

std::vector<Unknown> unknown_parts(const ModelFile& model) {
    std::vector<Unknown> found;
    const Places places(model);
    std::unordered_set<const Node*> seen;              // what is called twice is in two places
    for (int place = 0; place < places.size(); ++place)
        for (const Node& node : places.nodes(place))
            if (!function_of(model, node) && seen.insert(&node).second) look_at_attributes(node, found);
    return found;
}
} // namespace nereus::onnx
