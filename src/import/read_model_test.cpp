#include "import/onnx_testing.h"
#include <algorithm>
#include <gtest/gtest.h>

namespace nereus::onnx {
using Names = std::vector<std::string_view>;

static std::string message_of(const Message& model) {
    Result<ModelFile> read = read_model(model.bytes());
    return read ? "" : read.error().message;
}
// The attribute of model_of_attribute; `message` outlives it.
static Attribute attribute_of(const Message& message) {
    Result<ModelFile> model = read_model(message.bytes());
    EXPECT_TRUE(model) << model.error().message;
    return model ? model->main().nodes[0].attributes[0] : Attribute();
}
static Message typed(AttributeType type) { return Message().text(1, "a").number(20, int64_t(type)); }

TEST(ReadModel, ModelFields) {
    const Message message = model_message(Message().text(2, "g"))
                                .text(2, "maker")
                                .text(3, "1.2")
                                .text(4, "org.me")
                                .number(5, 7)
                                .message(8, Message().text(1, "ai.onnx.ml").number(2, 3))
                                .message(14, Message().text(1, "k").text(2, "v"));
    Result<ModelFile> model = read_model(message.bytes());
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->ir_version, 10);
    EXPECT_EQ(model->producer_name, "maker");
    EXPECT_EQ(model->producer_version, "1.2");
    EXPECT_EQ(model->domain, "org.me");
    EXPECT_EQ(model->model_version, 7);
    ASSERT_EQ(model->opset_imports.size(), 2u);
    EXPECT_EQ(model->opset_imports[0].domain, "");
    EXPECT_EQ(model->opset_imports[0].version, 21);
    EXPECT_EQ(model->opset_imports[1].domain, "ai.onnx.ml");
    ASSERT_EQ(model->metadata_props.size(), 1u);
    EXPECT_EQ(model->metadata_props[0].key, "k");
    EXPECT_EQ(model->metadata_props[0].value, "v");
    EXPECT_EQ(model->main().name, "g");
}

TEST(ReadModel, NodesAndNamesPointIntoTheFile) {
    const Message node =
        Message().texts(1, {"x", "", "w"}).texts(2, {"y"}).text(3, "n1").text(4, "Conv").text(7, "dom").text(8, "over");
    const Message message = model_message(Message().message(1, node).message(1, Message().text(4, "Relu")));
    Result<ModelFile> model = read_model(message.bytes());
    ASSERT_TRUE(model) << model.error().message;
    ASSERT_EQ(model->main().nodes.size(), 2u);
    const Node& first = model->main().nodes[0];
    EXPECT_EQ(first.inputs, (Names{"x", "", "w"}));
    EXPECT_EQ(first.outputs, (Names{"y"}));
    EXPECT_EQ(first.name, "n1");
    EXPECT_EQ(first.op_type, "Conv");
    EXPECT_EQ(first.domain, "dom");
    EXPECT_EQ(first.overload, "over");
    EXPECT_EQ(model->main().nodes[1].op_type, "Relu");
    EXPECT_TRUE(StaysInside(*model->storage, message.bytes()).holds(*model));
}

TEST(ReadModel, NumbersOfAttributesPackedOrNot) {
    for (bool packed : {true, false}) {
        const Message ints = model_of_attribute(typed(AttributeType::ints).numbers(8, {3, -1, INT64_MIN}, packed));
        EXPECT_EQ(std::get<std::vector<int64_t>>(attribute_of(ints).value), (std::vector<int64_t>{3, -1, INT64_MIN}));
        const Message floats = model_of_attribute(typed(AttributeType::floats).reals(7, {0.5, -2}, packed));
        EXPECT_EQ(std::get<std::vector<float>>(attribute_of(floats).value), (std::vector<float>{0.5, -2}));
    }
    // both at once, in the order of the file
    const Message mixed = model_of_attribute(typed(AttributeType::ints).numbers(8, {1, 2}).number(8, 3).numbers(8, {4}));
    EXPECT_EQ(std::get<std::vector<int64_t>>(attribute_of(mixed).value), (std::vector<int64_t>{1, 2, 3, 4}));
}

