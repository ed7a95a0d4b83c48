// import/text_writer.h - the text as it grows: names of values in the graphs around, lines, weights.
#pragma once
#include "import/looks.h"
#include "import/size_expression.h"
#include <functional>
#include <map>
#include <set>
#include <unordered_map>

namespace nereus::onnx {
class NodeText;
struct OpRow;

// Identifiers of the language for names of ONNX, which may be any text: letters, digits and _ stay.
class Names {
 public:
    std::string fresh(std::string_view wish, std::string_view otherwise);        // no other one is the same

 private:
    std::unordered_map<std::string, int> used_;        // and the number to try next
};

std::string_view dtype_text(ElemType type);            // f32; empty: the language has no such elements

// A call of a function of the model, whose nodes are written in its place.
struct Call {
    const Function& function;
    const NodeText& node;                              // says what the attributes are
    const Call* around;
};

class TextWriter {
 public:
    TextWriter(const ModelFile& model, const TextOptions& options) : model_(model), options_(options) {}
    Result<ModelText> run();

    const ModelFile& model() const { return model_; }
    Status nodes(std::span<const Node> nodes);
    std::string look_up(std::string_view name);        // %x; a name that nothing gives is an error of run()
    const TensorData* constant(std::string_view name) const;
    void know_constant(std::string_view name, const TensorData* data) { scopes_.back()[name].constant = data; }
    const Node* producer(std::string_view name) const; // null: none, or an input
    const TypeInfo* type(std::string_view name) const; // as the file says; null: it does not
    const TypeInfo* declared(std::string_view name) const;   // of a value that is not bound yet
    bool is_absent(std::string_view name) const;       // an input of a function that its call leaves out
    std::string bind(std::string_view name);           // a new %x for a value of the graph at hand
    std::string temporary(std::string_view stem) { return "%" + values_.fresh(stem, "t"); }
    std::string weight(const TensorData& data, std::string_view stem);
    std::string dense(const SparseTensor& sparse);
    std::string table(ElemType type, std::vector<int64_t> dims, std::vector<std::byte> bytes, std::string_view stem);
    void line(const std::string& statement);
    // Everything that `body` writes goes into a block of its own, which is given back with its braces.
    Result<std::string> block(const std::function<Result<std::string>()>& body);
    Status enter(const Graph& graph);                  // its weights
    void name(std::string_view name, std::string text) { scopes_.back()[name].text = std::move(text); }
    const Call* call() const { return call_; }         // that is being written out; null: the main graph is

    // The place that is being written, and what is looked at in it: numbers of Looks with their texts.
    struct Inner {
        int place = 0;
        std::unordered_map<int, std::string> seen = {};
        std::vector<Places::Value> counted = {};
        std::string counts = {};
    };
    const Looks& looks() const { return looks_; }
    Inner& inner() { return inner_; }
    void see_all();                                    // at the end of a place, while its names are known

 private:
    struct Known {                                     // of a value, by its name in the file
        std::string text;                              // %x; empty: not bound here
        const TensorData* constant = nullptr;
        const Node* producer = nullptr;
        const TypeInfo* type = nullptr;
        bool is_absent = false;
    };
    struct Scope : std::unordered_map<std::string_view, Known> { bool is_function = false; };      // which sees no scope around
    const Known* find(std::string_view name) const;
    Status call_function(const Function& function, NodeText& node);
    bool is_given(std::string_view name) const;        // an input, as TextOptions::given says
    Status gives_new_names(const Node& node) const;
    void note_early(const OpRow& row, int64_t version);
    Status parameters(ModelText& out, std::string& out_header);
    void note_values(size_t written, const Node& node);
    void count_elements(const Node& node);             // what TextOptions::counted asks for
    Status add_looks(ModelText& out);
    Result<std::string> type_text(const TypeInfo& type);
    std::string shape_text(const TypeInfo& type);
    std::string rank_text(const TypeInfo& type) const;
    void find_size_expressions();
    std::string dim_text(const Dim& dim);
    std::string size_name(std::string_view param);
    std::string bounded(std::string size);             // where sizes become i32, those of the inputs must be known to fit

    const ModelFile& model_;
    const TextOptions& options_;
    Names values_, dims_;
    std::unordered_map<std::string_view, std::string> dim_names_;
    std::unordered_map<std::string_view, SizeExpression> size_expressions_;      // by what the file says
    std::vector<Scope> scopes_;
    const Call* call_ = nullptr;
    int depth_ = 0;                                    // of graphs in graphs and calls in calls
    std::vector<WrittenNode> written_;
    Looks looks_;
    Inner inner_;
    std::unordered_map<int, std::vector<Places::Value>> counted_;    // by place
    std::vector<Weight> weights_;
    Tables tables_;
    std::unordered_map<const TensorData*, std::string> weight_names_;
    std::string out_, label_, facts_;
    bool casts_to_i32_ = false;
    int indent_ = 1;
    Status missing_ = {};                              // the first name that nothing gives
    std::vector<ModelNote> notes_;
    std::set<std::string> early_;                      // operators that are newer than the model's version of them
};
} // namespace nereus::onnx
