// import/model_text.h - an ONNX model as a program of the language: @main, a line for each node, written by the row of its
// operator (op_rows.h) in terms of operators and of the functions of prelude/onnx. The text is what errors show and what
// `nereus dump --after=import` prints.
#pragma once
#include "import/onnx_model.h"
#include <deque>
#include <string>

namespace nereus::onnx {
struct TextOptions {
    bool symbolic = false;                             // every size of an input is a name of its own
};
struct Port { std::string_view name; std::string parameter; const TypeInfo* type; };       // parameter: without its %
struct Weight { std::string parameter; const TensorData* data; bool made = false; };       // made: in Tables
struct Tables { std::deque<TensorData> all; std::shared_ptr<Storage> storage; };          // that rows make of attributes
struct ModelText {
    std::string text;
    std::vector<Port> inputs, outputs;                 // several outputs are a tuple
    std::vector<Weight> weights;                       // parameters after the inputs; constants once the text is read
    Tables tables;
};
Result<ModelText> write_text(const ModelFile& model, const TextOptions& options);
} // namespace nereus::onnx
