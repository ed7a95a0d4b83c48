#include "cli/lint.h"
#include "cli/signatures.h"
#include "import/host_data.h"
#include "import/node_title.h"
#include "import/unknown_parts.h"
#include "ir/check_text.h"
#include <algorithm>
#include <set>

namespace nereus {
namespace {
// Operators that take sizes, places or counts as integers; those are what an export may have frozen.
constexpr std::string_view takes_sizes[] = {"Reshape", "Expand", "Slice", "Tile", "ConstantOfShape", "Range", "Split", "Pad", "Resize", "Upsample", "TopK", "OneHot"};
bool is_taker(const onnx::Node& node) { return std::ranges::find(takes_sizes, node.op_type) != std::end(takes_sizes); }

class Lint {
 public:
    Lint(Dynamism& dynamism, const SourceProgram& program) : dynamism_(dynamism), program_(program), module_(dynamism.module()) {
        const onnx::Graph& main = program.file->main();
        for (const std::vector<onnx::ValueInfo>* infos : {&main.outputs, &main.value_info})
            for (const onnx::ValueInfo& info : *infos) recorded_.emplace(info.name, &info.type);
        for (const onnx::TensorData& data : main.initializers) constants_.emplace(data.name, &data);
        for (const onnx::Node& node : main.nodes)
            for (const onnx::Attribute& a : node.attributes)
                if (const auto* tensors = std::get_if<std::vector<onnx::TensorData>>(&a.value); tensors && node.op_type == "Constant" && node.outputs.size() == 1)
                    constants_.emplace(node.outputs[0], &(*tensors)[0]);
        for (Sym symbol : module_.functions[0].symbols) of_inputs_.insert(symbol);
    }
    std::vector<LintWarning> run() {
        fixed_sizes();
        for (const onnx::WrittenNode& written : program_.nodes)
            if (is_taker(*written.node)) frozen_constants(written);
        recorded_shapes();
        for (const onnx::ModelNote& note : program_.notes) found_.push_back({note.rule, "", note.what, note.done});
        unknown();
        return std::move(found_);
    }

 private:
    bool varies(Dim dim) const {                 // with the sizes of inputs
        return std::ranges::any_of(module_.dims.symbols_of(dim), [&](Sym symbol) { return of_inputs_.contains(symbol); });
    }
    // A check that stays compares a size that inputs decide with a number: the model serves no other.
    void fixed_sizes() {
        for (const DimFact& fact : needed_facts(module_, FunctionId(0))) {
            const onnx::Node* node = dynamism_.node_at(fact.span);
            if (!node || (fact.relation != Relation::equal && fact.relation != Relation::compatible)) continue;
            const bool left = varies(fact.left), right = varies(fact.right);
            const bool fixes = (left && module_.dims.constant_value(fact.right)) || (right && module_.dims.constant_value(fact.left));
            if (!fixes) continue;
            const std::string number = dynamism_.dim_text(left ? fact.right : fact.left), size = dynamism_.dim_text(left ? fact.left : fact.right);
            const std::string must = size + (fact.relation == Relation::equal ? " is " + number : " is " + number + " or 1");
            frozen_.insert(node);
            found_.push_back({"fixed_size", onnx::node_title(*node), "works only where " + must + ", though the input leaves it open",
                              node->op_type == "Reshape"  ? "write -1 or 0 in its target, or compute it with Shape"
                              : is_taker(*node)           ? "compute its sizes with Shape, or declare the input's size as a number"
                                                          : "declare the input's size as a number, or export with another one"});
        }
    }
    std::optional<std::set<int64_t>> integers(std::string_view name) const {
        auto it = constants_.find(name);
        if (it == constants_.end() || it->second->dims.size() > 1 || it->second->type != onnx::ElemType::int64) return std::nullopt;
        const Result<HostTensor> tensor = onnx::host_tensor(*it->second, program_.file->storage);
        if (!tensor) return std::nullopt;
        const std::span<const int64_t> values = tensor->data<int64_t>();
        return std::set<int64_t>(values.begin(), values.end());
    }
    // The number that was recorded for an axis of a value whose size inputs decide; calls `each` with it and the size.
    template <class Each> void recorded_numbers(std::string_view name, const std::string& text, const Each& each) const {
        auto info = recorded_.find(name);
        const Shape* shape = dynamism_.shape_of(text);
        if (info == recorded_.end() || !info->second->shape || !shape || !shape->ranked || shape->dims.size() != info->second->shape->size()) return;
        for (size_t axis = 0; axis < shape->dims.size(); ++axis)
            if (const int64_t* number = std::get_if<int64_t>(&(*info->second->shape)[axis]); number && varies(shape->dims[axis])) each(axis, *number, shape->dims[axis]);
    }
    void frozen_constants(const onnx::WrittenNode& written) {
        const onnx::Node& node = *written.node;
        if (frozen_.contains(&node)) return;
        for (size_t argument = 0; argument < node.inputs.size(); ++argument) {
            const std::optional<std::set<int64_t>> numbers = integers(node.inputs[argument]);
            if (!numbers) continue;
            auto look = [&](std::string_view name, const std::string& text) {
                recorded_numbers(name, text, [&](size_t axis, int64_t number, Dim size) {
                    if (number <= 1 || !numbers->contains(number) || !frozen_.insert(&node).second) return;
                    found_.push_back({"frozen_constant", onnx::node_title(node),
                                      "its constant '" + std::string(node.inputs[argument]) + "' holds " + std::to_string(number) + ", recorded for axis " + std::to_string(axis) + " of '" +
                                          std::string(name) + "', which is " + dynamism_.dim_text(size),
                                      "it looks like the size of the example that was exported: compute it with Shape"});
                });
            };
            if (!node.inputs.empty()) look(node.inputs[0], written.inputs[0]);
            for (size_t i = 0; i < node.outputs.size(); ++i) look(node.outputs[i], written.outputs[i]);
        }
    }
    void recorded_shapes() {
        size_t count = 0;
        std::string example;
        for (const onnx::WrittenNode& written : program_.nodes)
            for (size_t i = 0; i < written.node->outputs.size(); ++i) {
                bool differs = false;
                recorded_numbers(written.node->outputs[i], written.outputs[i], [&](size_t axis, int64_t number, Dim size) {
                    if (example.empty()) example = "axis " + std::to_string(axis) + " of '" + std::string(written.node->outputs[i]) + "' is " + dynamism_.dim_text(size) + ", recorded as " + std::to_string(number);
                    differs = true;
                });
                count += differs;
            }
        if (count == 0) return;
        found_.push_back({"recorded_shape", "", "shapes recorded for " + std::to_string(count) + (count == 1 ? " value have" : " values have") + " numbers where sizes of inputs decide: " + example,
                          "they are not believed here, but others may: infer shapes of the model again"});
    }
    void unknown() {
        for (onnx::Unknown& part : onnx::unknown_parts(*program_.file))
            found_.push_back({"unknown_attribute", onnx::node_title(*part.node), std::move(part.what), std::move(part.hint)});
    }

    Dynamism& dynamism_;
    const SourceProgram& program_;
    const Module& module_;
    std::map<std::string_view, const onnx::TypeInfo*> recorded_;
    std::map<std::string_view, const onnx::TensorData*> constants_;
    std::set<Sym> of_inputs_;
    std::set<const onnx::Node*> frozen_;         // reported already
    std::vector<LintWarning> found_;
};
} // namespace

std::vector<LintWarning> lint(Dynamism& dynamism, const SourceProgram& program) { return Lint(dynamism, program).run(); }
} // namespace nereus
