// Operators of ONNX Runtime on integers that stand for floats: those of ONNX between casts, a scale and a zero point per tensor.
#include "import/node_text.h"

namespace nereus::onnx {
namespace {
constexpr std::string_view microsoft = "com.microsoft";

// The floats of input i; its scale and its zero point follow it.
std::string reals(NodeText& n, size_t i, size_t scale, size_t zero) {
    return n.named("reals", "onnx_dequantised(" + n.in(i) + ", " + n.in(scale) + ", " + (n.has(zero) ? n.in(zero) : "0") + ", 1, 0)");
}
std::string reals(NodeText& n, size_t i) { return reals(n, i, i + 1, i + 2); }
std::string integers(NodeText& n, const std::string& y, size_t scale, size_t zero, const std::string& like) {
    return "onnx_quantised(" + y + ", " + n.in(scale) + ", " + (n.has(zero) ? n.in(zero) : "onnx_cast_like(0, " + like + ")") + ", 1, 0, 1)";
}

template <const char* op> void of_two(NodeText& n) { n.give(integers(n, reals(n, 0) + op + reals(n, 3), 6, 7, n.in(0))); }
constexpr char plus[] = " + ", times[] = " * ";

void sigmoid(NodeText& n) { n.give(integers(n, "onnx_sigmoid(" + reals(n, 0) + ")", 3, 4, n.in(0))); }
void leaky_relu(NodeText& n) {
    const std::string x = reals(n, 0);
    n.give(integers(n, "select(" + x + " < 0.0, " + real_text(n.real("alpha", 0.01f), true) + " * " + x + ", " + x + ")", 3, 4, n.in(0)));
}
void softmax(NodeText& n) {
    const std::string form = n.integer("opset", 13) < 13 ? "onnx_softmax_from(" : "onnx_softmax(";
    n.give(integers(n, form + reals(n, 0) + ", " + integer_text(n.integer("axis", -1)) + ")", 3, 4, n.in(0)));
}
// Whole numbers are added up, so that halves are rounded as halves.
void global_average_pool(NodeText& n) {
    const std::string x = "onnx_dequantised(" + n.in(0) + ", 1.0, " + n.in(2) + ", 1, 0)";
    const std::string y = n.integer("channels_last", 0) ? "onnx_channels_last(onnx_global_mean(onnx_channels_first(" + x + ")))" : "onnx_global_mean(" + x + ")";
    n.give("onnx_quantised(" + y + ", " + n.in(3) + " / " + n.in(1) + ", " + n.in(4) + ", 1, 0, 1)");
}
void concat(NodeText& n) {
    if (n.input_count() < 5 || n.input_count() % 3 != 2) return n.refuse("it has " + std::to_string(n.input_count()) + " inputs, expected two and three per tensor");
    std::string list;
    for (size_t i = 2; i < n.input_count(); i += 3) list += (i > 2 ? ", " : "") + reals(n, i);
    n.give(integers(n, "concat([" + list + "], axis=" + integer_text(n.integer("axis", 0)) + ")", 0, 1, n.in(2)));
}
void where(NodeText& n) { n.give(integers(n, "select(" + n.in(0) + ", " + reals(n, 1) + ", " + reals(n, 4) + ")", 7, 8, n.in(1))); }

std::string with_bias(NodeText& n, const std::string& y, size_t bias) { return n.has(bias) ? y + " + " + n.in(bias) : y; }
void dynamic_matmul(NodeText& n) {
    n.give(with_bias(n, "onnx_quantised_product(" + n.in(0) + ", " + n.in(1) + ", " + n.in(2) + ", " + (n.has(3) ? n.in(3) : "0") + ")", 4));
}
void matmul_to_float(NodeText& n) {
    const std::string zeros = (n.has(4) ? n.in(4) : "0") + ", " + (n.has(5) ? n.in(5) : "0");
    n.give(with_bias(n, "onnx_scaled_product(" + n.in(0) + ", " + n.in(1) + ", " + n.in(2) + ", " + n.in(3) + ", " + zeros + ")", 6));
}

// The bias is of the integers that products are. Without a scale of the result, floats are given.
void gemm(NodeText& n) {
    auto side = [&](size_t i, const char* flip) { return n.integer(flip, 0) ? "transpose(" + n.in(i) + ", perm=[1, 0])" : n.in(i); };
    const std::string sums = with_bias(n, "onnx_matmul_integer(" + side(0, "transA") + ", " + side(3, "transB") + ", " + n.in(2) + ", " + n.in(5) + ")", 6);
    const std::string scale = real_text(n.real("alpha", 1), true) + " * " + n.in(1) + " * " + n.in(4);
    const std::string y = n.named("y", "cast(" + sums + ", f32) * (" + scale + ")");
    n.give(n.has(7) ? integers(n, y, 7, 8, n.in(0)) : y);
}

// Rows of a table of integers, a scale for each block along an axis; bytes may hold several.
void gather_blocks(NodeText& n) {
    const int64_t bits = n.integer("bits", 4), along = n.integer("gather_axis", 0), blocks = n.integer("quantize_axis", 1), size = n.integer("block_size", 128);
    if (bits != 2 && bits != 4 && bits != 8) return n.refuse("attribute 'bits' is " + std::to_string(bits) + ", expected 2, 4 or 8");
    if (size <= 0) return n.refuse("attribute 'block_size' is " + std::to_string(size) + ", which is not offered");
    const std::string data = n.in(0), axis = "onnx_axis(" + integer_text(blocks) + ", onnx_rank(" + data + ")) - onnx_rank(" + data + ")";
    const bool bytes = n.input_type(0) == ElemType::uint8, packed = bytes && bits < 8;
    const std::string middle = bytes ? std::to_string(1 << (bits - 1)) : "0";
    auto opened = [&](const std::string& x) { return packed ? "onnx_unpacked_last(" + x + ", " + std::to_string(bits) + ")" : x; };
    auto rows = [&](size_t i) { return n.named("rows", "gather(" + n.in(i) + ", onnx_indices(" + n.in(1) + ", shape_of(" + n.in(i) + "), " + integer_text(along) + "), axis=" + integer_text(along) + ")"); };
    if (along != 0 || blocks == 0) {
        if (packed) return n.refuse("it gathers along an axis other than 0, which is not offered of bytes that hold several integers");
        const std::string all = n.named("all", "onnx_dequantised(" + data + ", " + n.in(2) + ", " + (n.has(3) ? n.in(3) : middle) + ", " + integer_text(blocks) + ", " + std::to_string(size) + ")");
        return n.give("onnx_cast_like(gather(" + all + ", onnx_indices(" + n.in(1) + ", shape_of(" + all + "), " + integer_text(along) + "), axis=" + integer_text(along) + "), " + n.in(2) + ")");
    }
    const std::string scales = rows(2);
    const std::string zeros = n.has(3) ? packed ? "onnx_first_along(" + opened(rows(3)) + ", " + scales + ", -1)" : rows(3) : middle;
    n.give("onnx_cast_like(onnx_dequantised(" + opened(rows(0)) + ", " + scales + ", " + zeros + ", " + axis + ", " + std::to_string(size) + "), " + n.in(2) + ")");
}
} // namespace

std::span<const OpRow> qlinear_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"QLinearAdd",        1,    "",         "",                      "", of_two<plus>, microsoft},
        {"QLinearMul",        1,    "",         "",                      "", of_two<times>, microsoft},
        {"QLinearSigmoid",    1,    "",         "",                      "", sigmoid, microsoft},
        {"QLinearLeakyRelu",  1,    "",         "",                      "", leaky_relu, microsoft},
        {"QLinearSoftmax",    1,    "",         "",                      "", softmax, microsoft},
        {"QLinearGlobalAveragePool", 1, "",     "",                      "", global_average_pool, microsoft},
        {"QLinearConcat",     1,    "",         "",                      "", concat, microsoft},
        {"QLinearWhere",      1,    "",         "",                      "", where, microsoft},
        {"DynamicQuantizeMatMul", 1, "",        "",                      "", dynamic_matmul, microsoft},
        {"MatMulIntegerToFloat", 1, "",         "",                      "", matmul_to_float, microsoft},
        {"QGemm",             1,    "",         "",                      "", gemm, microsoft},
        {"GatherBlockQuantized", 1, "",         "",                      "", gather_blocks, microsoft},
    };
    return rows;
}
} // namespace nereus::onnx
