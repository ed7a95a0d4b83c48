// cli/names_apart.h - names of sizes in a model: one size each, which makes good code, or hints. What is given decides:
// where sizes of one name differ, the model is compiled again.
#pragma once
#include "cli/commands.h"

namespace nereus {
Status check_names_flag(const Arguments& arguments);   // --names takes apart
onnx::TextOptions with_names_flag(onnx::TextOptions how, const Arguments& arguments);

struct GivenInput { std::string_view name; const Value* value; };        // by the model's name
// Where what is given has two sizes of one name, or a rank where none is declared; nothing: it does not.
std::optional<std::string> names_differ(const onnx::ModelFile& model, std::span<const GivenInput> given);
// The same of a call's arguments, in the order of the model's inputs.
std::optional<std::string> names_differ(const onnx::ModelFile& model, std::span<const std::string> inputs,
                                        std::span<const Value> values);
std::string compiled_apart(const std::string& why);    // in words
} // namespace nereus
