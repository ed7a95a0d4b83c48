// A model through the C interface. Its own names are at the door, and stay there in an artefact.
#include "import/onnx_testing.h"
#include "nereus/compile.h"
#include <fstream>
#include <gtest/gtest.h>
#include <unistd.h>

namespace nereus::onnx {
namespace {
Message value_message(std::string_view name, std::string_view dim, uint64_t elem_type = 1) {
    return Message().text(1, name).message(2, Message().message(1, Message().number(1, elem_type).message(2, Message().message(1, Message().text(2, dim)))));
}
std::string write_model(const Message& graph) {
    std::string path = testing::TempDir() + "capi_" + std::to_string(::getpid()) + ".onnx";
    std::ofstream(path, std::ios::binary) << model_message(graph).data;
    return path;
}

TEST(PublicModel, HasItsOwnNames) {
    Message graph;
    graph.message(1, Message().texts(1, {"input.1", "x=y"}).text(2, "a/b:0").text(4, "Add"));
    graph.message(11, value_message("input.1", "n")).message(11, value_message("x=y", "n")).message(12, value_message("a/b:0", "n"));
    const std::string path = write_model(graph);
    nereus_executable* executable = nullptr;
    nereus_status* status = nereus_executable_compile_file(path.c_str(), nullptr, &executable);
    ::unlink(path.c_str());
    ASSERT_FALSE(status) << nereus_status_text(status);
    const nereus_entry* entry = nullptr;
    ASSERT_FALSE(nereus_executable_entry(executable, 0, &entry));
    ASSERT_EQ(entry->parameter_count, 2u);
    EXPECT_STREQ(entry->parameters[0]->name, "input.1");
    EXPECT_STREQ(entry->parameters[1]->name, "x=y");
    ASSERT_EQ(entry->result_count, 1u);
    EXPECT_STREQ(entry->results[0]->name, "a/b:0");
    EXPECT_STREQ(entry->sizes[0], "n");

    nereus_context* context = nullptr;
    ASSERT_FALSE(nereus_context_create(executable, nullptr, &context));
    const float numbers[] = {1, 2};
    const int64_t extents[] = {2};
    nereus_value *x = nullptr, *sum = nullptr;
    ASSERT_FALSE(nereus_tensor_create(NEREUS_F32, 1, extents, numbers, sizeof numbers, &x));
    const char *names[] = {"x=y", "input.1"}, *wrong[] = {"x=y", "input.2"};
    const nereus_value* arguments[] = {x, x};
    nereus_call_options options{};
    options.struct_size = sizeof options, options.names = names;
    status = nereus_context_call(context, &options, arguments, 2, &sum);
    ASSERT_FALSE(status) << nereus_status_text(status);
    nereus_tensor tensor{};
    tensor.struct_size = sizeof tensor;
    ASSERT_FALSE(nereus_value_tensor(sum, &tensor));
    EXPECT_EQ(static_cast<const float*>(tensor.data)[1], 4);
    options.names = wrong;
    status = nereus_context_call(context, &options, arguments, 2, &sum);
    EXPECT_STREQ(nereus_status_message(status), "the model has no input 'input.2'");
    nereus_status_release(status);
    names[0] = "x=y", names[1] = "x=y", options.names = names;
    status = nereus_context_call(context, &options, arguments, 2, &sum);
    EXPECT_STREQ(nereus_status_message(status), "input 'input.1' is missing");
    nereus_status_release(status);
    nereus_value_release(x);
    nereus_value_release(sum);
    nereus_context_release(context);
    nereus_executable_release(executable);
}

TEST(PublicModel, ErrorsOfTheWholeNameTheFile) {
    Message graph;
    graph.message(1, Message().texts(1, {"x"}).text(2, "y").text(4, "Unheard"));
    graph.message(11, value_message("x", "n")).message(12, value_message("y", "n"));
    const std::string path = write_model(graph);
    nereus_executable* executable = nullptr;
    nereus_status* status = nereus_executable_compile_file(path.c_str(), nullptr, &executable);
    ::unlink(path.c_str());
    ASSERT_TRUE(status);
    EXPECT_EQ(nereus_status_file(status), path);
    EXPECT_EQ(std::string(nereus_status_text(status)).rfind(path + ": error: an operator is not offered", 0), 0u) << nereus_status_text(status);
    nereus_status_release(status);
}

// What a call with an index that there is not says, of this executable.
std::string text_of_wrong_index(nereus_executable* executable) {
    const float numbers[] = {1, 2};
    const int64_t place = 7, two = 2, one = 1;
    nereus_context* context = nullptr;
    nereus_value *x = nullptr, *i = nullptr, *y = nullptr;
    EXPECT_FALSE(nereus_context_create(executable, nullptr, &context));
    EXPECT_FALSE(nereus_tensor_create(NEREUS_F32, 1, &two, numbers, sizeof numbers, &x));
    EXPECT_FALSE(nereus_tensor_create(NEREUS_I64, 1, &one, &place, sizeof place, &i));
    const nereus_value* arguments[] = {x, i};
    nereus_status* status = nereus_context_call(context, nullptr, arguments, 2, &y);
    const std::string text = nereus_status_text(status), file = nereus_status_file(status);
    EXPECT_EQ(text.substr(0, file.size() + 1), file + ":");
    EXPECT_EQ(nereus_status_line(status), 0);
    nereus_status_release(status);
    nereus_value_release(x);
    nereus_value_release(i);
    nereus_context_release(context);
    return text.substr(file.size());
}
TEST(PublicModel, NamesTheNodeThatFails) {
    Message graph;
    graph.message(1, Message().texts(1, {"x", "i"}).text(2, "y").text(3, "pick").text(4, "Gather"));
    graph.message(11, value_message("x", "n")).message(11, value_message("i", "k", 7)).message(12, value_message("y", "k"));
    const std::string path = write_model(graph), artefact = path + ".nrx";
    nereus_executable *executable = nullptr, *loaded = nullptr;
    ASSERT_FALSE(nereus_executable_compile_file(path.c_str(), nullptr, &executable));
    ::unlink(path.c_str());
    const std::string expected = ": error: Gather 'pick': index 7 is out of range for size 2\n";
    EXPECT_EQ(text_of_wrong_index(executable), expected);
    ASSERT_FALSE(nereus_executable_save(executable, artefact.c_str()));
    ASSERT_FALSE(nereus_executable_load(artefact.c_str(), &loaded));
    ::unlink(artefact.c_str());
    EXPECT_EQ(text_of_wrong_index(loaded), expected);
    nereus_executable_release(executable);
    nereus_executable_release(loaded);
}

// Sizes of one name are one size, unless it is asked for that they are not.
TEST(PublicModel, NamesOfSizesMayBeApart) {
    Message graph;
    graph.message(1, Message().texts(1, {"a"}).text(2, "y").text(4, "Neg")).message(1, Message().texts(1, {"b"}).text(2, "z").text(4, "Neg"));
    graph.message(11, value_message("a", "n")).message(11, value_message("b", "n")).message(12, value_message("y", "p")).message(12, value_message("z", "q"));
    const std::string path = write_model(graph);
    for (int32_t apart : {0, 1}) {
        nereus_compile_options options{};
        options.struct_size = sizeof options;
        options.names_apart = apart;
        nereus_executable* executable = nullptr;
        ASSERT_FALSE(nereus_executable_compile_file(path.c_str(), &options, &executable));
        const float numbers[] = {1, 2};
        const int64_t one = 1, two = 2;
        nereus_context* context = nullptr;
        nereus_value *a = nullptr, *b = nullptr, *y = nullptr;
        ASSERT_FALSE(nereus_context_create(executable, nullptr, &context));
        ASSERT_FALSE(nereus_tensor_create(NEREUS_F32, 1, &two, numbers, sizeof numbers, &a));
        ASSERT_FALSE(nereus_tensor_create(NEREUS_F32, 1, &one, numbers, sizeof numbers[0], &b));
        const nereus_value* arguments[] = {a, b};
        nereus_status* status = nereus_context_call(context, nullptr, arguments, 2, &y);
        EXPECT_EQ(status == nullptr, apart != 0);
        const std::string text = status ? nereus_status_text(status) : "";
        EXPECT_TRUE(!status || text.find("in C: names_apart") != text.npos) << text;
        nereus_status_release(status);
        for (nereus_value* value : {a, b, y}) nereus_value_release(value);
        nereus_context_release(context);
        nereus_executable_release(executable);
    }
    ::unlink(path.c_str());
}

TEST(PublicModel, SaysWhatItCannot) {
    Message graph;
    graph.message(1, Message().texts(1, {"x"}).text(2, "y").text(4, "NoSuchOperator"));
    graph.message(11, value_message("x", "n")).message(12, value_message("y", "n"));
    const std::string path = write_model(graph);
    nereus_executable* executable = nullptr;
    nereus_status* status = nereus_executable_compile_file(path.c_str(), nullptr, &executable);
    ::unlink(path.c_str());
    EXPECT_EQ(nereus_status_code(status), NEREUS_ERROR_UNSUPPORTED);
    EXPECT_NE(std::string(nereus_status_message(status)).find("NoSuchOperator"), std::string::npos);
    EXPECT_FALSE(executable);
    nereus_status_release(status);
}
} // namespace
} // namespace nereus::onnx
