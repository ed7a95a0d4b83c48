#include "import/model_text.h"
#include "import/onnx_testing.h"
#include <gtest/gtest.h>

namespace nereus::onnx {
namespace {
Message abs_message(const std::string& from, const std::string& to) { return Message().texts(1, {from}).texts(2, {to}).text(4, "Abs"); }

TEST(NodeOrder, ChainsMayStandBackwards) {
    constexpr int count = 100'000;
    Message graph;
    for (int i = count; i > 0; --i) graph.message(1, abs_message("v" + std::to_string(i - 1), "v" + std::to_string(i)));
    const Message message = model_message(graph);
    Result<ModelFile> model = read_model(message.bytes());
    ASSERT_TRUE(model);
    ASSERT_EQ(model->main().nodes.size(), size_t(count));
    EXPECT_EQ(model->main().nodes.front().inputs[0], "v0");
    EXPECT_EQ(model->main().nodes.back().outputs[0], "v100000");
    ASSERT_EQ(model->notes.size(), 1u);
    EXPECT_EQ(model->notes[0].text(), "Abs that gives 'v100000' stands before Abs that gives 'v99999', whose 'v99999' it reads, and so do 99998 more; "
                                      "nodes are taken in the order in which they can run");
}

// Nodes in order stay as they are, those that read nothing of each other too.
TEST(NodeOrder, OrderStays) {
    Message graph;
    for (const char* name : {"c", "a", "b"}) graph.message(1, abs_message("x", name));
    const Message message = model_message(graph);
    Result<ModelFile> model = read_model(message.bytes());
    ASSERT_TRUE(model);
    EXPECT_EQ(model->main().nodes[0].outputs[0], "c");
    EXPECT_EQ(model->main().nodes[2].outputs[0], "b");
    EXPECT_TRUE(model->notes.empty());
}

TEST(NodeOrder, ALongCircleIsToldInPart) {
    Message graph;
    for (int i = 0; i < 10; ++i) graph.message(1, abs_message("v" + std::to_string(i), "v" + std::to_string((i + 1) % 10)));
    const Message message = model_message(graph);
    Result<ModelFile> model = read_model(message.bytes());
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().message,
              "nodes read each other in a circle: Abs that gives 'v1' reads 'v0' of Abs that gives 'v0', which reads 'v9' of Abs that gives 'v9', "
              "which reads 'v8' of Abs that gives 'v8', which reads 'v7' of Abs that gives 'v7', and so on over 10 nodes");
}

// A body that gives a name again reads the one of the graph around until then.
TEST(NodeOrder, NamesOfTheGraphAroundComeFirst) {
    Message body, graph;
    body.message(1, abs_message("t", "u")).message(1, abs_message("u", "t"));
    const Message branch = Message().text(1, "then_branch").message(6, body).number(20, 5);
    graph.message(1, abs_message("x", "t")).message(1, Message().texts(1, {"c"}).texts(2, {"y"}).text(4, "If").message(5, branch));
    const Message message = model_message(graph);
    Result<ModelFile> model = read_model(message.bytes());
    ASSERT_TRUE(model);
    EXPECT_EQ((*model)[GraphId(size_t(1))].nodes[0].outputs[0], "u");
    EXPECT_TRUE(model->notes.empty());
}

std::string said_of_versions(const Message& versions) {
    Message graph;
    graph.message(1, abs_message("x", "y")).message(11, Message().text(1, "x").message(2, Message().message(1, Message().number(1, 1))));
    graph.message(12, Message().text(1, "y"));
    Message model = versions;
    Result<ModelFile> read = read_model(model.message(7, graph).bytes());
    if (!read) return "error: " + read.error().message;
    Result<ModelText> text = write_text(*read, {});
    if (!text) return "error: " + text.error().message;
    std::string all;
    for (const ModelNote& note : text->notes) all += note.rule + ": " + note.text() + "\n";
    return all;
}
TEST(Versions, AreChecked) {
    auto opset = [](int64_t version) { return Message().number(2, version); };
    EXPECT_EQ(said_of_versions(Message().number(1, 10).message(8, opset(21))), "");
    EXPECT_EQ(said_of_versions(Message().number(1, 99).message(8, opset(21))),
              "unknown_version: its IR version is 99, the newest that is known is 13; what it has beyond that is not looked at\n");
    EXPECT_EQ(said_of_versions(Message().number(1, 10).message(8, opset(99))),
              "unknown_version: it is of version 99 of ai.onnx, the newest that is known is 28; its operators are taken as they are in 28\n");
    EXPECT_EQ(said_of_versions(Message().number(1, 2)), "unknown_version: it does not say of which version its operators are; they are taken as they are in 1\n");
    EXPECT_EQ(said_of_versions(Message().number(1, 10)), "error: it does not say of which version its operators are: opset_import has no ai.onnx");
    EXPECT_EQ(said_of_versions(Message().number(1, 10).message(8, opset(0))), "error: it is of version 0 of ai.onnx, versions go from 1 to 28");
    EXPECT_EQ(said_of_versions(Message().number(1, 123456).message(8, opset(21))), "error: it says that its IR version is 123456, the newest is 13");
}
} // namespace
} // namespace nereus::onnx
