// import/text_writer.h - the text as it grows: names of values in the graphs around, lines, weights.
#pragma once
#include "import/model_text.h"
#include <functional>
#include <unordered_map>

namespace nereus::onnx {
// Identifiers of the language for names of ONNX, which may be any text: letters, digits and _ stay.
class Names {
 public:
    std::string fresh(std::string_view wish, std::string_view otherwise);        // no other one is the same

 private:
    std::unordered_map<std::string, int> used_;        // and the number to try next
};

std::string_view dtype_text(ElemType type);            // f32; empty: the language has no such elements

class TextWriter {
 public:
    TextWriter(const ModelFile& model, const TextOptions& options) : model_(model), options_(options) {}
    Result<ModelText> run();

    const ModelFile& model() const { return model_; }
    Status nodes(std::span<const Node> nodes);
    std::string look_up(std::string_view name);        // %x; a name that nothing gives is an error of run()
    const TensorData* constant(std::string_view name) const;
    void know_constant(std::string_view name, const TensorData* data) { scopes_.back().constants[name] = data; }
    std::string bind(std::string_view name);           // a new %x for a value of the graph at hand
    std::string temporary(std::string_view stem) { return "%" + values_.fresh(stem, "t"); }
    std::string weight(const TensorData& data, std::string_view stem);
    void line(const std::string& statement);
    // Everything that `body` writes goes into a block of its own, which is given back with its braces.
    Result<std::string> block(const std::function<Result<std::string>()>& body);
    Status enter(const Graph& graph);                  // its weights
    struct Scope { std::unordered_map<std::string_view, std::string> names; std::unordered_map<std::string_view, const TensorData*> constants; };
    std::vector<Scope>& scopes() { return scopes_; }
    int64_t version_of(std::string_view domain) const;

 private:
    Status supported();                                // or all that is not, at once
    Status parameters(ModelText& out, std::string& out_header);
    Result<std::string> type_text(const TypeInfo& type);
    std::string shape_text(const TypeInfo& type);
    std::string dim_text(const Dim& dim);

    const ModelFile& model_;
    const TextOptions& options_;
    Names values_, dims_;
    std::unordered_map<std::string_view, std::string> dim_names_;
    std::vector<Scope> scopes_;
    std::vector<Weight> weights_;
    std::unordered_map<const TensorData*, std::string> weight_names_;
    std::string out_;
    int indent_ = 1;
    Status missing_ = {};                              // the first name that nothing gives
};
} // namespace nereus::onnx
