// import/read_model.h - bytes to the structs of onnx_model.h. The file is hostile (K24): reading it allocates at most a small
// multiple of its size, does not recurse, and opens no other file but external data inside the model's folder.
//
// As in protobuf: unknown fields are skipped, repeated numbers may be packed or not, of a string or number given twice the
// last counts. An embedded message given twice, which protobuf would merge, is refused.
#pragma once
#include "import/onnx_model.h"

namespace nereus::onnx {
Result<ModelFile> read_model(const std::string& path);
// `bytes` outlive the model and whatever is compiled of it. External data lies in `folder`; without one it is refused.
Result<ModelFile> read_model(std::span<const std::byte> bytes, std::optional<std::string> folder = {});
} // namespace nereus::onnx
