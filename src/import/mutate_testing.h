// import/mutate_testing.h - another model out of one or two: its structure is changed, so that the reader lets most of them
// pass and what lies behind it gets to see them.
#pragma once
#include "import/op_rows.h"
#include "import/read_model.h"
#include "import/write_model.h"
#include <algorithm>
#include <cstring>
#include <limits>
#include <random>

namespace nereus::onnx {
class ModelMutator {
 public:
    ModelMutator(ModelFile model, unsigned seed) : model_(std::move(model)), random_(seed) {}
    std::string run() {
        for (size_t changes = 1 + below(3); changes > 0; --changes) change();
        return write_model(model_);
    }
    // With nodes, weights and inputs of another one.
    std::string crossed(const ModelFile& other) {
        Graph& to = model_.graphs[0];
        const Graph& from = other.main();
        for (const Node& node : from.nodes)
            if (below(2) && !has_graphs(node)) to.nodes.insert(to.nodes.begin() + long(below(to.nodes.size() + 1)), node);
        to.initializers.insert(to.initializers.end(), from.initializers.begin(), from.initializers.end());
        if (below(2)) to.inputs.insert(to.inputs.end(), from.inputs.begin(), from.inputs.end());
        return run();
    }

 private:
    size_t below(size_t count) { return count ? random_() % count : 0; }
    template <class T> T& any(std::vector<T>& list) { return list[below(list.size())]; }
    template <class T> void shuffle_in(std::vector<T>& list) {         // drop one, double one, move one
        if (list.empty()) return;
        const size_t at = below(list.size());
        const T one = list[at];
        if (below(3) > 0) list.erase(list.begin() + long(at));
        if (below(3) > 0) list.insert(list.begin() + long(below(list.size() + 1)), one);
    }
    static bool has_graphs(const Node& node) {
        return std::ranges::any_of(node.attributes, [](const Attribute& each) { return std::holds_alternative<std::vector<GraphId>>(each.value); });
    }
    int64_t number() {
        static constexpr int64_t some[] = {0, 1, -1, 2, 3, 4, 5, 7, 8, -2, -3, 16, 63, 64, 65, 127, 128, 255, 256, 1000, 65536, INT32_MAX, INT32_MIN, int64_t(INT32_MAX) + 1,
                                           int64_t(1) << 40, int64_t(1) << 62, std::numeric_limits<int64_t>::max(), std::numeric_limits<int64_t>::min()};
        return some[below(std::size(some))];
    }
    float real() {
        static constexpr float some[] = {0, -0.0f, 1, -1, 0.5f, 2, 1e-30f, 1e30f, std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity(),
                                         std::numeric_limits<float>::quiet_NaN()};
        return some[below(std::size(some))];
    }
    std::string_view keep(std::string text) {
        const std::span<const char> chars(text);
        std::vector<std::byte>& kept = own_->packed.emplace_back(std::as_bytes(chars).begin(), std::as_bytes(chars).end());
        return {reinterpret_cast<const char*>(kept.data()), kept.size()};
    }
    const OpRow& any_row() {
        const std::span<const OpRow> family = op_families()[below(op_families().size())]();
        return family[below(family.size())];
    }
    std::string_view any_name() {                      // of some value, anywhere
        std::vector<std::string_view> names = {"", "x"};
        for (const Graph& graph : model_.graphs) {
            for (const ValueInfo& each : graph.inputs) names.push_back(each.name);
            for (const TensorData& each : graph.initializers) names.push_back(each.name);
            for (const Node& each : graph.nodes) names.insert(names.end(), each.outputs.begin(), each.outputs.end());
        }
        return any(names);
    }
    Dim dim() {
        static constexpr std::string_view names[] = {"n", "m", "batch", "n + 1", "2*n", "", "*", "n // 2", "1e9"};
        if (below(3) == 0) return {};
        if (below(2)) return number();
        return names[below(std::size(names))];
    }
    ElemType elem() { return ElemType(below(29)); }
    std::vector<std::vector<Node>*> bodies() {
        std::vector<std::vector<Node>*> all;
        for (Graph& graph : model_.graphs) all.push_back(&graph.nodes);
        for (Function& function : model_.functions) all.push_back(&function.nodes);
        return all;
    }

