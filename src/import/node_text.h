// import/node_text.h - one node being written: what its row asks for and what it says.
#pragma once
#include "import/onnx_model.h"
#include "import/op_rows.h"
#include <functional>
#include <string>

namespace nereus::onnx {
class TextWriter;
struct Call;

class NodeText {
 public:
    NodeText(TextWriter& writer, const Node& node, const OpRow& row, int64_t version);
    Status run();

    // What rows read. An attribute of another type is the node's error; it reads as if it were left out.
    const Node& node() const { return node_; }
    int64_t version() const { return version_; }       // of the operator's domain
    size_t input_count() const { return node_.inputs.size(); }
    bool has(size_t i) const;
    std::string in(size_t i);                          // %x
    size_t output_count() const { return node_.outputs.size(); }
    bool wants(size_t i) const { return i < node_.outputs.size() && !node_.outputs[i].empty(); }
    const Attribute* attribute(std::string_view name) const;
    int64_t integer(std::string_view name, int64_t otherwise);
    ElemType elem_type(std::string_view name, ElemType otherwise);
    double real(std::string_view name, double otherwise);
    std::string_view word(std::string_view name, std::string_view otherwise);
    std::optional<std::vector<int64_t>> integers(std::string_view name);
    std::optional<std::vector<float>> reals(std::string_view name);
    std::optional<std::vector<std::string_view>> words(std::string_view name);
    const TensorData* tensor(std::string_view name);
    std::optional<GraphId> graph(std::string_view name);
    std::optional<ElemType> input_type(size_t i) const;      // of its elements, as the file says; nothing: it does not
    std::optional<ElemType> output_type(size_t i) const;
    ElemType takes(GraphId graph) const;               // of the elements of its first parameter, as it says
    // Of an input that the file knows: an initializer, what a Constant gives, the same in another form, or a Concat of such.
    std::optional<std::vector<int64_t>> constant_integers(size_t i) const;
    std::optional<std::vector<int64_t>> constant_integers(std::string_view name) const;
    std::optional<std::vector<double>> constant_reals(size_t i) const;               // of f32 that the file knows
    const Node* producer(std::string_view name) const; // the node that gives it; null: none
    std::string value(std::string_view name);          // %x, of any value in scope
    // A vector of sizes some of which a caller or elements decide, as far as the file tells: these may be 0 or -1 and mean what
    // the operator says they mean. Those that are computed from sizes mean themselves.
    bool decided_by_elements(size_t i) const;
    bool is_optional(size_t i) const;                  // an Option, as far as the file and its Optional nodes tell
    bool is_sequence(size_t i) const;                  // a Seq, as far as the file and the nodes that make sequences tell
    const Graph& operator[](GraphId graph) const;

    // What rows write.
    std::string named(std::string_view stem, const std::string& expression);        // %t = expression; gives %t
    std::string fresh(std::string_view stem);          // %t, a name that nothing has yet
    void line(const std::string& statement);
    void give(const std::string& expression);          // the node's outputs; of several, a tuple of as many as the row has
    void give_each(const std::vector<std::string>& expressions);
    std::string weight(const TensorData& data, std::string_view stem);
    std::string dense(std::string_view name);          // an attribute that is a sparse tensor
    // Numbers that the row has made, as a constant of these sizes; `stem` is a literal.
    std::string table(std::string_view stem, std::vector<int64_t> dims, const std::vector<int64_t>& values);
    std::string table(std::string_view stem, std::vector<int64_t> dims, const std::vector<float>& values);
    std::string table(std::string_view stem, std::vector<int64_t> dims, const std::vector<double>& values);
    void know_output(const TensorData& data);          // its only output is this
    // The body of a loop or an arm: its parameters are bound to the given texts; ends in `end`, of its outputs.
    std::string block(GraphId graph, std::span<const std::string> parameters, const std::function<std::string(const std::vector<std::string>&)>& end);
    // What is looked at inside (looks.h): its numbers, its text at the end of a block, and how it comes out of this node.
    const std::vector<int>& looks_in(GraphId graph) const;
    std::string seen(int number) const;
    void pass_on(int number, std::string text);
    void refuse(std::string why);                      // this node, in words

 private:
    std::optional<std::vector<int64_t>> constant_integers(std::string_view name, int depth, int& looks) const;
    bool decided_by_elements(std::string_view name, int depth, int& looks) const;
    std::string filled();
    std::string attribute_text(std::string_view spec_name, std::optional<std::string_view> otherwise);

    TextWriter& writer_;
    const Node& node_;
    const Call* call_;                                 // that the node is in, of a function; null: none
    const OpRow& row_;
    int64_t version_;
    Status status_ = {};
};

std::string real_text(double value, bool single);      // that reads back as the same number
std::string integer_text(int64_t value);                // in parentheses below 0
std::string vector_text(std::span<const int64_t> values);
std::string text_text(std::string_view text);           // of rank 0
std::string texts_text(std::span<const std::string_view> texts);
} // namespace nereus::onnx
