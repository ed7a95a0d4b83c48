#include "import/elem_type.h"
#include <gtest/gtest.h>

namespace nereus::onnx {
TEST(ElemType, NumbersNamesAndBitsAreThoseOfOnnx) {
    const struct { int number; std::string_view name; int bits;
    } rows[] = {
                                                                                      // onnx.TensorProto.DataType.items()
        {0, "undefined", 0},       {1, "float", 32},        {2, "uint8", 8},           {3, "int8", 8},
        {4, "uint16", 16},         {5, "int16", 16},        {6, "int32", 32},          {7, "int64", 64},
        {8, "string", 0},          {9, "bool", 8},          {10, "float16", 16},       {11, "double", 64},
        {12, "uint32", 32},        {13, "uint64", 64},      {14, "complex64", 64},     {15, "complex128", 128},
        {16, "bfloat16", 16},      {17, "float8e4m3fn", 8}, {18, "float8e4m3fnuz", 8}, {19, "float8e5m2", 8},
        {20, "float8e5m2fnuz", 8}, {21, "uint4", 4},        {22, "int4", 4},           {23, "float4e2m1", 4},
        {24, "float8e8m0", 8},     {25, "uint2", 2},        {26, "int2", 2},           {27, "float6e2m3", 6},
        {28, "float6e3m2", 6},
    };
    ASSERT_EQ(std::size(rows), size_t(elem_type_count));
    for (const auto& row : rows) {
        const ElemType type = *elem_type_of_number(row.number);
        EXPECT_EQ(onnx_type_name(type), row.name);
        EXPECT_EQ(element_bits(type), row.bits) << row.name;
    }
    EXPECT_EQ(elem_type_of_number(29).error().code, Code::unsupported);
    EXPECT_EQ(elem_type_of_number(-1).error().code, Code::unsupported);
}

TEST(ElemType, BytesAreRoundedUp) {
    const std::vector<int64_t> five = {5}, none = {3, 0}, scalar = {};
    EXPECT_EQ(*byte_count(ElemType::int4, five), 3);
    EXPECT_EQ(*byte_count(ElemType::uint2, five), 2);
    EXPECT_EQ(*byte_count(ElemType::float6e2m3, five), 4);
    EXPECT_EQ(*byte_count(ElemType::float64, scalar), 8);
    EXPECT_EQ(*byte_count(ElemType::float64, none), 0);
    EXPECT_EQ(*byte_count(ElemType::string, five), 0);
}

TEST(ElemType, SizesThatOverflowAreRefused) {
    const std::vector<int64_t> many = {int64_t(1) << 32, int64_t(1) << 31}, most = {INT64_MAX}, negative = {2, -1},
                               empty = {int64_t(1) << 62, 8, 0};
    EXPECT_EQ(element_count(many).error().code, Code::shape);
    EXPECT_EQ(*element_count(most), INT64_MAX);
    EXPECT_EQ(byte_count(ElemType::int8, most).error().code, Code::shape);
    EXPECT_EQ(byte_count(ElemType::int2, negative).error().code, Code::shape);
    EXPECT_EQ(*element_count(empty), 0);
}
} // namespace nereus::onnx
