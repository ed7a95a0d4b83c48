#include "base/file.h"
#include "import/model_text.h"
#include "import/node_text.h"
#include "import/onnx_testing.h"
#include "import/op_dtypes.h"
#include "import/op_notes.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <regex>
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
Message integers_message(std::string_view name, const std::vector<int64_t>& values) { return Message().text(1, name).numbers(8, values).number(20, 7); }
Message text_message(std::string_view name, std::string_view value) { return Message().text(1, name).text(4, value).number(20, 3); }

std::string titled_text(const Message& model, TextOptions options = {}) {
    Result<ModelFile> read = read_model(model.bytes());
    EXPECT_TRUE(read) << read.error().message;
    Result<ModelText> text = write_text(*read, options);
    return text ? text->text : "error: " + text.error().message;
}
// Nodes here have no names, and what they are called instead stands behind each line: without that.
std::string text_of_model(const Message& model, TextOptions options = {}) {
    static const std::regex behind_lines("  # \\w+ that gives '[^'\n]*'"), in_errors("( \\w+) that gives '[^'\n]*':");
    return std::regex_replace(std::regex_replace(titled_text(model, options), behind_lines, ""), in_errors, "$1:");
}
std::string text_of(const Message& graph, TextOptions options = {}) { return text_of_model(model_message(graph), options); }

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

