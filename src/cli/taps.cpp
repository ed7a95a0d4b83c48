#include "cli/taps.h"
#include "base/suggest.h"
#include "cli/program_file.h"
#include "import/places.h"
#include "import/read_model.h"
#include "tensor/npy.h"
#include "value/npz.h"
#include <cstring>

namespace nereus {
namespace {
// A value by the name of its node, if no value is called so.
Result<std::string> value_of_node(const onnx::Places& places, const std::string& name, Error otherwise) {
    std::vector<std::string> names;
    std::vector<std::pair<int, const onnx::Node*>> found;
    for (int place = 0; place < places.size(); ++place)
        for (const onnx::Node& node : places.nodes(place)) {
            if (node.name.empty()) continue;
            names.push_back(places[place].path + std::string(node.name));
            if (names.back() == name || node.name == name) found.emplace_back(place, &node);
        }
    if (found.empty()) {
        const std::string meant = nearest(name, std::vector<std::string_view>(names.begin(), names.end()));
        if (otherwise.hint.empty() && !meant.empty()) otherwise.hint = "did you mean the node `" + meant + "`?";
        return otherwise;
    }
    std::vector<std::string> values;
    for (const auto& [place, node] : found)
        for (std::string_view output : node->outputs)
            if (!output.empty()) values.push_back(places.path({place, output}));
    if (values.size() == 1) return values[0];
    std::string all;
    for (const std::string& value : values) all += (all.empty() ? "" : ", ") + value;
    return Error{Code::name,
                 "node '" + name + "' gives " + (values.empty() ? "nothing" : "several values"),
                 {},
                 values.empty() ? "" : "say which: " + all};
}
} // namespace

Result<Taps> Taps::parse(const std::vector<std::string>& specs, const std::string& all, const std::string& model) {
    Taps taps;
    for (const std::string& spec : specs) {
        const size_t at = spec.rfind("=@");
        const std::string path = at == spec.npos ? "" : spec.substr(at + 2);
        if (at == 0 || !(path.ends_with(".npy") || path.ends_with(".npz"))) return Error{Code::usage, "--tap '" + spec.substr(0, 60) + "' is not a name and a file", {}, "write --tap NAME=@out.npy; what is no tensor goes to an .npz"};
        taps.names_.push_back(spec.substr(0, at));
        taps.paths_.push_back(path);
    }
    if (!all.empty() && !all.ends_with(".npz"))
        return Error{Code::usage, "--tap-all writes an .npz, and '" + all + "' does not end so"};
    if (taps.names_.empty() && all.empty()) return taps;
    const onnx::ModelFile file = TRY(onnx::read_model(TRY(program_file(model)).path));
    const onnx::Places places(file);
    for (std::string& name : taps.names_)
        if (auto value = places.find(name); !value) {
            Result<std::string> of_node = value_of_node(places, name, std::move(value).error());
            if (!of_node)
                return Error{of_node.error().code, model + ": " + of_node.error().message, {}, of_node.error().hint};
            name = std::move(*of_node);
        }
    if (all.empty()) return taps;
    taps.all_ = all;
    for (const onnx::Node& node : places.nodes(0))
        for (std::string_view output : node.outputs)
            if (!output.empty()) taps.names_.emplace_back(output);
    return taps;
}

onnx::TextOptions Taps::options() const { return {.taps = names_}; }

namespace {
using Kind = onnx::Place::Kind;

Result<Value> stacked(const std::vector<Value>& trips) {
    if (trips.empty()) return Error{Code::value, "its loop made no trip"};
    for (size_t i = 0; i < trips.size(); ++i) {
        if (!trips[i].is(Value::Kind::tensor) || is_text(trips[i].tensor().dtype())) return Error{Code::type, "what is no tensor of numbers cannot be stacked over trips"};
        if (trips[i].tensor().shape() != trips[0].tensor().shape()) return Error{Code::shape, "its shape in trip " + std::to_string(i) + " differs from that in trip 0"};
    }
    Extents shape = trips[0].tensor().shape();
    shape.insert(shape.begin(), int64_t(trips.size()));
    HostTensor all = TRY(HostTensor::make(trips[0].tensor().dtype(), shape));
    std::byte* to = all.count() > 0 ? TRY(all.mutable_bytes()) : nullptr;
    for (size_t i = 0; to && i < trips.size(); ++i) {
        const HostTensor& one = trips[i].tensor();
        std::memcpy(to + int64_t(i) * one.byte_size(), one.bytes(), size_t(one.byte_size()));
    }
    return Value::tensor(std::move(all));
}
// Without what the bodies around it made of a value: Options of arms, a Seq for every loop.
Result<Value> in_one(const Value& value, std::span<const Kind> layers) {
    if (layers.empty()) return value;
    if (layers[0] == Kind::arm) {
        if (value.ctor_name() != "Some") return Error{Code::value, "the arm that computes it did not run"};
        return in_one(value.children()[0], layers.subspan(1));
    }
    std::vector<Value> trips;
    for (const Value& trip : value.children()) trips.push_back(TRY(in_one(trip, layers.subspan(1))));
    return stacked(trips);
}
} // namespace

Status Taps::write(size_t tap, Value value, std::span<const Kind> layers) const {
    const std::string& path = paths_[tap];
    auto of_tap = [&](Error error, std::string hint) {
        error.message = "'" + names_[tap] + "': " + error.message;
        error.hint = std::move(hint);
        return error;
    };
    size_t arms = 0;                                     // around all loops: it ran or it did not
    while (arms < layers.size() && layers[arms] == Kind::arm) ++arms;
    if (layers.size() > arms && path.ends_with(".npz")) layers = layers.first(arms);
    Result<Value> made = in_one(value, layers);
    if (!made) return of_tap(std::move(made).error(), layers.size() > arms ? "an .npz takes the trips one by one" : "");
    if (path.ends_with(".npz")) return write_npz(path, *made);
    if (made->is(Value::Kind::tensor)) return write_npy(path, made->tensor());
    return of_tap({Code::type, "an .npy cannot hold a " + std::string(kind_name(made->kind()))}, "write it to an .npz");
}

std::function<Result<Value>(Value)> Taps::writer(const std::optional<onnx::ModelFile>& file) const {
    if (names_.empty() || !file) return {};
    return [this, &file](Value all) -> Result<Value> {
        const onnx::Places places(*file);
        const size_t own = all.children().size() - names_.size();        // of the model: one at least, so all is a tuple
        for (size_t i = 0; i < paths_.size(); ++i)
            TRY(write(i, all.children()[own + i], places.layers(TRY(places.find(names_[i])).place)));
        std::vector<Field> fields;
        for (size_t i = paths_.size(); i < names_.size(); ++i) fields.push_back({names_[i], all.children()[own + i]});
        if (!all_.empty()) TRY(write_npz(all_, fields));
        if (own == 1) return all.children()[0];
        return Value::tuple({all.children().begin(), all.children().begin() + std::ptrdiff_t(own)});
    };
}

std::vector<std::string> Taps::without(std::vector<std::string> outputs) const {
    outputs.resize(outputs.size() - std::min(outputs.size(), names_.size()));        // a program has none
    return outputs;
}
} // namespace nereus
