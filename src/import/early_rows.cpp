// Operators of the first versions that later ones left out, and operators as they were before. Files of their time are still there.
#include "import/node_text.h"
#include "import/text_writer.h"

namespace nereus::onnx {
namespace {
// Types had names before they had numbers.
void cast_to_name(NodeText& n) {
    std::string name(n.word("to", ""));
    for (char& c : name)
        if (c >= 'A' && c <= 'Z') c = char(c - 'A' + 'a');
    for (int i = 1; i < elem_type_count; ++i)
        if (const std::string_view dtype = dtype_text(ElemType(i)); onnx_type_name(ElemType(i)) == name && !dtype.empty())
            return n.give("cast(" + n.in(0) + ", " + std::string(dtype) + ")");
    n.refuse("attribute 'to' is '" + std::string(n.word("to", "")) + "', which is not offered");
}

// Its sizes are those of the input, or the input's elements, or an attribute.
void constant_fill(NodeText& n) {
    const std::string_view dtype = dtype_text(n.elem_type("dtype", ElemType::float32));
    if (dtype.empty()) return n.refuse("attribute 'dtype' says a type that is not offered");
    std::string sizes = vector_text(n.integers("shape").value_or(std::vector<int64_t>()));
    if (n.has(0)) sizes = n.integer("input_as_shape", 0) ? "cast(" + n.in(0) + ", i64)" : "shape_of(" + n.in(0) + ")";
    if (const std::optional<std::vector<int64_t>> more = n.integers("extra_shape"); more && !more->empty()) sizes = "concat([" + sizes + ", " + vector_text(*more) + "], axis=0)";
    n.give("full(" + sizes + ", cast(" + real_text(n.real("value", 0), true) + ", " + std::string(dtype) + "))");
}

// From the upper left border on: as far as the other border, or as many rows and columns as `scale` says.
void crop(NodeText& n) {
    const std::vector<int64_t> border = n.integers("border").value_or(std::vector<int64_t>()), scale = n.integers("scale").value_or(std::vector<int64_t>());
    if (border.size() != 4 || (!scale.empty() && scale.size() != 2)) return n.refuse("it has four borders, and height and width or neither");
    auto end = [&](size_t axis) {
        if (!scale.empty()) return integer_text(border[1 - axis]) + " + " + integer_text(scale[axis]);
        return "shape_of(" + n.in(0) + ")[" + std::to_string(axis + 2) + "] - " + integer_text(border[3 - axis]);
    };
    n.give("slice(" + n.in(0) + ", [" + integer_text(border[1]) + ", " + integer_text(border[0]) + "], [" + end(0) + ", " + end(1) + "], axes=[2, 3])");
}

void image_scaler(NodeText& n) {
    const std::vector<float> bias = n.reals("bias").value_or(std::vector<float>());
    const std::string scaled = real_text(n.real("scale", 1), true) + " * " + n.in(0);
    n.give(bias.empty() ? scaled : "onnx_add_bias(" + scaled + ", " + n.table("bias", {std::ssize(bias)}, bias) + ")");
}
} // namespace

std::span<const OpRow> early_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"Affine",            1,    "x",        "alpha=1.0, beta=0.0",   "$alpha * $x + $beta"},
        {"Cast",              1,    "",         "",                      "", cast_to_name},
        {"ConstantFill",      1,    "",         "",                      "", constant_fill},
        {"Crop",              1,    "",         "",                      "", crop},
        {"ImageScaler",       1,    "",         "",                      "", image_scaler},
        {"ParametricSoftplus", 1,   "x",        "alpha=1.0, beta=1.0",   "$alpha * onnx_softplus($beta * $x)"},
        {"Scale",             1,    "x",        "scale=1.0",             "$scale * $x"},
        {"ScaledTanh",        1,    "x",        "alpha=1.0, beta=1.0",   "$alpha * tanh($beta * $x)"},
        {"ThresholdedRelu",   1,    "x",        "alpha=1.0",             "select($x > $alpha, $x, 0.0)"},
        {"Tile",              1,    "x, tiles, axis", "",                "onnx_tile_at($x, $tiles, $axis)"},
    };
    return rows;
}
} // namespace nereus::onnx
