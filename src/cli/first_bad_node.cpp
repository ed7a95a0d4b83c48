#include "cli/first_bad_node.h"
#include "cli/dynamism.h"
#include "import/host_data.h"
#include "import/node_title.h"
#include <cmath>

namespace nereus {
using onnx::Place;

std::string text_of(const BadElements& bad) { return std::to_string(bad.nans) + " NaN and " + std::to_string(bad.infinite) + " infinite"; }
bool is_computed_float(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f32 || dtype == DType::f64; }
BadElements count_in(const Value& value) {
    BadElements bad;
    if (!value.is(Value::Kind::tensor)) {
        for (const Value& child : value.children()) bad += count_in(child);
        return bad;
    }
    const HostTensor& tensor = value.tensor();
    if (!is_computed_float(tensor.dtype())) return bad;
    for (int64_t i = 0; i < tensor.count(); ++i) {
        const double element = tensor.as_f64(i);
        bad.nans += std::isnan(element), bad.infinite += std::isinf(element);
    }
    return bad;
}

namespace {
// What a node reads: its inputs, and what graphs inside it take from around them.
void reads_of(const onnx::ModelFile& file, const onnx::Node& node, std::vector<std::string_view>& out, int depth = 0) {
    constexpr int deepest = 64;                                  // as the text of models allows
    out.insert(out.end(), node.inputs.begin(), node.inputs.end());
    for (const onnx::Attribute& a : node.attributes)
        if (const auto* graphs = std::get_if<std::vector<onnx::GraphId>>(&a.value); graphs && depth < deepest)
            for (onnx::GraphId graph : *graphs)
                for (const onnx::Node& inner : file[graph].nodes) reads_of(file, inner, out, depth + 1);
}
// How many states a body has, and where they are among its inputs and outputs.
struct States { size_t count = 0, first_input = 0, first_output = 0; };
States states_of(const onnx::Node& node) {
    if (node.op_type == "Loop") return {node.inputs.size() > 2 ? node.inputs.size() - 2 : 0, 2, 1};
    if (node.op_type != "Scan") return {};
    for (const onnx::Attribute& a : node.attributes)
        if (const int64_t* scanned = std::get_if<int64_t>(&a.value); scanned && a.name == "num_scan_inputs") return {node.inputs.size() - size_t(*scanned), 0, 0};
    return {};
}
} // namespace

FirstBadNode::FirstBadNode(const onnx::ModelFile& file, std::span<const onnx::CountedBody> bodies, std::span<const Value> counts) : file_(file), places_(file) {
    for (size_t i = 0; i < bodies.size(); ++i) {
        counts_[bodies[i].place] = &counts[i];
        for (size_t k = 0; k < bodies[i].values.size(); ++k) index_[{bodies[i].values[k].place, bodies[i].values[k].name}] = k;
    }
}
std::optional<std::string> FirstBadNode::find() {
    Scope main{.graph = &file_.main(), .known = inputs_};
    return find_in(0, main);
}

int FirstBadNode::body_of(int place) const {
    while (places_[place].kind == Place::Kind::call) place = places_[place].around;
    return place;
}
const Value* FirstBadNode::counts_of(int body, size_t trips) const {
    auto it = counts_.find(body);
    if (it == counts_.end()) return nullptr;
    const Value* at = it->second;
    size_t trip = 0;
    for (Place::Kind layer : places_.layers(body)) {
        if (layer == Place::Kind::trips && trip == trips) return at;
        if (layer == Place::Kind::arm && at->ctor_name() != "Some") return nullptr;
        at = &at->children()[layer == Place::Kind::trips ? trips_[trip++] : 0];
    }
    return at;
}

// Initializers of the graphs around count as what they hold.
BadElements FirstBadNode::of(const Scope& scope, std::string_view name) const {
    for (const Scope* at = &scope; at; at = at->around) {
        if (auto it = at->known.find(name); it != at->known.end()) return it->second;
        const onnx::TensorData* weight = at->graph ? at->graph->initializer(name) : nullptr;
        if (!weight) continue;
        Result<HostTensor> tensor = onnx::host_tensor(*weight, file_.storage);
        return tensor ? count_in(Value::tensor(std::move(*tensor))) : BadElements{};
    }
    return {};
}

std::optional<std::string> FirstBadNode::find_in(int place, Scope& scope) {
    const Value* counts = counts_of(body_of(place), trips_.size());
    for (const onnx::Node& node : places_.nodes(place)) {
        if (std::optional<std::string> found = find_inside(place, node, scope)) return found;
        for (std::string_view output : node.outputs) {
            auto it = index_.find({place, output});
            if (!counts || it == index_.end()) continue;
            auto number = [&](size_t i) { return int64_t(counts->children()[2 * it->second + i].tensor().as_f64(0)); };
            scope.known[output] = {number(0), number(1) - number(0)};
        }
        if (std::optional<std::string> found = blame(place, node, scope)) return found;
    }
    return std::nullopt;
}

std::optional<std::string> FirstBadNode::blame(int place, const onnx::Node& node, const Scope& scope) const {
    if (node.op_type == "Constant" || node.op_type == "ConstantOfShape") return std::nullopt;        // the file says so
    for (std::string_view output : node.outputs) {
        const BadElements made = output.empty() ? BadElements{} : of(scope, output);
        if (!made.any()) continue;
        BadElements given;
        std::vector<std::string_view> reads;
        reads_of(file_, node, reads);
        for (std::string_view name : reads) given += of(scope, name);
        const bool new_nan = made.nans > 0 && given.nans == 0, new_infinity = made.infinite > 0 && !given.any();
        if (new_nan || new_infinity)
            return onnx::node_title(node) + where(place) + " makes the first: '" + std::string(output) + "' holds " + text_of(made) + ", what it reads " + text_of(given);
    }
    return std::nullopt;
}

std::optional<std::string> FirstBadNode::find_inside(int place, const onnx::Node& node, Scope& scope) {
    if (const int called = places_.inside(place, node, nullptr); called > 0) {
        Scope inner;
        const std::vector<std::string_view>& inputs = places_[called].function->inputs;
        for (size_t i = 0; i < std::min(inputs.size(), node.inputs.size()); ++i) inner.known[inputs[i]] = of(scope, node.inputs[i]);
        return find_in(called, inner);
    }
    for (const onnx::Attribute& a : node.attributes) {
        const auto* graphs = std::get_if<std::vector<onnx::GraphId>>(&a.value);
        const int body = graphs && graphs->size() == 1 ? places_.inside(place, node, &file_[(*graphs)[0]]) : -1;
        if (body < 0) continue;
        std::optional<std::string> found;
        if (places_[body].kind == Place::Kind::trips) {
            found = find_in_trips(body, scope);
        } else if (counts_of(body, trips_.size())) {
            Scope inner{.around = &scope, .graph = places_[body].graph};
            found = find_in(body, inner);
        }
        if (found) return found;
    }
    return std::nullopt;
}

// Inputs of a body stand where those of its node do; a slice of an input is as bad as all of it.
std::optional<std::string> FirstBadNode::find_in_trips(int body, Scope& scope) {
    const Value* all = counts_of(body, trips_.size());
    const size_t trips = all ? all->children().size() : 0;
    const onnx::Graph& graph = *places_[body].graph;
    const onnx::Node& node = *places_[body].node;
    const States states = states_of(node);
    std::vector<BadElements> given;
    for (size_t i = 0; i < graph.inputs.size(); ++i) given.push_back(i < node.inputs.size() ? of(scope, node.inputs[i]) : BadElements{});
    for (size_t trip = 0; trip < trips; ++trip) {
        Scope inner{.around = &scope, .graph = &graph};
        for (size_t i = 0; i < graph.inputs.size(); ++i) inner.known[graph.inputs[i].name] = given[i];
        trips_.push_back(trip);
        std::optional<std::string> found = find_in(body, inner);
        trips_.pop_back();
        if (found) return found;
        for (size_t i = 0; i < states.count; ++i) given[states.first_input + i] = of(inner, graph.outputs[states.first_output + i].name);
    }
    return std::nullopt;
}

// " in trip 3 of Loop 'decode'"; trips count from 0.
std::string FirstBadNode::where(int place) const {
    std::string text;
    size_t trip = trips_.size();
    for (; place > 0; place = places_[place].around) {
        const Place& at = places_[place];
        switch (at.kind) {
        case Place::Kind::main: break;
        case Place::Kind::trips: text += " in trip " + std::to_string(trips_[--trip]) + " of " + onnx::node_title(*at.node); break;
        case Place::Kind::arm: text += " in an arm of " + onnx::node_title(*at.node); break;
        case Place::Kind::call: text += " in " + onnx::node_title(*at.node); break;
        }
    }
    return text;
}
} // namespace nereus
