#include "import/elem_type.h"
#include <string>

namespace nereus::onnx {
namespace {
struct ElemRow { ElemType type; std::string_view name; int bits; };
constexpr ElemRow rows[] = {
    {ElemType::undefined, "undefined", 0},
    {ElemType::float32, "float", 32},
    {ElemType::uint8, "uint8", 8},
    {ElemType::int8, "int8", 8},
    {ElemType::uint16, "uint16", 16},
    {ElemType::int16, "int16", 16},
    {ElemType::int32, "int32", 32},
    {ElemType::int64, "int64", 64},
    {ElemType::string, "string", 0},
    {ElemType::boolean, "bool", 8},
    {ElemType::float16, "float16", 16},
    {ElemType::float64, "double", 64},
    {ElemType::uint32, "uint32", 32},
    {ElemType::uint64, "uint64", 64},
    {ElemType::complex64, "complex64", 64},
    {ElemType::complex128, "complex128", 128},
    {ElemType::bfloat16, "bfloat16", 16},
    {ElemType::float8e4m3fn, "float8e4m3fn", 8},
    {ElemType::float8e4m3fnuz, "float8e4m3fnuz", 8},
    {ElemType::float8e5m2, "float8e5m2", 8},
    {ElemType::float8e5m2fnuz, "float8e5m2fnuz", 8},
    {ElemType::uint4, "uint4", 4},
    {ElemType::int4, "int4", 4},
    {ElemType::float4e2m1, "float4e2m1", 4},
    {ElemType::float8e8m0, "float8e8m0", 8},
    {ElemType::uint2, "uint2", 2},
    {ElemType::int2, "int2", 2},
    {ElemType::float6e2m3, "float6e2m3", 6},
    {ElemType::float6e3m2, "float6e3m2", 6},
};
static_assert(std::size(rows) == elem_type_count);
static_assert([] {
    for (int i = 0; i < elem_type_count; ++i)
        if (rows[i].type != ElemType(i)) return false;
    return true;
}());
} // namespace

std::string_view onnx_type_name(ElemType type) { return rows[int(type)].name; }
int element_bits(ElemType type) { return rows[int(type)].bits; }

Result<ElemType> elem_type_of_number(int64_t number) {
    if (number >= 0 && number < elem_type_count) return ElemType(number);
    return Error{Code::unsupported, "element type number " + std::to_string(number) + " is not one that ONNX has"};
}

Result<int64_t> element_count(std::span<const int64_t> dims) {
    int64_t count = 1;
    bool overflow = false, empty = false;
    for (int64_t dim : dims) {
        if (dim < 0) return Error{Code::shape, "a size of " + std::to_string(dim) + "; sizes are never negative"};
        empty |= dim == 0;
        overflow |= __builtin_mul_overflow(count, dim, &count);
    }
    if (empty) return int64_t(0);
    if (overflow) return Error{Code::shape, "more elements than 64 bits can count"};
    return count;
}

Result<int64_t> byte_count(ElemType type, std::span<const int64_t> dims) {
    int64_t bits = 0;
    const int64_t count = TRY(element_count(dims));
    if (__builtin_mul_overflow(count, int64_t(element_bits(type)), &bits) || bits > INT64_MAX - 7)
        return Error{Code::shape, "more bytes than 64 bits can count"};
    return (bits + 7) / 8;
}
} // namespace nereus::onnx
