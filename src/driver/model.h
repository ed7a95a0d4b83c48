// driver/model.h - an ONNX model as a module: its text (import/model_text.h) is parsed like any program, then the parameters
// that stand for weights become constants, which borrow the mapped file.
#pragma once
#include "exe/executable.h"
#include "import/model_text.h"
#include "ir/module.h"

namespace nereus {
struct ModelModule {
    Module module;                           // @main takes the model's inputs
    std::string text;
    std::vector<std::string> inputs, outputs;            // as the model names them, in order
    std::vector<onnx::WrittenNode> nodes;                // of the model's file, which must outlive this
    std::vector<onnx::CountedBody> counted;              // likewise
    std::vector<std::pair<std::string, std::string>> dims;           // the model's names of sizes, and the module's
    std::vector<onnx::ModelNote> notes = {};
};
Result<ModelModule> parse_model(const onnx::ModelFile& model, const onnx::TextOptions& options, const std::string& path, std::vector<SourceText>* out_sources = nullptr);
// Writes the model's own names into the entry point that its module became.
void hint_at_names(Executable& exe);         // where sizes of one name must be one at the door: that they may be taken apart
void name_ports(Executable& exe, std::span<const std::string> inputs, std::span<const std::string> outputs);
} // namespace nereus
