// Elementwise operators.
#include "import/node_text.h"
#include "import/text_writer.h"

namespace nereus::onnx {
namespace {
constexpr size_t most_nested = 256;                    // operands of one expression: brackets nest at most 1000 deep

// Any number of operands, one after the other; `in` gives them.
template <class In> std::string folded(NodeText& n, const char* op, const In& in) {
    std::string all = in(0);
    for (size_t i = 1; i < n.input_count(); ++i) {
        if (i % most_nested == 0) all = n.named("part", all);
        all = std::string(op) + "(" + all + ", " + in(i) + ")";
    }
    return all;
}
template <const char* op> void folded(NodeText& n) {
    if (n.input_count() == 0) return n.refuse("it has no input");
    n.give(folded(n, op, [&](size_t i) { return n.in(i); }));
}
constexpr char maximum[] = "maximum", minimum[] = "minimum", add[] = "add";
// Sums of f16 or bf16 may be beyond it: they are made in f32.
void mean(NodeText& n) {
    if (n.input_count() == 0) return n.refuse("it has no input");
    std::string all, wide;
    for (size_t i = 0; i < n.input_count(); ++i) {
        all += (i ? " + " : "") + n.in(i);
        wide += (i ? " + " : "") + ("cast(" + n.in(i) + ", f32)");
    }
    const std::string each = ") / " + std::to_string(n.input_count()) + ".0", x = n.in(0);
    n.give("if (onnx_is_short(" + x + ")) { onnx_cast_like((" + wide + each + ", " + x + ") } else { (" + all + each + " }");
}

// Before version 7 operands have one shape, unless broadcast = 1: then the axes of the second begin at `axis` of the first.
template <const char* form> void aligned(NodeText& n) {
    std::string b = n.in(1);
    if (n.integer("broadcast", 0) && n.attribute("axis")) b = "onnx_aligned(" + b + ", " + n.in(0) + ", " + std::to_string(n.integer("axis", 0)) + ")";
    n.give(std::string(form) + "(" + n.in(0) + ", " + b + ")");
}
constexpr char sub[] = "sub", mul[] = "mul", divide[] = "div", power[] = "pow", both[] = "and", either[] = "or", one_of[] = "xor",
               equal[] = "eq", less[] = "lt", greater[] = "gt";

// fmod = 1 is C's remainder, which has the sign of the dividend.
void mod(NodeText& n) { n.give((n.integer("fmod", 0) ? "rem(" : "mod(") + n.in(0) + ", " + n.in(1) + ")"); }
void bit_shift(NodeText& n) {
    const std::string_view direction = n.word("direction", "");
    if (direction != "LEFT" && direction != "RIGHT") return n.refuse("attribute 'direction' is '" + std::string(direction) + "', expected LEFT or RIGHT");
    n.give((direction == "LEFT" ? "shift_left(" : "shift_right(") + n.in(0) + ", " + n.in(1) + ")");
}
// Above the upper bound wins, also if the lower one is above it. One that is left out is the last finite number.
std::string clipped(std::string x, const std::string& low, const std::string& high, bool finite = true) {
    if (!low.empty()) x = "maximum(" + x + ", " + low + ")";
    else if (finite) x = "onnx_above_lowest(" + x + ")";
    if (high.empty()) return finite ? "onnx_below_largest(" + x + ")" : x;
    return "minimum(" + x + ", " + high + ")";
}
void clip_attributes(NodeText& n) {
    auto bound = [&](std::string_view name) { return n.attribute(name) ? real_text(n.real(name, 0), true) : std::string(); };
    n.give(clipped(n.in(0), bound("min"), bound("max"), n.version() >= 6));
}
void clip_inputs(NodeText& n) { n.give(clipped(n.in(0), n.has(1) ? n.in(1) : "", n.has(2) ? n.in(2) : "")); }

// Attributes that matter to floats of 8 bits alone; empty where they are left out or say what counts then.
std::string store_rule(NodeText& n) {
    const std::string_view round = n.word("round_mode", "up");
    if (round != "up" && round != "down" && round != "nearest") n.refuse("attribute 'round_mode' is '" + std::string(round) + "', expected up, down or nearest");
    return std::string(n.integer("saturate", 1) ? "" : ", saturate=false") + (round == "up" ? "" : ", round=\"" + std::string(round) + "\"");
}
// What becomes an integer of 4 or 2 bits is rounded, and others are cut towards 0.
std::string ready_for(NodeText& n, ElemType to) {
    const bool narrow = to == ElemType::int4 || to == ElemType::uint4 || to == ElemType::int2 || to == ElemType::uint2;
    if (!narrow) return n.in(0);
    return n.input_type(0) == ElemType::string ? "onnx_rounded(cast(" + n.in(0) + ", f64))" : "onnx_rounded(" + n.in(0) + ")";
}
void cast(NodeText& n) {
    const ElemType to = n.elem_type("to", ElemType::undefined);
    const std::string_view dtype = dtype_text(to);
    if (dtype.empty()) return n.refuse("its elements would be " + std::string(onnx_type_name(to)));
    n.give("cast(" + ready_for(n, to) + ", " + std::string(dtype) + store_rule(n) + ")");
}
// The prelude has a function for each rule.
void cast_like(NodeText& n) {
    const std::string saturates = n.integer("saturate", 1) ? "" : "_or_none", round(n.word("round_mode", "up"));
    store_rule(n);
    n.give("onnx_cast_like" + saturates + (round == "up" ? "" : "_" + round) + "(" + ready_for(n, n.input_type(1).value_or(ElemType::undefined)) + ", " + n.in(1) + ")");
}

void constant(NodeText& n) {
    if (const TensorData* data = n.tensor("value")) {
        n.know_output(*data);
        return n.give(n.weight(*data, n.node().outputs[0]));
    }
    if (n.attribute("value_int")) return n.give(std::to_string(n.integer("value_int", 0)));
    if (n.attribute("value_float")) return n.give("cast(" + real_text(n.real("value_float", 0), true) + ", f32)");
    if (n.attribute("value_string")) return n.give(text_text(n.word("value_string", "")));
    if (std::optional<std::vector<std::string_view>> values = n.words("value_strings")) return n.give(texts_text(*values));
    if (std::optional<std::vector<int64_t>> values = n.integers("value_ints")) return n.give(vector_text(*values));
    if (std::optional<std::vector<float>> values = n.reals("value_floats")) return n.give(n.table("constant", {std::ssize(*values)}, *values));
    if (n.attribute("sparse_value")) return n.give(n.dense("sparse_value"));
    n.refuse("its value is of a kind that is not offered");
}
} // namespace

std::span<const OpRow> math_rows() {
    static constexpr OpRow rows[] = {
    //   operator             since inputs      attributes               form
        {"Add",                1,    "",         "",                      "", aligned<add>},
        {"Add",               7,    "a, b",     "",                      "$a + $b"},
        {"Sub",                1,    "",         "",                      "", aligned<sub>},
        {"Sub",               7,    "a, b",     "",                      "$a - $b"},
        {"Mul",                1,    "",         "",                      "", aligned<mul>},
        {"Mul",               7,    "a, b",     "",                      "$a * $b"},
        {"Div",                1,    "",         "",                      "", aligned<divide>},
        {"Div",               7,    "a, b",     "",                      "$a / $b"},
        {"Neg",               1,    "x",        "",                      "-$x"},
        {"Abs",               1,    "x",        "",                      "abs($x)"},
        {"Sign",              9,    "x",        "",                      "sign($x)"},
        {"Floor",             1,    "x",        "",                      "floor($x)"},
        {"Ceil",              1,    "x",        "",                      "ceil($x)"},
        {"Round",             11,   "x",        "",                      "round($x)"},
        {"IsNaN",             9,    "x",        "",                      "onnx_isnan($x)"},
        {"IsInf",             10,   "x",        "detect_negative=1, detect_positive=1", "onnx_isinf($x, $detect_negative, $detect_positive)"},
        {"Mod",               10,   "",         "",                      "", mod},
        {"BitShift",          11,   "",         "",                      "", bit_shift},
        {"BitwiseAnd",        18,   "a, b",     "",                      "bit_and($a, $b)"},
        {"BitwiseOr",         18,   "a, b",     "",                      "bit_or($a, $b)"},
        {"BitwiseXor",        18,   "a, b",     "",                      "bit_xor($a, $b)"},
        {"BitwiseNot",        18,   "x",        "",                      "bit_not($x)"},
        {"Clip",              1,    "",         "",                      "", clip_attributes},
        {"Clip",              11,   "",         "",                      "", clip_inputs},
        {"Exp",               1,    "x",        "",                      "exp($x)"},
        {"Log",               1,    "x",        "",                      "log($x)"},
        {"Sqrt",              1,    "x",        "",                      "sqrt($x)"},
        {"Tanh",              1,    "x",        "",                      "tanh($x)"},
        {"Sin",                7,    "x",        "",                      "sin($x)"},
        {"Cos",                7,    "x",        "",                      "cos($x)"},
        {"Tan",                7,    "x",        "",                      "onnx_tan($x)"},
        {"Asin",               7,    "x",        "",                      "asin($x)"},
        {"Acos",               7,    "x",        "",                      "acos($x)"},
        {"Atan",               7,    "x",        "",                      "atan($x)"},
        {"Sinh",               9,    "x",        "",                      "onnx_sinh($x)"},
        {"Cosh",               9,    "x",        "",                      "onnx_cosh($x)"},
        {"Asinh",              9,    "x",        "",                      "onnx_asinh($x)"},
        {"Acosh",              9,    "x",        "",                      "onnx_acosh($x)"},
        {"Atanh",              9,    "x",        "",                      "onnx_atanh($x)"},
        {"Erf",                9,    "x",        "",                      "onnx_erf($x)"},
        {"Pow",                1,    "",         "",                      "", aligned<power>},
        {"Pow",               7,    "a, b",     "",                      "onnx_pow($a, $b)"},
        {"Gelu",              20,   "x",        "approximate=none|tanh", "onnx_gelu($x, $approximate)"},
        {"Reciprocal",        1,    "x",        "",                      "1.0 / $x"},
        {"Relu",              1,    "x",        "",                      "maximum($x, 0)"},
        {"Sigmoid",           1,    "x",        "",                      "onnx_sigmoid($x)"},
        {"LeakyRelu",         1,    "x",        "alpha=0.01",            "select($x < 0.0, $alpha * $x, $x)"},
        {"PRelu",             1,    "x, slope", "",                      "onnx_channel_prelu($x, $slope)"},
        {"PRelu",             7,    "x, slope", "",                      "select($x < 0, $slope * $x, $x)"},
        {"Elu",               1,    "x",        "alpha=1.0",             "select($x < 0.0, $alpha * onnx_expm1(minimum($x, 0.0)), $x)"},
        {"Celu",              12,   "x",        "alpha=1.0",             "select($x < 0.0, $alpha * onnx_expm1(minimum($x, 0.0) / $alpha), $x)"},
        {"Selu",              1,    "x",        "alpha=1.6732632, gamma=1.050701",
                                                                         "$gamma * select($x < 0.0, $alpha * onnx_expm1(minimum($x, 0.0)), $x)"},
        {"HardSigmoid",       1,    "x",        "alpha=0.2, beta=0.5",   "maximum(minimum($alpha * $x + $beta, 1.0), 0.0)"},
        {"HardSwish",         14,   "x",        "",                      "$x * maximum(minimum($x / 6.0 + 0.5, 1.0), 0.0)"},
        {"Softplus",          1,    "x",        "",                      "onnx_softplus($x)"},
        {"Softsign",          1,    "x",        "",                      "$x / (1.0 + abs($x))"},
        {"Mish",              18,   "x",        "",                      "onnx_mish($x)"},
        {"Swish",             24,   "x",        "alpha=1.0",             "$x * onnx_sigmoid($alpha * $x)"},
        {"Shrink",            9,    "x",        "bias=0.0, lambd=0.5",   "onnx_shrink($x, $bias, $lambd)"},
        {"Identity",          1,    "x",        "",                      "$x"},
        {"Not",               1,    "x",        "",                      "not($x)"},
        {"And",                1,    "",         "",                      "", aligned<both>},
        {"And",               7,    "a, b",     "",                      "and($a, $b)"},
        {"Or",                 1,    "",         "",                      "", aligned<either>},
        {"Or",                7,    "a, b",     "",                      "or($a, $b)"},
        {"Xor",                1,    "",         "",                      "", aligned<one_of>},
        {"Xor",               7,    "a, b",     "",                      "xor($a, $b)"},
        {"Equal",              1,    "",         "",                      "", aligned<equal>},
        {"Equal",             7,    "a, b",     "",                      "$a == $b"},
        {"Less",               1,    "",         "",                      "", aligned<less>},
        {"Less",              7,    "a, b",     "",                      "$a < $b"},
        {"Greater",            1,    "",         "",                      "", aligned<greater>},
        {"Greater",           7,    "a, b",     "",                      "$a > $b"},
        {"LessOrEqual",       12,   "a, b",     "",                      "$a <= $b"},
        {"GreaterOrEqual",    12,   "a, b",     "",                      "$a >= $b"},
        {"Where",             9,    "c, a, b",  "",                      "select($c, $a, $b)"},
        {"CastLike",          15,   "x, like",  "",                      "", cast_like},
        {"Max",               1,    "",         "",                      "", folded<maximum>},
        {"Min",               1,    "",         "",                      "", folded<minimum>},
        {"Sum",               1,    "",         "",                      "", folded<add>},
        {"Mean",              1,    "",         "",                      "", mean},
        {"Cast",              6,    "x",        "",                      "", cast},
        {"Constant",          1,    "",         "",                      "", constant},
    };
    return rows;
}
} // namespace nereus::onnx