TEST(ModelText, LinesSayTheirNodes) {
    Message graph;
    graph.message(1, node_message("Neg", {"x"}, {"a"}).text(3, "turn\naround")).message(1, node_message("Abs", {"a"}, {"y"}));
    graph.message(11, value_message("x", "n")).message(12, value_message("y", "n"));
    EXPECT_EQ(titled_text(model_message(graph)), "def @main(%x: Tensor[(n), f32]) {\n"
                                                 "  %a = -%x  # Neg 'turn?around'\n"
                                                 "  %y = abs(%a)  # Abs that gives 'y'\n"
                                                 "  %y\n"
                                                 "}\n");
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

TEST(ModelText, RangesAreLookedUpWhereTheFileTellsTheirAxes) {
    Message graph;
    graph.message(1, node_message("Slice", {"x", "from", "to", "axes", "steps"}, {"y"}));
    graph.message(1, node_message("Slice", {"y", "given", "to"}, {"z"}));
    graph.message(1, node_message("Slice", {"z", "given", "given"}, {"w"}));
    graph.message(5, tensor_message("from", ElemType::int64, {2}).numbers(7, {1, -1}));
    graph.message(5, tensor_message("to", ElemType::int64, {2}).numbers(7, {INT64_MAX, -9}));
    graph.message(5, tensor_message("axes", ElemType::int64, {2}).numbers(7, {0, -1}));
    graph.message(5, tensor_message("steps", ElemType::int64, {2}).numbers(7, {1, -2}));
    graph.message(11, value_message("x", "n")).message(11, value_message("given", "k")).message(12, value_message("w", ""));
    const std::string text = text_of(graph);
    EXPECT_EQ(text.substr(text.find("{\n")), "{\n"
                                             "  %size = onnx_size_at(%x, 0)\n"
                                             "  %from_2 = onnx_place(1, %size)\n"
                                             "  %size_2 = onnx_size_at(%x, (-1))\n"
                                             "  %t = gather(%x, onnx_slice_indices((-1), (-9), (-2), %size_2), axis=(-1))\n"
                                             "  %y = slice(%t, [%from_2], [%size], axes=[0])\n"
                                             "  %size_3 = onnx_size_at(%y, 0)\n"
                                             "  %at = cast(%given, i64)[0]\n"
                                             "  %from_3 = min(max(if (%at < 0) { %at + %size_3 } else { %at }, 0), %size_3)\n"
                                             "  %size_4 = onnx_size_at(%y, 1)\n"
                                             "  %at_2 = cast(%given, i64)[1]\n"
                                             "  %from_4 = min(max(if (%at_2 < 0) { %at_2 + %size_4 } else { %at_2 }, 0), %size_4)\n"
                                             "  %z = slice(%y, [%from_3, %from_4], [%size_3, max(onnx_place((-9), %size_4), %from_4)], axes=[0, 1])\n"
                                             "  %w = onnx_slice(%z, %given, %given, iota(onnx_size(%given)))\n"
                                             "  %w\n"
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

Message graph_attribute(std::string_view name, const Message& graph) { return Message().text(1, name).message(6, graph).number(20, 5); }

TEST(ModelText, ALoopThatNothingEndsIsCounted) {
    auto body = [](std::string_view condition) {
        Message graph;
        graph.message(1, node_message("Add", {"s", "x"}, {"t"})).message(1, node_message("Identity", {"go"}, {"on"})).message(1, node_message("Greater", {"s", "x"}, {"less"}));
        for (std::string_view input : {"i", "go", "s"}) graph.message(11, value_message(input, ""));
        for (std::string_view output : {condition, std::string_view("t"), std::string_view("s")}) graph.message(12, value_message(output, ""));
        return graph;
    };
    auto text = [&](std::string_view condition, std::initializer_list<std::string_view> inputs) {
        Message graph;
        graph.message(1, node_message("Loop", inputs, {"last", "rows"}).message(5, graph_attribute("body", body(condition))));
        graph.message(11, value_message("m", "")).message(11, value_message("c", "")).message(11, value_message("x", "n")).message(12, value_message("rows", ""));
        const std::string all = text_of(graph);
        return all.substr(std::min(all.find('\n') + 1, all.size()));
    };
    EXPECT_EQ(text("on", {"m", "", "x"}), "  %trips = onnx_number(%m)\n"
                                          "  %loop = for %i in %trips, (%s = %x) {\n"
                                          "    %t = %s + %x\n"
                                          "    %on = true\n"
                                          "    %less = %s > %x\n"
                                          "    yield %s\n"
                                          "    %t\n"
                                          "  }\n"
                                          "  %last = %loop.0\n"
                                          "  %rows = %loop.1\n"
                                          "  %rows\n"
                                          "}\n");
    const std::string ended = text("less", {"m", "c", "x"});
    EXPECT_NE(ended.find("%loop = while (%i = 0, %going = %go, %s = %x) (%going && %i < %trips) {"), std::string::npos) << ended;
    EXPECT_NE(ended.find("    (%i + 1, reshape(%less, []), %t)\n"), std::string::npos) << ended;
    EXPECT_NE(ended.find("%last = %loop.2\n  %rows = %loop.3\n"), std::string::npos) << ended;
    EXPECT_EQ(text("on", {"m", "c"}), "error: Loop: its body does not take and give its 0 states");
}

TEST(ModelText, FunctionsAreWrittenWhereTheyAreCalled) {
    Message leaky = Message().text(1, "Leaky").texts(4, {"x", "bias"}).texts(5, {"y"}).text(6, "slope").text(10, "own").message(9, Message().number(2, 21));
    leaky.message(7, node_message("LeakyRelu", {"x"}, {"h"}).message(5, Message().text(1, "alpha").text(21, "slope").number(20, 1)));
    leaky.message(7, node_message("Clip", {"h", "bias"}, {"y"}));
    Message call = node_message("Leaky", {"y"}, {"h"}).text(7, "own").message(5, Message().text(1, "slope").real(2, 0.5f).number(20, 1));
    Message graph;
    graph.message(1, call).message(1, node_message("Leaky", {"h", "y"}, {"z"}).text(7, "own")).message(11, value_message("y", "n")).message(12, value_message("z", "n"));
    EXPECT_EQ(text_of_model(model_message(graph).message(25, leaky)), "def @main(%y: Tensor[(n), f32]) {\n"
                                                                      "  %h = select(%y < 0.0, 0.5 * %y, %y)\n"
                                                                      "  %y_2 = onnx_below_largest(onnx_above_lowest(%h))\n"
                                                                      "  %h_2 = select(%y_2 < 0.0, 0.01 * %y_2, %y_2)\n"
                                                                      "  %y_3 = onnx_below_largest(maximum(%h_2, %y))\n"
                                                                      "  %y_3\n"
                                                                      "}\n");
    Message endless = Message().text(1, "Leaky").texts(4, {"x"}).texts(5, {"y"}).text(10, "own").message(7, node_message("Leaky", {"x"}, {"y"}).text(7, "own"));
    EXPECT_NE(text_of_model(model_message(graph).message(25, endless)).find("function 'Leaky' calls itself"), std::string::npos);
    Message deep = model_message(graph);
    for (int i = 0; i < 80; ++i) {
        const Message next = i == 79 ? node_message("Exp", {"x"}, {"y"}) : node_message("Leaky" + std::to_string(i + 1), {"x"}, {"y"}).text(7, "own");
        deep.message(25, Message().text(1, i ? "Leaky" + std::to_string(i) : "Leaky").texts(4, {"x"}).texts(5, {"y"}).text(10, "own").message(7, next));
    }
    EXPECT_NE(text_of_model(deep).find("calls of functions are nested more than 64 deep"), std::string::npos);
    Message blind = Message().text(1, "Leaky").texts(4, {"x"}).texts(5, {"z"}).text(10, "own").message(7, node_message("Exp", {"y"}, {"z"})).message(9, Message().number(2, 21));
    EXPECT_EQ(text_of_model(model_message(graph).message(25, blind)), "error: Leaky: Exp: nothing gives 'y', which a node reads");
}

TEST(ModelText, AxesMayBeKnownOnlyWhenItRuns) {
    Message graph;
    graph.message(1, node_message("ReduceMax", {"x", "axes"}, {"y"}).message(5, integer_message("keepdims", 0)));
    graph.message(1, node_message("ReduceMin", {"x"}, {"z"}));
    graph.message(1, node_message("ReduceMin", {"x"}, {"same"}).message(5, integer_message("noop_with_empty_axes", 1)));
    graph.message(11, value_message("x", "n")).message(11, value_message("axes", "k")).message(12, value_message("y", ""));
    EXPECT_EQ(text_of(graph), "def @main(%x: Tensor[(n), f32], %axes: Tensor[(k), f32]) {\n"
                              "  %go = onnx_axes_that_go(%axes, onnx_rank(%x), 0)\n"
                              "  %parts = onnx_split_axes(%x, %go)\n"
                              "  %kept = max(%parts, axes=onnx_second_axes(%x), keepdims=false)\n"
                              "  %y = onnx_drop_axes(%kept, %go, %axes, 0)\n"
                              "  %z = min(%x, keepdims=true)\n"
                              "  %same = min(%x, axes=iota(0), keepdims=true)\n"
                              "  %y\n"
                              "}\n");
}

TEST(ModelText, BoundsThatAreLeftOutAreFinite) {
    Message graph;
    graph.message(1, node_message("Clip", {"x"}, {"a"})).message(1, node_message("Clip", {"a", "", "x"}, {"b"}));
    graph.message(1, node_message("Clip", {"b", "x", "x"}, {"c"})).message(11, value_message("x", "n")).message(12, value_message("c", "n"));
    EXPECT_EQ(text_of(graph), "def @main(%x: Tensor[(n), f32]) {\n"
                              "  %a = onnx_below_largest(onnx_above_lowest(%x))\n"
                              "  %b = minimum(onnx_above_lowest(%a), %x)\n"
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

// Of one node whose inputs are model inputs of one axis: the lines.
std::string lines_of(const Message& node, std::initializer_list<std::string_view> inputs, std::string_view output = "y") {
    Message graph;
    graph.message(1, node);
    for (std::string_view input : inputs) graph.message(11, value_message(input, "n"));
    const Message model = Message().number(1, 10).message(7, graph.message(12, value_message(output, ""))).message(8, Message().number(2, 25));
    const std::string text = text_of_model(model);
    const size_t body = text.find("{\n");
    return body == text.npos ? text : text.substr(body + 2);
}
Message texts_message(std::string_view name, std::initializer_list<std::string_view> values) { return Message().text(1, name).texts(9, values).number(20, 8); }

TEST(ModelText, AttentionIsItsSteps) {
    EXPECT_EQ(lines_of(node_message("Attention", {"q", "k", "v"}, {"y"}), {"q", "k", "v"}), "  %q_2 = onnx_as_heads(%q, 0)\n"
                                                                                          "  %k_2 = onnx_as_heads(%k, 0)\n"
                                                                                          "  %v_2 = onnx_as_heads(%v, 0)\n"
                                                                                          "  %scores = onnx_attention_scores(%q_2, %k_2, onnx_scale_root(%q_2))\n"
                                                                                          "  %keys = shape_of(%k_2)[2]\n"
                                                                                          "  %p = onnx_attention_softmax(%scores)\n"
                                                                                          "  %y = onnx_heads_like(onnx_attention_values(%p, %v_2), %q)\n"
                                                                                          "  %y\n"
                                                                                          "}\n");
    Message windowed = node_message("Attention", {"q", "k", "v", "", "", "", "lengths"}, {"y"});
    windowed.message(5, integer_message("is_causal", 1)).message(5, integer_message("left_window_size", 2));
    const std::string text = lines_of(windowed, {"q", "k", "v", "lengths"});
    EXPECT_NE(text.find("%at = onnx_last_places(%q_2, %lengths)\n"), std::string::npos) << text;
    EXPECT_NE(text.find("onnx_masked(and(and(iota(%keys) <= %at, iota(%keys) >= %at - 2), onnx_before_end(%lengths, %keys)), "), std::string::npos) << text;
    EXPECT_EQ(lines_of(node_message("Attention", {"q", "k", "v", "", "p"}, {"y"}), {"q", "k", "v", "p"}), "error: Attention: past_key and past_value are given together");
    EXPECT_EQ(lines_of(node_message("Attention", {"q", "k", "v"}, {"y"}).message(5, integer_message("qk_matmul_output_mode", 4)), {"q", "k", "v"}),
              "error: Attention: attribute 'qk_matmul_output_mode' is 4, expected 0 to 3");
}

TEST(ModelText, RecurrentLayersRunOncePerDirection) {
    Message node = node_message("RNN", {"x", "w", "r"}, {"", "h"});
    node.message(5, text_message("direction", "bidirectional")).message(5, texts_message("activations", {"Affine", "HardSigmoid"}));
    node.message(5, Message().text(1, "activation_alpha").reals(7, {2, 3}).number(20, 6)).message(5, Message().text(1, "activation_beta").reals(7, {4}).number(20, 6));
    EXPECT_EQ(lines_of(node, {"x", "w", "r"}, "h"), "  %activation = fn(%v) { 2.0 * %v + 4.0 }\n"
                                                    "  %activation_2 = fn(%v) { maximum(minimum(3.0 * %v + 0.5, 1.0), 0.0) }\n"
                                                    "  %run = onnx_rnn(%x, %w, %r, 0.0, 0, onnx_no_state(%x, %r), 0, 0, %activation)\n"
                                                    "  %run_2 = onnx_rnn(%x, %w, %r, 0.0, 0, onnx_no_state(%x, %r), 1, 1, %activation_2)\n"
                                                    "  %h = concat([onnx_unsqueeze(%run.1, 0), onnx_unsqueeze(%run_2.1, 0)], axis=0)\n"
                                                    "  %h\n"
                                                    "}\n");
    EXPECT_EQ(lines_of(node_message("RNN", {"x", "w", "r"}, {"y"}).message(5, texts_message("activations", {"Odd"})), {"x", "w", "r"}), "error: RNN: activation 'Odd' is not offered");
    EXPECT_EQ(lines_of(node_message("LSTM", {"x", "w", "r"}, {"y"}).message(5, texts_message("activations", {"Tanh"})), {"x", "w", "r"}), "error: LSTM: it has 1 activations, expected 3");
}

TEST(ModelText, EquationsAreMatrixProducts) {
    auto einsum = [](std::initializer_list<std::string_view> inputs, std::string_view equation) { return lines_of(node_message("Einsum", inputs, {"y"}).message(5, text_message("equation", equation)), inputs); };
    EXPECT_EQ(einsum({"a", "b"}, "bij, bkj -> bik"), "  %moved = transpose(%b, perm=[0, 2, 1])\n"
                                                     "  %product = if (shape_of(%a)[2] == shape_of(%moved)[1]) { "
                                                     "matmul(reshape(%a, [shape_of(%a)[0], shape_of(%a)[1], shape_of(%a)[2]]), "
                                                     "reshape(%moved, [shape_of(%moved)[0], shape_of(%moved)[1], shape_of(%moved)[2]])) } else { "
                                                     "%wide = broadcast_to(%a, [shape_of(%a)[0], shape_of(%a)[1], onnx_wider(shape_of(%a)[2], shape_of(%moved)[1])]); "
                                                     "%wide_2 = broadcast_to(%moved, [shape_of(%moved)[0], onnx_wider(shape_of(%moved)[1], shape_of(%a)[2]), shape_of(%moved)[2]]); "
                                                     "matmul(reshape(%wide, [shape_of(%wide)[0], shape_of(%wide)[1], shape_of(%wide)[2]]), "
                                                     "reshape(%wide_2, [shape_of(%wide_2)[0], shape_of(%wide_2)[1], shape_of(%wide_2)[2]])) }\n"
                                                     "  %product_2 = reshape(%product, [shape_of(%product)[0], shape_of(%a)[1], shape_of(%moved)[2]])\n"
                                                     "  %y = %product_2\n"
                                                     "  %y\n"
                                                     "}\n");
    EXPECT_EQ(einsum({"a"}, "...iji"), "  %sizes = onnx_ellipsis_sizes(%a, 0, 3)\n"
                                       "  %joined = onnx_join_ellipsis(%a, 0, 3, %sizes)\n"
                                       "  %diagonal = onnx_last_diagonal(transpose(%joined, perm=[0, 2, 1, 3]))\n"
                                       "  %summed = sum(%diagonal, axes=[2])\n"
                                       "  %y = onnx_split_ellipsis(%summed, 0, %sizes)\n"
                                       "  %y\n"
                                       "}\n");
    for (std::string_view wrong : {"ij", "ij,j->k", "ij,j->ii", "i-,j", "......,i"})
        EXPECT_EQ(einsum({"a", "b"}, wrong), "error: Einsum: its equation is '" + std::string(wrong) + "', which is none of 2 operands");
}

// Every run of a model draws the same numbers, nodes that do not say a seed different ones.
TEST(ModelText, NodesDrawByTheirOwnSeeds) {
    auto graph = [](bool seeded) {
        Message out;
        for (std::string_view name : {"a", "b"}) {
            Message node = node_message("RandomNormalLike", {"x"}, {name});
            if (seeded) node.message(5, Message().text(1, "seed").real(2, 1).number(20, 1));
            out.message(1, node);
        }
        return out.message(11, value_message("x", "n")).message(12, value_message("a", "")).message(12, value_message("b", ""));
    };
    auto calls = [](const std::string& text) {
        std::set<std::string> out;
        for (size_t at = text.find("onnx_random_normal("); at != text.npos; at = text.find("onnx_random_normal(", at + 1)) out.insert(text.substr(at, text.find('\n', at) - at));
        return out;
    };
    const std::string text = text_of(graph(false));
    EXPECT_EQ(calls(text).size(), 2u) << text;
    EXPECT_EQ(text, text_of(graph(false)));
    EXPECT_EQ(calls(text_of(graph(true))), (std::set<std::string>{"onnx_random_normal(shape_of(%x), 1065353216, 0.0, 1.0), %x)"}));
}

TEST(ModelText, AttentionOfOneProductIsItsSteps) {
    Message node = node_message("Attention", {"x", "w", "", "mask", "past"}, {"y"}).text(7, "com.microsoft");
    node.message(5, integer_message("num_heads", 2)).message(5, integer_message("unidirectional", 1));
    EXPECT_EQ(lines_of(node, {"x", "w", "mask", "past"}), "  %all = matmul(cast(%x, f32), cast(%w, f32))\n"
                                                          "  %third = shape_of(%w)[1] / 3\n"
                                                          "  %parts = split(%all, [%third, %third, %third], axis=2)\n"
                                                          "  %q = onnx_as_heads(%parts.0, 2)\n"
                                                          "  %k = onnx_as_heads(%parts.1, 2)\n"
                                                          "  %v = onnx_as_heads(%parts.2, 2)\n"
                                                          "  %k_2 = concat([onnx_past(%past, 0), %k], axis=2)\n"
                                                          "  %v_2 = concat([onnx_past(%past, 1), %v], axis=2)\n"
                                                          "  %keys = shape_of(%k_2)[2]\n"
                                                          "  %scores = onnx_scaled_scores(%q, %k_2, onnx_head_scale(%q))\n"
                                                          "  %scores_2 = %scores + onnx_causal_filter(onnx_filtered(%mask, %q, %keys, shape_of(%past)[3], (-10000.0)), %q, %keys, shape_of(%past)[3])\n"
                                                          "  %joined = onnx_joined_heads(matmul(onnx_softmax(%scores_2, (-1)), %v_2))\n"
                                                          "  %y = onnx_cast_like(%joined, %x)\n"
                                                          "  %y\n"
                                                          "}\n");
    EXPECT_EQ(lines_of(node_message("Attention", {"x", "w"}, {"y"}).text(7, "com.microsoft").message(5, integer_message("do_rotary", 1)), {"x", "w"}),
              "error: Attention: its attribute 'do_rotary' is 1, which is not offered");
}

TEST(ModelText, TensorsAreTrainedOneByOne) {
    Message node = node_message("Momentum", {"r", "t", "x", "z", "gx", "gz", "vx", "vz"}, {"x2", "z2", "", "y"}).text(7, "ai.onnx.preview.training");
    node.message(5, text_message("mode", "nesterov"));
    EXPECT_EQ(lines_of(node, {"r", "t", "x", "z", "gx", "gz", "vx", "vz"}), "  %trained = onnx_momentum(%r, %t, %x, %gx, %vx, 0.0, 0.0, 0.0, 1)\n"
                                                                          "  %trained_2 = onnx_momentum(%r, %t, %z, %gz, %vz, 0.0, 0.0, 0.0, 1)\n"
                                                                          "  %x2 = %trained.0\n"
                                                                          "  %z2 = %trained_2.0\n"
                                                                          "  %y = %trained_2.1\n"
                                                                          "  %y\n"
                                                                          "}\n");
    EXPECT_EQ(lines_of(node_message("Adam", {"r", "t", "x", "z"}, {"y"}).text(7, "ai.onnx.preview.training"), {"r", "t", "x", "z"}),
              "error: Adam: it has 4 inputs, expected 2 and 4 for each tensor");
}

TEST(ModelText, CastsSayHowToStoreOnlyWhereItIsNotAsUsual) {
    auto cast = [](std::initializer_list<Message> attributes) {
        Message node = node_message("Cast", {"x"}, {"y"});
        for (const Message& attribute : attributes) node.message(5, attribute);
        const std::string text = text_of(Message().message(1, node).message(11, value_message("x", "n")).message(12, value_message("y", "n")));
        const size_t from = text.find("cast(");
        return from == text.npos ? text : text.substr(from, text.find('\n', from) - from);
    };
    auto word = [](std::string_view name, std::string_view value) { return Message().text(1, name).text(4, value).number(20, 3); };
    const Message to = integer_message("to", int64_t(ElemType::float8e8m0)), unsaturated = integer_message("saturate", 0);
    EXPECT_EQ(cast({to, integer_message("saturate", 1), word("round_mode", "up")}), "cast(%x, f8e8m0)");
    EXPECT_EQ(cast({to, unsaturated, word("round_mode", "nearest")}), "cast(%x, f8e8m0, saturate=false, round=\"nearest\")");
    EXPECT_NE(cast({to, word("round_mode", "sideways")}).find("'round_mode' is 'sideways', expected up, down or nearest"), std::string::npos);
    EXPECT_NE(cast({integer_message("to", 99)}).find("element type number 99 is not one that ONNX has"), std::string::npos);
}

TEST(ModelText, TypesAreNumbersThatOnnxHas) {
    static constexpr struct { std::string_view op, attribute; } nodes[] = {
        {"BitCast", "to"}, {"EyeLike", "dtype"}, {"HannWindow", "output_datatype"}, {"Bernoulli", "dtype"}, {"DequantizeLinear", "output_dtype"}};
    for (const auto& [op, attribute] : nodes)
        for (int64_t number : {int64_t(-2), int64_t(29), int64_t(257), std::numeric_limits<int64_t>::min()}) {
            const Message node = node_message(op, {"x", "x"}, {"y"}).message(5, integer_message(attribute, number));
            const Message graph = Message().message(1, node).message(11, value_message("x", "n")).message(12, value_message("y", "n"));
            const Message model = Message().number(1, 13).message(7, graph).message(8, Message().number(2, 26));
            EXPECT_EQ(text_of_model(model), "error: " + std::string(op) + ": attribute '" + std::string(attribute) + "': element type number " +
                                                std::to_string(number) + " is not one that ONNX has");
        }
}

TEST(ModelText, AllThatIsNotOfferedIsListed) {
    Message graph;
    graph.message(1, node_message("Odd", {"x"}, {"y"}).text(3, "first")).message(1, node_message("Odd", {"y"}, {"z"}));
    graph.message(1, node_message("Even", {"z"}, {"u"})).message(11, value_message("x", "")).message(12, value_message("u", ""));
    EXPECT_EQ(text_of(graph), "error: 2 operators are not offered\n"
                              "  Even (opset 21), 1 node: the one that gives 'u'\n"
                              "  Odd (opset 21), 2 nodes: 'first', the one that gives 'z'");
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

TEST(ModelText, WindowsArePaddedWhereTheNodeSays) {
    Message graph;
    graph.message(1, node_message("Conv", {"x", "w", "b"}, {"y"}).message(5, integers_message("pads", {0, 1, 2, 1})).message(5, integer_message("group", 2)));
    graph.message(1, node_message("MaxPool", {"y"}, {"z"}).message(5, integers_message("kernel_shape", {2, 3})).message(5, integers_message("strides", {2, 1})));
    graph.message(1, node_message("Conv", {"z", "w"}, {"v"}).message(5, text_message("auto_pad", "SAME_LOWER")));
    graph.message(11, value_message("x", "n")).message(11, value_message("w", "k")).message(11, value_message("b", "k")).message(12, value_message("v", ""));
    const std::string text = text_of(graph);
    EXPECT_EQ(text.substr(text.find("{\n")), "{\n"
                                             "  %padded = onnx_extend(%x, tensor([0, 0, 0, 1]), tensor([0, 0, 2, 1]), onnx_number_like(0, %x))\n"
                                             "  %y = onnx_add_bias(conv(%padded, %w, groups=2), %b)\n"
                                             "  %windows = windows(%y, [2, 3], strides=[2, 1])\n"
                                             "  %z = max(%windows, axes=[-1])\n"
                                             "  %padded_2 = onnx_pad_same(%z, onnx_span(onnx_sizes_behind(%w), onnx_one_per_axis(%z)), onnx_one_per_axis(%z), 1, onnx_number_like(0, %z))\n"
                                             "  %v = conv(%padded_2, %w)\n"
                                             "  %v\n"
                                             "}\n");
}

// A scale that the file tells leaves a size that is known: 1.5 is 3 over 2.
TEST(ModelText, WindowsHaveSizesThatCanBeCounted) {
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    auto pool = [](const std::vector<int64_t>& window, const std::vector<int64_t>& dilations) {
        Message node = node_message("MaxPool", {"x"}, {"y", "places"});
        node.message(5, integers_message("kernel_shape", window)).message(5, integers_message("dilations", dilations));
        return text_of(Message().message(1, node).message(11, value_message("x", "n")).message(12, value_message("y", "n")));
    };
    EXPECT_EQ(pool({2, 0}, {1, 1}), "error: MaxPool: its windows are 0 wide, with dilations of 1");
    EXPECT_EQ(pool({-1, std::numeric_limits<int64_t>::min()}, {1, 1}), "error: MaxPool: its windows are -1 wide, with dilations of 1");
    EXPECT_EQ(pool({2, most}, {1, 1}), "error: MaxPool: its windows are " + std::to_string(most) + " wide, with dilations of 1");
    EXPECT_EQ(pool({3, 2}, {most, 1}), "error: MaxPool: its windows are 3 wide, with dilations of " + std::to_string(most));
    Message back = node_message("MaxUnpool", {"x", "x"}, {"y"});
    back.message(5, integers_message("kernel_shape", {2})).message(5, integers_message("pads", {most, 1}));
    EXPECT_EQ(text_of(Message().message(1, back).message(11, value_message("x", "n")).message(12, value_message("y", "n"))),
              "error: MaxUnpool: its pads are more than 64 bits can count");
}

TEST(ModelText, GramsMaySkipAnyNumber) {
    constexpr int64_t most = std::numeric_limits<int64_t>::max();
    auto grams = [](int64_t skips, int64_t place) {
        Message node = node_message("TfIdfVectorizer", {"x"}, {"y"});
        node.message(5, text_message("mode", "TF")).message(5, integer_message("max_gram_length", 2)).message(5, integer_message("max_skip_count", skips));
        node.message(5, integers_message("ngram_counts", {0, 0})).message(5, integers_message("ngram_indexes", {place})).message(5, integers_message("pool_int64s", {5, 6}));
        return text_of(Message().message(1, node).message(11, value_message("x", "n")).message(12, value_message("y", "n")));
    };
    EXPECT_NE(grams(3, 0).find(", 4)\n"), std::string::npos) << grams(3, 0);
    EXPECT_NE(grams(most, 0).find(", " + std::to_string(most) + ")\n"), std::string::npos) << grams(most, 0);
    EXPECT_EQ(grams(3, most), "error: TfIdfVectorizer: its pool has 2 elements, which do not fit ngram_counts, ngram_indexes and weights");
}

TEST(ModelText, ScalesAreFractions) {
    Message graph;
    graph.message(1, node_message("Resize", {"x", "", "scales"}, {"y"}).message(5, text_message("nearest_mode", "floor")));
    graph.message(5, tensor_message("scales", ElemType::float32, {3}).reals(4, {1, 2, 1.5}));
    graph.message(11, value_message("x", "n")).message(12, value_message("y", ""));
    const std::string text = text_of(graph);
    EXPECT_NE(text.find("  %size = onnx_size_at(%x, (1)) * 2\n  %size_2 = onnx_size_at(%x, (2)) * 3 // 2\n"), text.npos) << text;
    EXPECT_EQ(text.find("(0)"), text.npos) << text;
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
    for (const auto& file : std::filesystem::directory_iterator(std::string(NEREUS_SOURCE_DIR) + "/prelude/onnx")) {
        Result<std::string> text = read_file(file.path().string());
        ASSERT_TRUE(text);
        for (size_t at = text->find("def @"); at != text->npos; at = text->find("def @", at + 1)) declared.insert(text->substr(at + 5, text->find_first_of("([", at) - at - 5));
    }
    for (OpFamily rows : op_families())
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

// docs/onnx_support.md says something of every operator, and gives a reason where it says no.
TEST(OpRows, HaveNotes) {
    EXPECT_EQ(find_note("Ad"), nullptr);
    EXPECT_EQ(op_dtypes("", "Ad"), "");
    for (OpFamily rows : op_families())
        for (const OpRow& row : rows()) {
            const OpNote* note = find_note(row.name);
            ASSERT_TRUE(note) << row.name;
            EXPECT_TRUE(note->dynamism >= 1 && note->dynamism <= 4) << row.name;
            EXPECT_FALSE(op_dtypes(row.domain, row.name).empty()) << row.name;
            EXPECT_TRUE(note->gradient.starts_with("yes") || note->gradient.starts_with("no: ")) << row.name;
        }
}
} // namespace
} // namespace nereus::onnx
