// import/elem_type.h - ONNX's element types: all that a file can name, whether or not we compute with them.
#pragma once
#include "base/result.h"
#include <cstdint>
#include <span>
#include <string_view>

namespace nereus::onnx {
enum class ElemType : uint8_t {                        // the numbers of TensorProto.DataType
    undefined, float32, uint8, int8, uint16, int16, int32, int64, string, boolean, float16, float64, uint32, uint64,
    complex64, complex128, bfloat16, float8e4m3fn, float8e4m3fnuz, float8e5m2, float8e5m2fnuz, uint4, int4, float4e2m1,
    float8e8m0, uint2, int2, float6e2m3, float6e3m2,
};
inline constexpr int elem_type_count = 29;

std::string_view onnx_type_name(ElemType type);        // as ONNX writes it: float, double, bool, float8e4m3fn
Result<ElemType> elem_type_of_number(int64_t number);

// Below 8: elements are a stream of bits, each byte filled from its lowest bit. 0: strings and undefined.
int element_bits(ElemType type);
Result<int64_t> element_count(std::span<const int64_t> dims);                    // refused: negative dims, overflow
Result<int64_t> byte_count(ElemType type, std::span<const int64_t> dims);        // the last byte may be filled in part
} // namespace nereus::onnx
