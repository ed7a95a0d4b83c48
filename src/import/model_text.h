// import/model_text.h - an ONNX model as a program of the language: @main, a line for each node, written by the row of its
// operator (op_rows.h) in terms of operators and of the functions of prelude/onnx. The text is what errors show and what
// `nereus dump --after=import` prints.
#pragma once
#include "import/places.h"
#include <deque>
#include <string>

namespace nereus::onnx {
struct TextOptions {
    bool symbolic = false;                             // every size of an input is a name of its own
    bool apart = false;                                // sizes of one name may differ, and what is declared of rank 0 may have any
    bool unranked = false;                             // not even how many sizes an input has is known
    bool numbered = false;                             // lines end in #N: they were written for ModelText::nodes[N]
    std::vector<std::string> taps = {};                // values (places.h) that are outputs too, after its own
    std::vector<std::string> counted = {};             // floats: after those a tuple for each body (ModelText::counted)
    std::vector<std::string> given = {};               // inputs that callers give though an initializer is their default
};
struct Port { std::string_view name; std::string parameter; const TypeInfo* type; };       // parameter: without its %
struct Weight { std::string parameter; const TensorData* data; bool made = false; };       // made: in Tables
struct Tables { std::deque<TensorData> all; std::shared_ptr<Storage> storage; };          // that rows make of attributes
struct WrittenNode {                                   // in the order of the text, those of functions at each call
    const Node* node;
    std::vector<std::string> inputs = {}, outputs = {};          // as the text names them, without %; "": left out
    bool is_call = false;                              // of a function of the model: its nodes come next
};
struct CountedBody {                                   // for each value: how many NaNs it holds, how many elements that are not finite
    int place;                                         // in Places
    std::vector<Places::Value> values;
};
struct ModelText {
    std::string text;
    std::vector<Port> inputs, outputs;                 // several outputs are a tuple
    std::vector<CountedBody> counted;
    std::vector<WrittenNode> nodes;
    std::vector<std::pair<std::string_view, std::string>> dims;        // the model's names of sizes, and those in the text
    std::vector<Weight> weights;                       // parameters after the inputs; constants once the text is read
    Tables tables;
    std::vector<ModelNote> notes;
};
bool is_placeholder(std::string_view param);           // a size that may stand for several: None, -1, ?2
Result<ModelText> write_text(const ModelFile& model, const TextOptions& options);
} // namespace nereus::onnx
