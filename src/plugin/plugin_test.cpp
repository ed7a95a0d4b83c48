#include "plugin/plugin.h"
#include <gtest/gtest.h>

namespace nereus {
TEST(PluginAttributes, ReadBackAsWritten) {
    const std::string text = R"(axis=-1, axes=[0, 12], none=[], mode="a \"b\" \\", exact=true)";
    Result<PluginAttributes> read = parse_attributes(text);
    ASSERT_TRUE(bool(read)) << read.error().message;
    EXPECT_EQ(attributes_text(*read), text);
    const nereus_plugin_attributes view = attributes_view(*read);
    EXPECT_EQ(view.integer(&view, "axis"), -1);
    EXPECT_EQ(view.integer(&view, "exact"), 1);
    EXPECT_EQ(view.integer(&view, "mode"), 0);
    EXPECT_STREQ(view.text(&view, "mode"), "a \"b\" \\");
    EXPECT_EQ(view.text(&view, "other"), nullptr);
    int64_t count = -1;
    const int64_t* axes = view.integers(&view, "axes", &count);
    ASSERT_EQ(count, 2);
    EXPECT_EQ(axes[1], 12);
}

TEST(PluginAttributes, WrongTextIsRefused) {
    for (const char* text : {"axis", "axis=", "=1", "axis=1 axes=2", "axis=[1", "mode=\"x", "axis=1, axis=2", "axis=1.5,", "a=b"})
        EXPECT_FALSE(bool(parse_attributes(text))) << text;
}

nereus_plugin_result nothing(nereus_plugin_infer*, void*) { return 0; }
nereus_plugin_result nothing(nereus_plugin_run*, void*) { return 0; }
nereus_plugin_op op_named(const char* name) {
    nereus_plugin_op op{};
    op.struct_size = sizeof op, op.name = name, op.inputs = "x", op.types = "float a: a -> a";
    op.infer = nothing, op.kernel = nothing;
    return op;
}

TEST(Plugin, RegistersOnceAndRefusesWhatIsWrong) {
    EXPECT_TRUE(bool(add_plugin_op(op_named("plugin_test_one"))));
    EXPECT_FALSE(bool(add_plugin_op(op_named("plugin_test_one"))));
    EXPECT_NE(find_plugin_op("plugin_test_one"), nullptr);
    EXPECT_EQ(find_plugin_op("plugin_test_two"), nullptr);
    for (const char* name : {"", "Upper", "a-b", "1st"}) EXPECT_FALSE(bool(add_plugin_op(op_named(name)))) << name;
    nereus_plugin_op op = op_named("plugin_test_wrong");
    op.kernel = nullptr;
    EXPECT_FALSE(bool(add_plugin_op(op)));
    op = op_named("plugin_test_wrong"), op.inputs = "x, x";
    EXPECT_FALSE(bool(add_plugin_op(op)));
    op = op_named("plugin_test_wrong"), op.attributes = "axis=";
    EXPECT_FALSE(bool(add_plugin_op(op)));
    op = op_named("plugin_test_wrong"), op.struct_size = 8;
    EXPECT_FALSE(bool(add_plugin_op(op)));
    op = op_named(nullptr);
    EXPECT_FALSE(bool(add_plugin_op(op)));
}

TEST(Plugin, KernelsOfExecutablesAreFoundByName) {
    ASSERT_TRUE(bool(add_plugin_op(op_named("plugin_test_kernel"))));
    const PluginAttributes attributes = *parse_attributes("mode=\")[1]\"");
    const int32_t ranks[] = {2, 0};
    const DType buffers[] = {DType::f32, DType::f32};
    const std::string name = plugin_kernel_name(*find_plugin_op("plugin_test_kernel"), attributes, ranks, false);
    Result<PluginKernel> found = plugin_kernel(name, buffers, 2);
    ASSERT_TRUE(bool(found)) << found.error().message;
    EXPECT_EQ(found->attributes, attributes);
    EXPECT_EQ(found->buffers[0].rank, 2);
    EXPECT_EQ(plugin_kernel(name, buffers, 3).error().code, Code::corrupt);
    EXPECT_EQ(plugin_kernel(name, std::span(buffers, 1), 2).error().code, Code::corrupt);
    EXPECT_EQ(plugin_kernel("nothing", buffers, 2).error().code, Code::corrupt);
    EXPECT_EQ(plugin_kernel("plugin_test_gone()[2, 0]", buffers, 2).error().code, Code::mismatch);
    EXPECT_EQ(plugin_kernel("measure plugin_test_kernel()[2, 0]", buffers, 2).error().code, Code::mismatch);
}

TEST(Plugin, FilesThatAreNoneAreRefused) {
    EXPECT_EQ(load_plugin("/no/such/file.so").error().code, Code::io);
    EXPECT_EQ(load_plugin(NEREUS_SOURCE_DIR "/README.md").error().code, Code::io);
}
} // namespace nereus