TEST(ReadModel, AnAttributeWithoutTypeIsWhatItHas) {
    const Message axis = model_of_attribute(Message().text(1, "axis").number(3, 2));
    EXPECT_EQ(attribute_of(axis).type, AttributeType::int_);
    EXPECT_EQ(std::get<int64_t>(attribute_of(axis).value), 2);
    EXPECT_EQ(message_of(model_of_attribute(Message().text(1, "a").number(3, 2).real(2, 1))),
              "graph.node[0].attribute[0]: attribute 'a': it has several values and no type that says which counts");
    EXPECT_EQ(message_of(model_of_attribute(Message().text(1, "a"))),
              "graph.node[0].attribute[0]: attribute 'a': it has neither type nor value");
}

TEST(ReadModel, AnAttributeWithoutValueIsZeroOrEmpty) {        // as proto3 writes it
    const Message zero = model_of_attribute(typed(AttributeType::int_)),
                  none = model_of_attribute(typed(AttributeType::strings));
    EXPECT_EQ(std::get<int64_t>(attribute_of(zero).value), 0);
    EXPECT_TRUE(std::get<Names>(attribute_of(none).value).empty());
    EXPECT_EQ(message_of(model_of_attribute(typed(AttributeType::graph))),
              "graph.node[0].attribute[0]: attribute 'a': its type says that it has a value, but it has none");
}

TEST(ReadModel, AnAttributeIsOfItsType) {
    EXPECT_EQ(message_of(model_of_attribute(typed(AttributeType::int_).real(2, 1))),
              "graph.node[0].attribute[0]: attribute 'a': its type is INT, but its value is FLOAT");
    EXPECT_EQ(message_of(model_of_attribute(Message().text(1, "a").number(20, 15))),
              "graph.node[0].attribute[0]: attribute 'a': attribute type number 15 is not one that ONNX has");
}

TEST(ReadModel, Shapes) {
    auto type_of = [](const Message& shape) { return Message().message(1, Message().number(1, 1).message(2, shape)); };
    const Message dims = Message()
                             .message(1, Message().number(1, 4))
                             .message(1, Message().text(2, "n"))
                             .message(1, Message())
                             .message(1, Message().number(1, -1));
    const Message both = Message().message(1, Message().number(1, 4).text(2, "n"));
    Message graph;
    for (const Message& type :
         {type_of(dims), type_of(Message()), Message().message(1, Message().number(1, 1)), type_of(both)})
        graph.message(11, Message().text(1, "x").message(2, type));
    const Message message = model_message(graph);
    Result<ModelFile> model = read_model(message.bytes());
    ASSERT_TRUE(model) << model.error().message;
    const std::vector<ValueInfo>& inputs = model->main().inputs;
    EXPECT_EQ(inputs[0].type.elem, ElemType::float32);
    EXPECT_EQ(*inputs[0].type.shape, (std::vector<Dim>{int64_t(4), std::string_view("n"), std::monostate(), int64_t(-1)}));
    EXPECT_EQ(inputs[1].type.shape->size(), 0u);
    EXPECT_FALSE(inputs[2].type.shape);
    EXPECT_EQ(*inputs[3].type.shape, std::vector<Dim>{std::string_view("n")});       // a oneof: the last
}

TEST(ReadModel, OfStringsAndNumbersGivenTwiceTheLastCounts) {
    const Message message = model_message(Message().text(2, "old").text(2, "new")).number(1, 11);
    Result<ModelFile> model = read_model(message.bytes());
    ASSERT_TRUE(model);
    EXPECT_EQ(model->main().name, "new");
    EXPECT_EQ(model->ir_version, 11);
}

TEST(ReadModel, MessagesGivenTwiceAreRefused) {
    EXPECT_EQ(message_of(model_message(Message()).message(7, Message())), "graph: is there twice, where one is expected");
    const Message type = Message().message(1, Message().number(1, 1));
    EXPECT_EQ(message_of(model_message(Message().message(11, Message().text(1, "x").message(2, type).message(2, type)))),
              "graph.input[0].type: is there twice, where one is expected");
    const Message two = Message().message(1, Message()).message(4, Message());
    EXPECT_EQ(message_of(model_message(Message().message(11, Message().message(2, two)))),
              "graph.input[0].type: a type is of two kinds, as tensor and sequence");
}

TEST(ReadModel, UnknownFieldsAreSkipped) {
    const Message message = model_message(Message().text(2, "g").number(500, 1).real(501, 1).real64(502, 1).text(503, "x"))
                                .text(6, "doc")
                                .text(99, "y");
    Result<ModelFile> model = read_model(message.bytes());
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->main().name, "g");
}

