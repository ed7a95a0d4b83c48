// The gradient of each operator against central differences: broadcasting, every attribute, sizes 0 and 1.
#include "grad/gradient_testing.h"
#include "ops/gradients.h"
#include "ops/registry.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
// A scalar of any tensor whose adjoint differs from element to element.
constexpr const char* weighed = "def @weighed(%y) { sum(%y * (%y * 0.5 + 0.3)) }\n"
                                "def @weighed_by(%y, %w) { sum(%y * %w) }\n";
constexpr const char* matrix = "%x: Tensor[(n, d), f64]";
constexpr const char* two = "%x: Tensor[(n, d), f64], %y: Tensor[(n, d), f64]";
constexpr const char* row = "%x: Tensor[(n, d), f64], %y: Tensor[(d), f64]";
constexpr const char* column = "%x: Tensor[(n, 1), f64], %y: Tensor[(d), f64]";
constexpr const char* scalar = "%x: f64, %y: Tensor[(n, d), f64]";

struct OpCase { const char* name; const char* params; const char* body; double low = -2, high = 2; bool compiled = true; bool smallest = true; };
const OpCase cases[] = {
    {"neg", matrix, "-%x"},
    {"exp", matrix, "exp(%x)"},
    {"log", matrix, "log(%x)", 0.5, 4},
    {"sqrt", matrix, "sqrt(%x)", 0.5, 4},
    {"tanh", matrix, "tanh(%x)"},
    {"erf", matrix, "erf(%x)"},
    {"sin", matrix, "sin(%x * 3.0)"},
    {"cos", matrix, "cos(%x * 3.0)"},
    {"asin", matrix, "asin(%x)", -0.9, 0.9},
    {"acos", matrix, "acos(%x)", -0.9, 0.9},
    {"atan", matrix, "atan(%x)"},
    {"abs", matrix, "abs(%x)"},
    {"sign", matrix, "%x * sign(%x)"},
    {"floor", matrix, "%x * floor(%x)"},
    {"ceil", matrix, "%x * ceil(%x)"},
    {"round", matrix, "%x * round(%x)"},
    {"cast", matrix, "cast(cast(%x, f32), f64) * 0.0 + %x"},
    {"add", row, "%x + %y"},
    {"add column", column, "%x + %y"},
    {"sub", row, "%x - %y"},
    {"sub scalar", scalar, "%x - %y"},
    {"mul", row, "%x * %y"},
    {"mul itself", matrix, "%x * %x * %x"},
    {"mul column", column, "%x * %y"},
    {"mul scalar", scalar, "%x * %y * 2.0"},
    {"div", row, "%x / %y", 0.5, 3},
    {"div column", column, "%x / (%y * %y + 1.0)"},
    {"floor_div", two, "%x * (%x // %y)", 0.5, 3},
    {"mod", two, "mod(%x, %y)", 0.6, 3},
    {"rem", two, "rem(%x, %y)", 0.6, 3},
    {"rem of negative ones", two, "rem(-%x, %y)", 0.6, 3},
    {"pow", row, "pow(%x, %y)", 0.5, 2},
    {"pow of negative ones", matrix, "pow(%x, 3.0)"},
    {"maximum", row, "maximum(%x, %y)"},
    {"minimum", column, "minimum(%x, %y)"},
    {"select", two, "select(%x > %y, %x * 2.0, %y * %x)"},
    {"select row", row, "select(%y > 0.0, %x, %y)"},
    {"sum", matrix, "sum(%x) * %x"},
    {"sum axis", matrix, "sum(%x, axes=[0])"},
    {"sum last axis", matrix, "sum(%x * %x, axes=[-1])"},
    {"sum kept", matrix, "%x / (sum(%x, axes=[1], keepdims=true) + 1.0)", 0.5, 2},
    {"sum both axes", "%x: Tensor[(n, d, 2), f64]", "sum(%x * %x, axes=[0, 2])"},
    {"max", matrix, "max(%x) * %x", -2, 2, true, false},
    {"max axis", matrix, "max(%x, axes=[1])", -2, 2, true, false},
    {"max kept", matrix, "exp(%x - max(%x, axes=[1], keepdims=true))", -2, 2, true, false},
    {"min", matrix, "min(%x) * %x", -2, 2, true, false},
    {"min axis", matrix, "min(%x, axes=[1])", -2, 2, true, false},
    {"prod", matrix, "prod(%x) * %x"},
    {"prod axis", matrix, "prod(%x, axes=[1])"},
    {"prod kept", matrix, "%x * prod(%x, axes=[0], keepdims=true)"},
    {"prod with a zero", matrix, "prod(%x - %x[0:1, 0:1], axes=[1])", -2, 2, true, false},
    {"prod with two zeros", "%x: Tensor[(n, 3), f64]", "prod(concat([%x, %x * 0.0], axis=1), axes=[1])"},
    {"sum_to", matrix, "sum_to(%x * %x, [1, d])"},
    {"sum_to vector", matrix, "sum_to(%x * %x, [d])"},
    {"matmul", "%x: Tensor[(n, k), f64], %y: Tensor[(k, m), f64]", "matmul(%x, %y)"},
    {"matmul left vector", "%x: Tensor[(k), f64], %y: Tensor[(k, m), f64]", "matmul(%x, %y)"},
    {"matmul right vector", "%x: Tensor[(n, k), f64], %y: Tensor[(k), f64]", "matmul(%x, %y)"},
    {"matmul vectors", "%x: Tensor[(k), f64], %y: Tensor[(k), f64]", "matmul(%x, %y)"},
    {"matmul batch", "%x: Tensor[(b, n, k), f64], %y: Tensor[(b, k, m), f64]", "matmul(%x, %y)"},
    {"matmul broadcast batch", "%x: Tensor[(b, n, k), f64], %y: Tensor[(k, m), f64]", "matmul(%x, %y)"},
    {"matmul two batches", "%x: Tensor[(b, 1, n, k), f64], %y: Tensor[(c, k, m), f64]", "matmul(%x, %y)"},
    {"matmul batch of vector", "%x: Tensor[(k), f64], %y: Tensor[(b, k, m), f64]", "matmul(%x, %y)"},
    {"matmul batch by vector", "%x: Tensor[(b, n, k), f64], %y: Tensor[(k), f64]", "matmul(%x, %y)"},
    {"reshape", matrix, "reshape(%x, [d, n]) * 2.0"},
    {"broadcast_to", "%x: Tensor[(d), f64]", "broadcast_to(%x, [3, d])"},
    {"broadcast_to from 1", "%x: Tensor[(n, 1), f64]", "broadcast_to(%x, [n, 4])"},
    {"transpose", "%x: Tensor[(n, d, 2), f64]", "transpose(%x, [2, 0, 1])"},
    {"transpose last axes", "%x: Tensor[(n, d, 2), f64]", "transpose(%x, [-1, -2])"},
    {"concat", "%x: Tensor[(n, d), f64], %y: Tensor[(m, d), f64]", "concat([%x, %y, %x], axis=0)"},
    {"concat last axis", "%x: Tensor[(n, d), f64], %y: Tensor[(n, m), f64]", "concat([%x, %y], axis=-1)"},
    {"concat of a Seq", "%x: Tensor[(n, d), f64], %y: Tensor[(m, d), f64]", "concat(push(push([%x], %y), %x), axis=0)", -2, 2, false},
    {"split", "%x: Tensor[(n, 7), f64]", "{ %p = split(%x, [2, 4, 1], axis=1)\n %p.0 * %p.2 + %p.2 }"},
    {"split unused", "%x: Tensor[(6), f64]", "split(%x, [2, 4], axis=0).1"},
    {"full", "%x: f64", "full([3, 2], %x * %x)"},
    {"slice", matrix, "slice(%x, [1], [n + 1], axes=[0])"},
    {"slice two axes", "%x: Tensor[(4, 5), f64]", "slice(%x, [1, 2], [3, 5])"},
    {"slice last axis", "%x: Tensor[(n, 5), f64]", "slice(%x, [2], [4], axes=[-1])"},
    {"slice_update", "%x: Tensor[(n, 5), f64], %y: Tensor[(n, 2), f64]", "slice_update(%x, %y, [2], axes=[1])"},
    {"slice_update corner", "%x: Tensor[(4, 5), f64], %y: Tensor[(2, 2), f64]", "slice_update(%x, %y, [1, 3])"},
    {"windows", "%x: Tensor[(n, d + 2), f64]", "windows(%x, [2], strides=[2])"},
    {"windows of two axes", "%x: Tensor[(n + 2, d + 3), f64]", "max(windows(%x, [2, 2], dilations=[1, 3]), axes=[-1])"},
    {"fold_windows", "%x: Tensor[(n, d + 1, 3), f64]", "fold_windows(%x, [2 * d + 3], [3], strides=[2])"},
    {"conv", "%x: Tensor[(n, d, 5), f64], %y: Tensor[(2, d, 2), f64]", "conv(%x, %y, strides=[2])"},
    {"conv of two axes", "%x: Tensor[(2, 4, n + 2, 4), f64], %y: Tensor[(2, 2, 2, d + 1), f64]", "conv(%x, %y, dilations=[2, 1], groups=2)", -2, 2, true, false},
    {"conv_input", "%x: Tensor[(n, d, 2), f64], %y: Tensor[(d, 2, 2), f64]", "conv_input(%x, %y, [5], strides=[2])"},
    {"conv_weight", "%x: Tensor[(n, d, 5), f64], %y: Tensor[(n, 2, 2), f64]", "conv_weight(%x, %y, [2], strides=[2])"},
    {"gather", "%x: Tensor[(4, d), f64], %i: Tensor[(k), i64]", "gather(%x, %i, axis=0)"},
    {"gather scalar", "%x: Tensor[(d, 4), f64], %i: i64", "gather(%x, %i, axis=1)"},
    {"gather matrix", "%x: Tensor[(2, 4, d), f64], %i: Tensor[(k, 2), i64]", "gather(%x, %i, axis=1)"},
    {"scatter_add", "%x: Tensor[(4, d), f64], %i: Tensor[(k), i64], %y: Tensor[(k, d), f64]", "scatter_add(%x, %i, %y, axis=0)"},
    {"scatter", "%x: Tensor[(4, d), f64], %i: Tensor[(k), i64], %y: Tensor[(k, d), f64]", "scatter(%x, %i, %y, axis=0)"},
    {"scatter last axis", "%x: Tensor[(d, 4), f64], %i: Tensor[(k, 2), i64], %y: Tensor[(d, k, 2), f64]", "scatter(%x, %i, %y, axis=-1)"},
    {"scatter_max", "%x: Tensor[(4, d), f64], %i: Tensor[(k), i64], %y: Tensor[(k, d), f64]", "scatter_max(%x, %i, %y, axis=0)"},
    {"scatter_mul", "%x: Tensor[(4, d), f64], %i: Tensor[(k), i64], %y: Tensor[(k, d), f64]", "scatter_mul(%x, %i, %y, axis=0)"},
    {"scatter_min", "%x: Tensor[(d, 4), f64], %i: Tensor[(k), i64], %y: Tensor[(d, k), f64]", "scatter_min(%x, %i, %y, axis=1)"},
    {"topk", "%x: Tensor[(n, 5), f64]", "topk(%x, 3).0"},
    {"topk first axis", "%x: Tensor[(5, n, 2), f64]", "topk(%x, 2, axis=0).0"},
    {"topk of nothing", "%x: Tensor[(n), f64]", "topk(%x, 0).0"},
    {"fft", "%x: Tensor[(n, d, 2), f64]", "fft(%x)"},
    {"fft squared", "%x: Tensor[(d, 2), f64]", "fft(%x, inverse=true) * fft(%x)"},
    {"fft of a convolution's length", "%x: Tensor[(11, 2), f64]", "fft(%x * %x)"},
    {"index", "%x: Tensor[(4, 5, d), f64], %i: i64", "%x[%i, 1:3]"},
    {"index from the end", "%x: Tensor[(4, 5), f64], %i: i64", "%x[1:, %i] * %x[:3, 0]"},
    {"random is constant", matrix, "%x * random(1, 2, [n, d], f64)"},
    {"shapes are constant", matrix, "%x * cast(sum(shape_of(%x)), f64) + cast(iota(d), f64)"},
    {"stop_gradient", matrix, "%x * 2.0 + stop_gradient(%x * 0.0)"},
};

