// base/diagnostics.h - an Error as people read it: place, message, the line with a mark under it, hint, notes.
#pragma once
#include "base/error.h"
#include "base/source_text.h"
#include <map>
#include <set>
#include <span>

namespace nereus {
// prog.nr:3:7: error: message
//     %y = add(%x, %z)
//                  ^~
// hint: did you mean `%x`?
// Without a known place only the message, hint and notes. Every line ends in a newline. In the text of a model, or called from
// it, the node is the place: m.onnx: error: MatMul 'fc1': message
std::string render(const Error& error, std::span<const SourceText> sources, std::string_view severity = "error");
// On one line: MatMul 'fc1': message, or the message alone where it is told of no node.
std::string message_with_node(const Error& error, std::span<const SourceText> sources);
// The text that a model became, which its owner did not write: behind lines stands the node that they were written for.
bool is_of_model(const SourceText& source);
// Whose node or inputs an error is told of; null: of no model.
const SourceText* model_of(const Error& error, std::span<const SourceText> sources);
// What these lines were written for, "Conv 'stem'", but for those of no node; and a text that says no more than that.
std::map<int32_t, std::string> nodes_at(const SourceText& source, const std::set<int32_t>& lines);
SourceText text_of_nodes(const std::string& path, const std::map<int32_t, std::string>& nodes);
// With the names that values have for the owner of a model, by those in its text: argument %h_0 is input 'h.0'.
std::string with_names(std::string_view message, const std::map<std::string, std::string>& names);
} // namespace nereus
