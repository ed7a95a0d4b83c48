// Values of the main graph that are looked at beside its outputs.
#include "base/suggest.h"
#include "import/text_writer.h"
#include <algorithm>

namespace nereus::onnx {
void TextWriter::note_values(size_t written, const Node& node) {
    auto text = [&](std::string_view name) {
        const Known* known = name.empty() ? nullptr : find(name);
        return known && !known->text.empty() ? known->text.substr(1) : std::string();
    };
    for (std::string_view name : node.inputs) written_[written].inputs.push_back(text(name));
    for (std::string_view name : node.outputs) written_[written].outputs.push_back(text(name));
}

// Counts are floats: numbers that are whole would be looked at by the shapes stage, which may want them on the host.
// x - x is NaN where x is not finite.
void TextWriter::count_elements(const Node& node) {
    if (options_.counted.empty()) return;
    for (std::string_view name : node.outputs) {
        if (std::ranges::find(options_.counted, name) == options_.counted.end()) continue;
        const std::string x = look_up(name), nans = temporary("nans"), not_finite = temporary("not_finite");
        line(nans + " = sum(cast(isnan(" + x + "), f64))");
        line(not_finite + " = sum(cast(isnan(" + x + " - " + x + "), f64))");
        counts_[name] = nans + ", " + not_finite;
    }
}

Error TextWriter::no_such_value(const std::string& name) const {
    auto gives = [&](const Graph& graph) {
        return std::ranges::any_of(graph.nodes, [&](const Node& node) { return std::ranges::find(node.outputs, name) != node.outputs.end(); });
    };
    for (size_t i = 1; i < model_.graphs.size(); ++i)
        if (gives(model_.graphs[i]))
            return Error{Code::name, "'" + name + "' is a value inside the graph '" + std::string(model_.graphs[i].name) + "' of another node", {},
                         "only values of the main graph can be had: those of the node that runs it"};
    std::vector<std::string_view> names;
    for (const auto& [known, value] : scopes_[0])
        if (!value.text.empty()) names.push_back(known);
    std::ranges::sort(names);
    return Error{Code::name, "the model has no value '" + name + "'", {}, did_you_mean("", name, names)};
}

Status TextWriter::add_taps(ModelText& out) {
    for (const std::string& name : options_.taps) {
        auto known = scopes_[0].find(name);
        if (known == scopes_[0].end() || known->second.text.empty()) return no_such_value(name);
        out.outputs.push_back({known->first, known->second.text.substr(1), known->second.type});
    }
    for (const std::string& name : options_.counted) {
        auto known = counts_.find(name);
        if (known == counts_.end()) return no_such_value(name);
        const size_t comma = known->second.find(", ");
        out.outputs.push_back({known->first, known->second.substr(1, comma - 1), nullptr});
        out.outputs.push_back({known->first, known->second.substr(comma + 3), nullptr});
    }
    return {};
}
} // namespace nereus::onnx
