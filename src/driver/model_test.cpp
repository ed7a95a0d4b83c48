#include "driver/compile.h"
#include "driver/model.h"
#include "import/onnx_testing.h"
#include "library/library.h"
#include "value/text.h"
#include "vm/context.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
using namespace onnx;

Message value_message(std::string_view name, std::string_view dim) {
    return Message().text(1, name).message(2, Message().message(1, Message().number(1, 1).message(2, Message().message(1, Message().text(2, dim)))));
}
Message node_message(std::string_view op, std::initializer_list<std::string_view> inputs, std::string_view output) {
    return Message().texts(1, inputs).text(2, output).text(4, op);
}

// y = (x * w + s) as rows of 2; w is used twice, s is a number.
Message model_with_weights() {
    Message graph;
    graph.message(1, node_message("Mul", {"x", "w"}, "a")).message(1, node_message("Add", {"a", "s"}, "b"));
    graph.message(1, node_message("Sub", {"b", "w"}, "c")).message(1, node_message("Reshape", {"c", "sizes"}, "y"));
    graph.message(5, tensor_message("w", ElemType::float32, {4}).reals(4, {1, 2, 3, 4}));
    graph.message(5, tensor_message("s", ElemType::float32, {}).reals(4, {0.5}));
    graph.message(5, tensor_message("sizes", ElemType::int64, {2}).numbers(7, {-1, 2}));
    graph.message(11, value_message("x", "n")).message(12, value_message("y", ""));
    return model_message(graph);
}

TEST(Model, WeightsAreConstants) {
    const Message bytes = model_with_weights();
    Result<ModelFile> file = read_model(bytes.bytes());
    ASSERT_TRUE(file);
    Result<ModelModule> model = parse_model(*file, {}, "model.onnx");
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->inputs, std::vector<std::string>{"x"});
    EXPECT_EQ(model->outputs, std::vector<std::string>{"y"});
    Result<Executable> exe = compile(model->module, {});
    ASSERT_TRUE(exe) << exe.error().message;
    EXPECT_EQ(exe->entries[0].params.size(), 1u);
    Result<std::shared_ptr<const LoadedExecutable>> loaded = LoadedExecutable::load(std::move(*exe), library());
    ASSERT_TRUE(loaded);
    std::unique_ptr<Context> context = std::move(*Context::make(*loaded));
    const Value x = Value::tensor(HostTensor::of<float>({4}, {1, 1, 2, 2}));
    Result<Value> y = context->run((*loaded)->exe().entries[0], std::vector{x});
    ASSERT_TRUE(y) << y.error().message;
    EXPECT_EQ(to_text(*y), "Tensor[(2, 2), f32] [[0.5, 0.5], [3.5, 4.5]]");
}

TEST(Model, WeightsOfTextAreRefused) {
    Message graph;
    graph.message(1, node_message("Identity", {"w"}, "y")).message(5, tensor_message("w", ElemType::string, {1}).text(6, "a"));
    graph.message(12, value_message("y", "n"));
    const Message bytes = model_message(graph);
    Result<ModelFile> file = read_model(bytes.bytes());
    ASSERT_TRUE(file);
    EXPECT_EQ(parse_model(*file, {}, "model.onnx").error().message, "initializer 'w': its elements are string");
}
} // namespace
} // namespace nereus
