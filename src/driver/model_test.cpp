#include "base/file.h"
#include "driver/compile.h"
#include "driver/model.h"
#include "import/onnx_testing.h"
#include "library/library.h"
#include "value/text.h"
#include "vm/context.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

namespace nereus {
namespace {
using namespace onnx;

Message value_message(std::string_view name, std::string_view dim, ElemType type = ElemType::float32) {
    return Message().text(1, name).message(2, Message().message(1, Message().number(1, int(type)).message(2, Message().message(1, Message().text(2, dim)))));
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

// Wherever in the file elements lie, aligned or not, two that compile it have one copy of them, and equal weights are one.
TEST(Model, ExecutablesOfAFileShareItsWeights) {
    constexpr int64_t count = 1 << 16;
    std::vector<float> ramp(count);
    for (int64_t i = 0; i < count; ++i) ramp[size_t(i)] = float(i);
    const std::string_view elements(reinterpret_cast<const char*>(ramp.data()), count * sizeof(float));
    const std::string path = (std::filesystem::temp_directory_path() / ("nereus_weights_" + std::to_string(::getpid()) + ".onnx")).string();
    int borrowed = 0, copied = 0;
    for (int64_t padding = 0; padding < 4; ++padding) {
        SCOPED_TRACE(padding);
        Message graph;
        graph.text(10, std::string(size_t(padding), '.'));                   // a comment
        graph.message(5, tensor_message("w", ElemType::float32, {count}).text(9, elements));
        graph.message(5, tensor_message("same", ElemType::float32, {count}).text(9, elements));
        graph.message(1, node_message("Mul", {"x", "w"}, "a")).message(1, node_message("Add", {"a", "same"}, "y"));
        graph.message(11, value_message("x", "n")).message(12, value_message("y", "n"));
        ASSERT_TRUE(write_file(path, std::string_view(model_message(graph).data)));
        std::vector<Executable> made;
        const std::byte* in_file = nullptr;
        for (int i = 0; i < 2; ++i) {
            Result<ModelFile> file = read_model(path);
            ASSERT_TRUE(file) << file.error().message;
            in_file = file->main().initializers[0].bytes.data();
            Result<ModelModule> model = parse_model(*file, {}, path);
            ASSERT_TRUE(model) << model.error().message;
            Result<Executable> exe = compile(std::move(model->module), {});
            ASSERT_TRUE(exe) << exe.error().message;
            made.push_back(std::move(*exe));
        }
        ASSERT_EQ(made[0].weights.size(), 1u);
        EXPECT_EQ(made[0].weights[0].size(), elements.size());
        EXPECT_EQ(made[0].weights[0].data(), made[1].weights[0].data());
        (made[0].weights[0].data() == in_file ? borrowed : copied) += 1;
        std::filesystem::remove(path);                                       // mapped is mapped
        std::shared_ptr<const LoadedExecutable> loaded = *LoadedExecutable::load(std::move(made[0]), library());
        std::unique_ptr<Context> context = std::move(*Context::make(loaded));
        HostTensor x = *HostTensor::make(DType::f32, {count});
        (*x.mutable_data<float>())[3] = 2;
        Result<Value> y = context->run(loaded->exe().entries[0], std::vector{Value::tensor(x)});
        ASSERT_TRUE(y) << y.error().message;
        EXPECT_EQ(y->tensor().as_f64(3), 9);
        EXPECT_EQ(y->tensor().as_f64(count - 1), double(count - 1));
    }
    EXPECT_EQ(borrowed, 1);
    EXPECT_EQ(copied, 3);
}

TEST(Model, WeightsMayBeTexts) {
    Message graph;
    graph.message(1, node_message("Identity", {"w"}, "y")).message(5, tensor_message("w", ElemType::string, {1}).text(6, "a"));
    graph.message(12, value_message("y", "n", ElemType::string));
    const Message bytes = model_message(graph);
    Result<ModelFile> file = read_model(bytes.bytes());
    ASSERT_TRUE(file);
    Result<ModelModule> model = parse_model(*file, {}, "model.onnx");
    ASSERT_TRUE(model) << model.error().message;
    Result<Executable> exe = compile(std::move(model->module), {});
    ASSERT_TRUE(exe) << exe.error().message;
    std::shared_ptr<const LoadedExecutable> loaded = *LoadedExecutable::load(std::move(*exe), library());
    Result<Value> y = (*Context::make(loaded))->run(loaded->exe().entries[0], std::vector<Value>());
    ASSERT_TRUE(y) << y.error().message;
    EXPECT_EQ(to_text(*y), "Tensor[(1), str] [\"a\"]");
}
} // namespace
} // namespace nereus
