// Integers that stand for floats.
#include "import/node_text.h"
#include "import/text_writer.h"

namespace nereus::onnx {
namespace {
// A type that an attribute names, 0 if it does not; refused if we have no such elements.
std::string dtype_of(NodeText& n, std::string_view attribute) {
    const ElemType type = n.elem_type(attribute, ElemType::undefined);
    if (type == ElemType::undefined) return {};
    const std::string_view dtype = dtype_text(type);
    if (dtype.empty()) n.refuse("attribute '" + std::string(attribute) + "' says " + std::string(onnx_type_name(type)) + ", which is not offered");
    return std::string(dtype);
}
// Before version 13 there was one scale for all.
std::string where(NodeText& n) { return integer_text(n.integer("axis", 1)) + ", " + std::to_string(n.integer("block_size", 0)); }

void quantize(NodeText& n) {
    const std::string dtype = dtype_of(n, "output_dtype"), precision = dtype_of(n, "precision");
    const std::string zero = n.has(2) ? n.in(2) : "cast(0, " + (dtype.empty() ? "u8" : dtype) + ")";
    const std::string scale = precision.empty() ? n.in(1) : "cast(" + n.in(1) + ", " + precision + ")";
    n.give("onnx_quantised(" + n.in(0) + ", " + scale + ", " + zero + ", " + where(n) + (n.integer("saturate", 1) ? ", 1)" : ", 0)"));
}
void dequantize(NodeText& n) {
    const std::string dtype = dtype_of(n, "output_dtype");
    const std::string made = "onnx_dequantised(" + n.in(0) + ", " + n.in(1) + ", " + (n.has(2) ? n.in(2) : "0") + ", " + where(n) + ")";
    n.give(dtype.empty() ? "onnx_cast_like(" + made + ", " + n.in(1) + ")" : "cast(" + made + ", " + dtype + ")");
}
void dynamic_quantize(NodeText& n) {
    const std::string all = n.named("quantised", "onnx_dynamically_quantised(" + n.in(0) + ")");
    n.give_each({all + ".0", all + ".1", all + ".2"});
}
} // namespace

std::span<const OpRow> quantised_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"QuantizeLinear",    10,   "",         "",                      "", quantize},
        {"DequantizeLinear",  10,   "",         "",                      "", dequantize},
        {"QuantizeLinear",    1,    "",         "",                      "", quantize, "com.microsoft"},
        {"DequantizeLinear",  1,    "",         "",                      "", dequantize, "com.microsoft"},
        {"DynamicQuantizeLinear", 11, "",       "",                      "", dynamic_quantize},
        {"MatMulInteger",     10,   "a, b, za=0, zb=0", "",              "onnx_matmul_integer($a, $b, $za, $zb)"},
        {"QLinearMatMul",     10,   "a, sa, za, b, sb, zb, sy, zy", "",  "onnx_qlinear_matmul($a, $sa, $za, $b, $sb, $zb, $sy, $zy)"},
    };
    return rows;
}
} // namespace nereus::onnx
