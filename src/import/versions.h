// import/versions.h - of which versions a model says it is: of the file's form, and of the operators of each domain.
#pragma once
#include "base/result.h"
#include "import/onnx_model.h"

namespace nereus::onnx {
// The version of a domain that counts in the graphs of a model, or in a function of it.
int64_t version_of(std::string_view domain, const ModelFile& model, const Function* function);
// A version that no file can have is an error. One that is newer than those known may mean what they do: it gets a note.
Status check_versions(const ModelFile& model, std::vector<ModelNote>& out_notes);
} // namespace nereus::onnx
