#include "base/file.h"
#include "import/model_text.h"
#include "import/node_text.h"
#include "import/onnx_testing.h"
#include <gtest/gtest.h>
#include <set>

namespace nereus::onnx {
namespace {
Message value_message(std::string_view name, std::string_view dim) {
    Message shape;
    if (!dim.empty()) shape.message(1, Message().text(2, dim));
    return Message().text(1, name).message(2, Message().message(1, Message().number(1, 1).message(2, shape)));
}
Message node_message(std::string_view op, std::initializer_list<std::string_view> inputs, std::initializer_list<std::string_view> outputs) {
    return Message().texts(1, inputs).texts(2, outputs).text(4, op);
}
Message integer_message(std::string_view name, int64_t value) { return Message().text(1, name).number(3, value).number(20, 2); }

std::string text_of(const Message& graph, TextOptions options = {}) {
    const Message model = model_message(graph);
    Result<ModelFile> read = read_model(model.bytes());
    EXPECT_TRUE(read) << read.error().message;
    Result<ModelText> text = write_text(*read, options);
    return text ? text->text : "error: " + text.error().message;
}

TEST(ModelText, NodesAreLines) {
    Message graph;
    graph.message(1, node_message("Add", {"in/put", "in/put"}, {"Sum:0"}));
    graph.message(1, node_message("Softmax", {"Sum:0"}, {"out"}).message(5, integer_message("axis", -1)));
    graph.message(11, value_message("in/put", "Batch size")).message(12, value_message("out", "n"));
    EXPECT_EQ(text_of(graph), "def @main(%in_put: Tensor[(d_Batch_size), f32]) {\n"
                              "  %v_Sum_0 = %in_put + %in_put\n"
                              "  %out = onnx_softmax(%v_Sum_0, (-1))\n"
                              "  %out\n"
                              "}\n");
    EXPECT_EQ(text_of(graph, {.symbolic = true}).substr(0, 45), "def @main(%in_put: Tensor[(d), f32]) {\n  %v_S");
}

TEST(ModelText, WeightsAreParametersBehindTheInputs) {
    Message graph;
    graph.message(1, node_message("Mul", {"x", "w"}, {"y"})).message(1, node_message("Reshape", {"y", "sizes"}, {"z"}));
    graph.message(5, tensor_message("w", ElemType::float32, {2}).reals(4, {1, 2}));
    graph.message(5, tensor_message("sizes", ElemType::int64, {2}).numbers(7, {0, -1}));
    graph.message(11, value_message("x", "n")).message(11, value_message("w", "n")).message(12, value_message("z", ""));
    EXPECT_EQ(text_of(graph), "def @main(%x: Tensor[(n), f32], %w: Tensor[(2), f32], %sizes: Tensor[(2), i64]) {\n"
                              "  %y = %x * %w\n"
                              "  %z = reshape(%y, [shape_of(%y)[0], -1])\n"
                              "  %z\n"
                              "}\n");
}

TEST(ModelText, GraphsInsideSeeNamesAround) {
    auto arm = [](std::string_view op) { return Message().message(1, node_message(op, {"x"}, {"r"})).message(12, value_message("r", "")); };
    Message node = node_message("If", {"c"}, {"y"});
    node.message(5, Message().text(1, "then_branch").message(6, arm("Exp")).number(20, 5));
    node.message(5, Message().text(1, "else_branch").message(6, arm("Log")).number(20, 5));
    Message graph;
    graph.message(1, node).message(11, value_message("c", "")).message(11, value_message("x", "n")).message(12, value_message("y", "n"));
    EXPECT_EQ(text_of(graph), "def @main(%c: Tensor[(), f32], %x: Tensor[(n), f32]) {\n"
                              "  %c_2 = reshape(%c, [])\n"
                              "  %y = if (%c_2) {\n"
                              "    %r = exp(%x)\n"
                              "    %r\n"
                              "  } else {\n"
                              "    %r_2 = log(%x)\n"
                              "    %r_2\n"
                              "  }\n"
                              "  %y\n"
                              "}\n");
}

TEST(ModelText, BoundsThatAreLeftOutAreNotWritten) {
    Message graph;
    graph.message(1, node_message("Clip", {"x"}, {"a"})).message(1, node_message("Clip", {"a", "", "x"}, {"b"}));
    graph.message(1, node_message("Clip", {"b", "x", "x"}, {"c"})).message(11, value_message("x", "n")).message(12, value_message("c", "n"));
    EXPECT_EQ(text_of(graph), "def @main(%x: Tensor[(n), f32]) {\n"
                              "  %a = %x\n"
                              "  %b = minimum(%a, %x)\n"
                              "  %c = minimum(maximum(%b, %x), %x)\n"
                              "  %c\n"
                              "}\n");
}

TEST(ModelText, DirectionsAreOperators) {
    auto shift = [](std::string_view way) { return node_message("BitShift", {"x", "x"}, {"y"}).message(5, Message().text(1, "direction").text(4, way).number(20, 3)); };
    auto text = [&](const Message& node) {
        Message graph;
        return text_of(graph.message(1, node).message(11, value_message("x", "n")).message(12, value_message("y", "n")));
    };
    EXPECT_NE(text(shift("LEFT")).find("%y = shift_left(%x, %x)"), std::string::npos);
    EXPECT_NE(text(shift("RIGHT")).find("%y = shift_right(%x, %x)"), std::string::npos);
    EXPECT_EQ(text(shift("UP")), "error: BitShift: attribute 'direction' is 'UP', expected LEFT or RIGHT");
    EXPECT_NE(text(node_message("Mod", {"x", "x"}, {"y"})).find("%y = mod(%x, %x)"), std::string::npos);
    EXPECT_NE(text(node_message("Mod", {"x", "x"}, {"y"}).message(5, integer_message("fmod", 1))).find("%y = rem(%x, %x)"), std::string::npos);
}

TEST(ModelText, AllThatIsNotOfferedIsListed) {
    Message graph;
    graph.message(1, node_message("Odd", {"x"}, {"y"}).text(3, "first")).message(1, node_message("Odd", {"y"}, {"z"}));
    graph.message(1, node_message("Even", {"z"}, {"u"})).message(11, value_message("x", "")).message(12, value_message("u", ""));
    EXPECT_EQ(text_of(graph), "error: 2 operators are not offered\n"
                              "  Even (opset 21), 1 node\n"
                              "  Odd (opset 21), 2 nodes, the first is 'first'");
}

TEST(ModelText, WhatNothingGivesIsAnError) {
    Message graph;
    graph.message(1, node_message("Exp", {"nowhere"}, {"y"}).text(3, "e")).message(12, value_message("y", ""));
    EXPECT_EQ(text_of(graph), "error: Exp 'e': nothing gives 'nowhere', which a node reads");
}

TEST(ModelText, AttributesMustBeOfTheirType) {
    Message graph;
    graph.message(1, node_message("Softmax", {"x"}, {"y"}).message(5, Message().text(1, "axis").text(4, "last").number(20, 3)));
    graph.message(11, value_message("x", "")).message(12, value_message("y", ""));
    EXPECT_EQ(text_of(graph), "error: Softmax: attribute 'axis' is STRING, which is not expected");
}

TEST(ModelText, NumbersReadBack) {
    EXPECT_EQ(real_text(0.1f, true), "0.1");
    EXPECT_EQ(real_text(-2, true), "(-2.0)");
    EXPECT_EQ(real_text(1e-20, false), "1e-20");
    EXPECT_EQ(vector_text({}), "iota(0)");
}

// A form names only what its row has, and functions that prelude/onnx declares.
TEST(OpRows, FormsAreComplete) {
    std::set<std::string> declared, named;
    for (const char* file : {"layers", "layout", "math", "reduce"}) {
        Result<std::string> text = read_file(std::string(NEREUS_SOURCE_DIR) + "/prelude/onnx/" + file + ".nr");
        ASSERT_TRUE(text);
        for (size_t at = text->find("def @"); at != text->npos; at = text->find("def @", at + 1)) declared.insert(text->substr(at + 5, text->find_first_of("([", at) - at - 5));
    }
    for (auto rows : {math_rows, layout_rows, reduce_rows, index_rows, layer_rows, control_rows})
        for (const OpRow& row : rows()) {
            EXPECT_EQ(row.form.empty(), row.write != nullptr) << row.name;
            const std::string names = std::string(row.inputs) + ", " + std::string(row.attributes);
            for (size_t at = row.form.find('$'); at != row.form.npos; at = row.form.find('$', at + 1)) {
                const std::string_view name = row.form.substr(at + 1, row.form.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_", at + 1) - at - 1);
                EXPECT_NE((", " + names).find(", " + std::string(name)), std::string::npos) << row.name << ": " << name;
            }
            for (size_t at = row.form.find("onnx_"); at != row.form.npos; at = row.form.find("onnx_", at + 1)) {
                const std::string name(row.form.substr(at, row.form.find('(', at) - at));
                EXPECT_TRUE(declared.contains(name)) << row.name << ": " << name;
            }
        }
}
} // namespace
} // namespace nereus::onnx
