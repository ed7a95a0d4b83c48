// import/op_dtypes.h - which dtypes an operator of ONNX takes, found by trial: test/onnx_dtypes_test.py writes the rows.
#pragma once
#include <string_view>

namespace nereus::onnx {
// In words, for docs/onnx_support.md; empty: there is no row.
std::string_view op_dtypes(std::string_view domain, std::string_view name);
} // namespace nereus::onnx