class OpGradient : public testing::TestWithParam<OpCase> {};
TEST_P(OpGradient, IsTheCentralDifference) {
    const OpCase& c = GetParam();
    std::string params(c.params), body(c.body);
    if (body.find("n + 1") != std::string::npos) params = "%x: Tensor[(n + 2, d), f64]";
    bool block = body[0] == '{';
    std::string value = block ? body.substr(1, body.size() - 2) : body;
    size_t last = block ? value.rfind('\n') + 1 : 0;
    GradientCase full{.name = c.name, .params = params, .body = value.substr(0, last) + "@weighed(" + value.substr(last) + ")",
                      .others = weighed, .low = c.low, .high = c.high, .compiled = c.compiled, .smallest = c.smallest};
    check_gradient(full);
}
INSTANTIATE_TEST_SUITE_P(Ops, OpGradient, testing::ValuesIn(cases), [](const auto& info) { return case_name(info.param.name); });

TEST(OpGradients, EveryOperatorHasARuleOrAReason) {
    for (const OpDef* op : all_ops().all()) {
        if (op->builtin != Builtin::none) continue;
        std::optional<NamedGradient> row = gradient_rule(*op);
        ASSERT_TRUE(row) << op->name << " has neither a gradient nor a reason why not";
        EXPECT_TRUE(row->rule ? row->none.empty() : !row->none.empty()) << op->name;
    }
}

