// import/op_attributes.h - what the specification of ONNX knows: the attributes that an operator has in any of its versions, and
// the newest versions. test/onnx_attributes_test.py writes the rows.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace nereus::onnx {
// With a space between them; nothing: the specification does not have the operator.
std::optional<std::string_view> op_attributes(std::string_view domain, std::string_view name);
std::optional<int64_t> newest_version(std::string_view domain);
} // namespace nereus::onnx