    void change() {
        std::vector<std::vector<Node>*> all = bodies();
        std::vector<Node>& nodes = *any(all);
        Graph& graph = any(model_.graphs);
        switch (below(14)) {
        case 0: return shuffle_in(nodes);
        case 1: return shuffle_in(graph.initializers);
        case 2: return shuffle_in(below(2) ? graph.inputs : graph.outputs);
        case 3: if (!graph.inputs.empty()) change(any(graph.inputs).type); return;
        case 4: if (!graph.value_info.empty()) change(any(graph.value_info).type); return;
        case 5: if (!graph.initializers.empty()) change(any(graph.initializers)); return;
        case 6: if (!model_.opset_imports.empty()) any(model_.opset_imports).version = below(2) ? 1 + int64_t(below(26)) : number(); return;
        case 7: if (!graph.outputs.empty()) any(graph.outputs).name = any_name(); return;
        case 8: if (!nodes.empty()) wrap(nodes); return;
        default: if (!nodes.empty()) change(any(nodes)); return;
        }
    }
    // Calls of a function that is made of some of the nodes, itself among them at times.
    void wrap(std::vector<Node>& nodes) {
        if (below(4)) return change(any(nodes));
        Function function;
        function.domain = "f", function.name = keep("f" + std::to_string(model_.functions.size()));
        function.opset_imports = model_.opset_imports;
        function.nodes.push_back(any(nodes));
        function.inputs = function.nodes[0].inputs, function.outputs = function.nodes[0].outputs;
        Node call = function.nodes[0];
        call.op_type = function.name, call.domain = "f", call.attributes.clear();
        if (below(3) == 0) function.nodes.push_back(call);
        nodes.push_back(call);                         // they may be those of a function, which the next line moves
        model_.functions.push_back(function);
    }
    void change(Node& node) {
        switch (below(9)) {
        case 0: node.op_type = any_row().name; return;
        case 1: shuffle_in(node.inputs); return;
        case 2: shuffle_in(node.outputs); return;
        case 3: if (!node.inputs.empty()) any(node.inputs) = any_name(); return;
        case 4: if (below(3) == 0) node.inputs.push_back(any_name()); return;
        case 5: if (below(6) == 0) shuffle_in(node.attributes); return;
        case 6: node.attributes.push_back(new_attribute()); return;
        default: if (!node.attributes.empty()) change(any(node.attributes)); return;
        }
    }
    Attribute new_attribute() {                        // one that some operator has
        const std::string_view all = any_row().attributes;
        size_t begin = all.empty() ? 0 : below(all.size());
        begin = all.rfind(' ', begin) == all.npos ? 0 : all.rfind(' ', begin) + 1;
        Attribute made;
        made.name = all.substr(begin, all.find_first_of("=,", begin) - begin);
        made.type = AttributeType::int_, made.value = number();
        change(made);
        return made;
    }
    void change(Attribute& attribute) {
        if (int64_t* value = std::get_if<int64_t>(&attribute.value); value && below(4)) *value = number();
        else if (float* value = std::get_if<float>(&attribute.value); value && below(4)) *value = real();
        else if (auto* values = std::get_if<std::vector<int64_t>>(&attribute.value); values && below(6)) {
            if (!values->empty() && below(2)) any(*values) = number();
            else if (below(2)) values->push_back(number());
            else shuffle_in(*values);
        } else if (auto* graphs = std::get_if<std::vector<GraphId>>(&attribute.value); graphs && below(4)) {
            if (!graphs->empty() && graphs->back().index + 1 < model_.graphs.size() && below(2)) any(*graphs) = GraphId(graphs->back().index + 1);
        } else if (auto* tensors = std::get_if<std::vector<TensorData>>(&attribute.value); tensors && !tensors->empty()) change((*tensors)[0]);
        else if (auto* types = std::get_if<std::vector<TypeInfo>>(&attribute.value); types && !types->empty()) change((*types)[0]);
        else retype(attribute);
    }
    void retype(Attribute& attribute) {
        static constexpr std::string_view words[] = {"", "same_upper", "SAME_UPPER", "linear", "constant", "ij,jk->ik", "...i,i->...", "i->", "->", "none", "add", "\"", "\n"};
        switch (below(4)) {
        case 0: attribute.type = AttributeType::float_, attribute.value = real(); return;
        case 1: attribute.type = AttributeType::ints, attribute.value = std::vector<int64_t>{number(), number()}; return;
        case 2: attribute.type = AttributeType::string, attribute.value = words[below(std::size(words))]; return;
        default: attribute.type = AttributeType::int_, attribute.value = number(); return;
        }
    }
    void change(TypeInfo& type) {
        switch (below(6)) {
        case 0: type.elem = elem(); return;
        case 1: type.shape.reset(); return;
        case 2: type.layers.push_back({TypeLayer::Kind(below(3)), ElemType::int64}); return;
        case 3: type.layers.clear(); return;
        case 4: if (type.shape) type.shape->push_back(dim()); return;
        default: if (type.shape && !type.shape->empty()) any(*type.shape) = dim(); return;
        }
    }
    // Bytes follow dims and type, or the reader would be all that sees it.
    void change(TensorData& tensor) {
        if (tensor.type == ElemType::string) return;
        std::vector<std::byte> bytes(tensor.bytes.begin(), tensor.bytes.end());
        switch (below(5)) {
        case 0: tensor.type = ElemType(1 + below(28)); break;
        case 1: if (!tensor.dims.empty()) any(tensor.dims) = int64_t(below(9)); break;
        case 2: shuffle_in(tensor.dims); break;
        case 3: if (!tensor.dims.empty() && below(8) == 0) any(tensor.dims) = std::max<int64_t>(0, number()); break;
        default:
            if (bytes.size() < 8) break;
            const int64_t value = number();
            std::memcpy(bytes.data() + below(bytes.size() / 8) * 8, &value, 8);
        }
        Result<int64_t> wanted = byte_count(tensor.type, tensor.dims);
        if (wanted && tensor.type != ElemType::string && *wanted <= 1 << 14) bytes.resize(size_t(*wanted));
        tensor.bytes = own_->packed.emplace_back(std::move(bytes));
    }

    ModelFile model_;
    std::mt19937 random_;
    std::shared_ptr<Storage> own_ = std::make_shared<Storage>();     // of what is new
};
} // namespace nereus::onnx