TEST(OpGradients, EqualElementsShare) {
    EXPECT_EQ(shown("def @main() { grad(fn(%x) { max(%x) })(tensor([1.0, 3.0, 3.0])) }"), "Tensor[(3), f32] [0, 0.5, 0.5]");
    EXPECT_EQ(shown("def @main() { grad(fn(%x, %y) { maximum(%x, %y) })(2.0, 2.0) }"), "(f32 0.5, f32 0.5)");
    EXPECT_EQ(shown("def @main() { grad(fn(%x, %y) { minimum(%x, %y) })(2.0, 3.0) }"), "(f32 1, f32 0)");
}

TEST(OpGradients, PowersOfZeroHaveASlope) {
    EXPECT_EQ(shown("def @main() { grad(fn(%x, %y) { pow(%x, %y) })(0.0, 2.0) }"), "(f32 0, f32 0)");
    EXPECT_EQ(shown("def @main() { grad(fn(%x) { pow(%x, 0.0) })(0.0) }"), "f32 0");
    EXPECT_EQ(shown("def @main() { grad(fn(%x) { pow(%x, 1.0) })(0.0) }"), "f32 1");
}

TEST(OpGradients, SelectKeepsInfinitiesOut) {
    EXPECT_EQ(shown("def @main() { grad(fn(%x) { sum(select(%x > 0.0, %x, log(%x) * 0.0)) })(tensor([1.0, 2.0])) }"),
              "Tensor[(2), f32] [1, 1]");
}
} // namespace
} // namespace nereus