TEST(ReadModel, ErrorsSayTheFieldAndTheByte) {
    const Message message = model_message(Message().message(1, Message()).message(1, Message().text(1, "x").number(4, 3)));
    EXPECT_EQ(message_of(message), "graph.node[1].op_type: expected a string or message, found an integer at byte 12");
    EXPECT_EQ(message_of(Message().number(1, 10)), "there is no graph in it");
    EXPECT_EQ(read_model(Message().text(7, "\x08").bytes()).error().hint, "the file is damaged, or no ONNX model");
    Message pointer;
    pointer.data = "version https://git-lfs.github.com/spec/v1\noid sha256:0\n";
    EXPECT_EQ(read_model(pointer.bytes()).error().hint, "fetch the model: git lfs pull");
    EXPECT_EQ(
        message_of(model_message(Message().message(11, Message().message(2, Message().message(1, Message().number(1, 77)))))),
        "graph.input[0].type: element type number 77 is not one that ONNX has");
}

TEST(ReadModel, SubgraphsComeAfterWhatTheyAreIn) {
    auto branch = [](std::string_view name, const Message& graph) {
        return Message().text(1, name).number(20, 5).message(6, graph);
    };
    const Message innermost = Message().text(2, "innermost"),
                  inner = Message().text(2, "inner").message(1, Message().message(5, branch("b", innermost)));
    const Message function = Message().text(1, "f").message(7, Message().message(5, branch("b", Message().text(2, "of_f"))));
    const Message node = Message().message(5, branch("then", inner)).message(5, branch("else", Message().text(2, "else")));
    const Message message = model_message(Message().text(2, "main").message(1, node)).message(25, function);
    Result<ModelFile> model = read_model(message.bytes());
    ASSERT_TRUE(model) << model.error().message;
    const struct { std::string_view name; GraphId parent; int depth; } graphs[] = {
        {"main", {}, 0}, {"of_f", {}, 0}, {"inner", GraphId(0), 1}, {"else", GraphId(0), 1}, {"innermost", GraphId(2), 2}};
    ASSERT_EQ(model->graphs.size(), std::size(graphs));
    for (size_t i = 0; i < std::size(graphs); ++i) {
        EXPECT_EQ(model->graphs[i].name, graphs[i].name);
        EXPECT_EQ(model->graphs[i].parent, graphs[i].parent) << graphs[i].name;
        EXPECT_EQ(model->graphs[i].depth, graphs[i].depth) << graphs[i].name;
    }
    EXPECT_EQ(std::get<std::vector<GraphId>>(model->main().nodes[0].attributes[1].value), std::vector<GraphId>{GraphId(3)});
}

// Lengths stand in front of what they count, so a deep nest is written from its end.
static std::string nested(int levels, std::initializer_list<uint32_t> fields, std::string innermost) {
    std::string reversed(innermost.rbegin(), innermost.rend());
    for (int level = 0; level < levels; ++level)
        for (uint32_t field : fields) {
            std::string head(1, char(field << 3 | 2));
            protozero::write_varint(std::back_inserter(head), reversed.size());
            reversed.append(head.rbegin(), head.rend());
        }
    std::reverse(reversed.begin(), reversed.end());
    return reversed;
}

TEST(ReadModel, SubgraphsNestWithoutEnd) {
    constexpr int levels = 100'000;
    Message message;
    message.text(7, nested(levels, {6, 5, 1}, Message().text(2, "innermost").data));
    Result<ModelFile> model = read_model(message.bytes());
    ASSERT_TRUE(model) << model.error().message;
    ASSERT_EQ(model->graphs.size(), size_t(levels) + 1);
    EXPECT_EQ(model->graphs.back().name, "innermost");
    EXPECT_EQ(model->graphs.back().depth, levels);

    Message damaged;
    damaged.text(7, nested(levels, {6, 5, 1}, Message().number(2, 1).data));
    const std::string said = message_of(damaged), step = "node[0].attribute[0].g.";
    EXPECT_TRUE(said.starts_with("graph." + step + step + "…." + step + step + step + "name: expected a string or message"))
        << said;
}

TEST(ReadModel, TypesNestWithoutEnd) {
    constexpr int levels = 100'000;
    const Message leaf = Message().message(1, Message().number(1, 7));
    Message info;
    info.text(1, "x").text(2, nested(levels, {1, 4}, leaf.data));
    const Message message = model_message(Message().message(11, info));
    Result<ModelFile> model = read_model(message.bytes());
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->main().inputs[0].type.layers.size(), size_t(levels));
    EXPECT_EQ(model->main().inputs[0].type.elem, ElemType::int64);
}
} // namespace nereus::onnx
