// import/cut_model.h - parts of a model as models of their own, to find the node that does what it should not.
#pragma once
#include "import/onnx_model.h"
#include <functional>
#include <unordered_map>

namespace nereus::onnx {
class ModelCutter {
 public:
    // The type that a value gets where it becomes an input of a part. Nothing: its node goes with the part instead.
    using TypeOf = std::function<std::optional<TypeInfo>(std::string_view name)>;

    explicit ModelCutter(const ModelFile& model);      // which outlives this; nodes stand behind what they read
    size_t node_count() const { return reads_.size(); }            // of the main graph
    ModelFile with_all_outputs() const;                // its own, then what every node gives
    // Nodes first … last - 1; outputs are what they give.
    ModelFile window(size_t first, size_t last, const TypeOf& type_of) const;
    // All nodes, but whatever may be an input is one: none of them reads what another computed there. What the node gives has the
    // name with `found_mark` behind it. Lives no longer than this.
    ModelFile apart(const TypeOf& type_of);
    static constexpr std::string_view found_mark = " (found)";

 private:
    ModelFile with_nodes(const std::vector<bool>& chosen, const std::vector<std::string_view>& outputs, const TypeOf& type_of) const;
    bool is_constant(std::string_view name) const;     // the same for all inputs

    const ModelFile& model_;
    std::vector<std::vector<std::string_view>> reads_; // per node, by graphs inside too
    std::unordered_map<std::string_view, size_t> producer_;
    std::unordered_map<std::string_view, const TensorData*> initializers_;
    std::vector<bool> varies_;                         // per node: it reads an input, or something that does
    std::vector<std::string> names_;
};
} // namespace nereus::onnx
