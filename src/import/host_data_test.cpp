#include "import/host_data.h"
#include "import/onnx_testing.h"
#include <gtest/gtest.h>

namespace nereus::onnx {
// Four and two bits lie several in a byte, the first one lowest; ours take a byte each.
TEST(HostData, PackedElementsAreTakenApart) {
    auto codes = [](ElemType type, int64_t count, std::string_view bytes) {
        const Message tensor = tensor_message("w", type, {count}).text(9, bytes);
        Result<DataFile> file = read_data(tensor.bytes(), DataKind::tensor);
        Result<Value> value = value_of(*file);
        std::string out(dtype_name(value->tensor().dtype()));
        for (int64_t i = 0; i < count; ++i) out += " " + std::to_string(int(value->tensor().bytes()[i]));
        return out;
    };
    EXPECT_EQ(codes(ElemType::int4, 3, "\x21\xff"), "i4 1 2 15");
    EXPECT_EQ(codes(ElemType::float4e2m1, 2, "\xa7"), "f4e2m1 7 10");
    EXPECT_EQ(codes(ElemType::uint2, 5, "\xe4\x02"), "u2 0 1 2 3 2");
    EXPECT_EQ(codes(ElemType::int2, 1, "\xff"), "i2 3");
    EXPECT_EQ(codes(ElemType::float8e5m2, 2, "\x3c\xff"), "f8e5m2 60 255");
}
} // namespace nereus::onnx
