#include "cli/given_sizes.h"
#include "exe/executable.h"
#include "value/text.h"
#include <gtest/gtest.h>

namespace nereus {
namespace {
std::string shown(std::string_view text) {
    Result<NamedShapes> shapes = parse_shapes(text);
    if (!shapes) return shapes.error().message;
    std::string out;
    for (const auto& [name, extents] : *shapes) out += name + shape_text(extents) + " ";
    return out;
}
TEST(GivenSizes, Shapes) {
    EXPECT_EQ(shown("x:1x128"), "x(1, 128) ");
    EXPECT_EQ(shown("x:1x128,mask:4"), "mask(4) x(1, 128) ");
    EXPECT_EQ(shown("input:0:2x0"), "input:0(2, 0) ");
    EXPECT_EQ(shown("k:"), "k() ");
    EXPECT_EQ(shown("x"), "--shapes 'x': expected a name and ':' before the sizes");
    EXPECT_EQ(shown(":2"), "--shapes ':2': expected a name and ':' before the sizes");
    EXPECT_EQ(shown("x:2,"), "--shapes 'x:2,': expected a name and ':' before the sizes");
    EXPECT_EQ(shown("x:2xn"), "--shapes 'x:2xn': 'n' is not a size");
    EXPECT_EQ(shown("x:-1"), "--shapes 'x:-1': '-1' is not a size");
    EXPECT_EQ(shown("x:2x"), "--shapes 'x:2x': expected a size after the last 'x'");
    EXPECT_EQ(shown("x:2,x:3"), "--shapes 'x:2,x:3': 'x' is there twice");
    EXPECT_EQ(shown("x:99999999999999999999"), "--shapes 'x:99999999999999999999': '99999999999999999999' is not a size");
}
TEST(GivenSizes, Dims) {
    using Dims = std::vector<std::pair<std::string, int64_t>>;
    EXPECT_EQ(*parse_dims("batch=4"), (Dims{{"batch", 4}}));
    EXPECT_EQ(*parse_dims("a=b=0"), (Dims{{"a=b", 0}}));
    EXPECT_EQ(*parse_dims("batch=4,seq=128"), (Dims{{"batch", 4}, {"seq", 128}}));
    EXPECT_EQ(*parse_dims("a,b=2,c=3"), (Dims{{"a,b", 2}, {"c", 3}}));
    for (std::string_view wrong :
         {"batch", "=4", "batch=", "batch=x", "batch=-1", "batch=4.5", "a=1,", ",a=1", "a=1,b", "a=1,,b=2", ""})
        EXPECT_FALSE(parse_dims(wrong)) << wrong;
}

// @main(%x: Tensor[(n, 2*d), f32], %p: {w: Tensor[(d), i64], k: bool}, %s: Tensor[.., f32])
Executable program() {
    Executable exe;
    exe.door_types = {{.axes = {0, 1}}, {.dtype = DType::i64, .axes = {2}}, {.dtype = DType::boolean}, {.kind = DoorType::Kind::record, .names = {"w", "k"}, .fields = {{1, 2}}}, {.ranked = false}};
    exe.entries.push_back({.name = "main", .sizes = 3, .size_names = {"n", "2*d", "d"}, .params = {{"x", 0}, {"p", 3}, {"s", 4}}});
    return exe;
}
std::string shapes_of(const Result<NamedValues>& call) {
    if (!call) return call.error().message + "; " + call.error().hint;
    std::string out;
    for (const Field& field : *call)
        out += field.name + (field.value.is(Value::Kind::tensor) ? shape_text(field.value.tensor().shape()) : "{" + shape_text(field.value.field("w")->tensor().shape()) + "}") + " ";
    return out;
}
TEST(GivenSizes, RandomArgumentsFollowFromSizes) {
    const Executable exe = program();
    EXPECT_EQ(shapes_of(with_random(NamedValues(), {{"s", {}}}, {{"n", 3}, {"d", 2}}, exe, 0)), "x(3, 4) p{(2)} s() ");
    EXPECT_EQ(shapes_of(with_random(NamedValues(), {{"s", {5, 6}}}, {{"n", 3}}, exe, 0)), "argument %x: size d has no number; give --dim 2*d=4, or --shapes x:3x4");
    EXPECT_EQ(shapes_of(with_random(NamedValues(), {}, {{"n", 3}, {"d", 1}}, exe, 0)), "argument %s may have any rank, and nothing says which; give --shapes s:2x3");
    const Value record = Value::record({{"w", Value::tensor(HostTensor::of<int64_t>({3}, {1, 2, 3}))}, {"k", Value::tensor(HostTensor::scalar(true))}});
    EXPECT_EQ(shapes_of(with_random({{"p", record}}, {{"s", {1}}}, {{"n", 0}}, exe, 0)), "p{(3)} x(0, 6) s(1) ");
    EXPECT_EQ(shapes_of(with_random({{"p", record}}, {{"p", {1}}, {"s", {1}}}, {{"n", 0}}, exe, 0)), "--shapes: argument %p is given, and has its own sizes; ");
}
TEST(GivenSizes, RandomIntegersAreSmallAndSeedsDiffer) {
    const Executable exe = program();
    const NamedShapes shapes = {{"s", {4}}};
    const NamedValues one = *with_random(NamedValues(), shapes, {{"n", 3}, {"d", 100}}, exe, 0);
    for (int64_t each : one[1].value.field("w")->tensor().data<int64_t>()) EXPECT_TRUE(each == 0 || each == 1);
    const NamedValues same = *with_random(NamedValues(), shapes, {{"n", 3}, {"d", 100}}, exe, 0), other = *with_random(NamedValues(), shapes, {{"n", 3}, {"d", 100}}, exe, 1);
    EXPECT_EQ(to_text(one[0].value), to_text(same[0].value));
    EXPECT_NE(to_text(one[0].value), to_text(other[0].value));
}
TEST(GivenSizes, AllIsEverySizeThatNoNameSays) {
    GivenSizes sizes{.shapes = {}, .dims = {{"n", 7}}, .others = 3};
    sizes.fill(program().entries[0]);
    EXPECT_EQ(sizes.dims, (api::Bindings{{"n", 7}, {"d", 3}}));
}
TEST(GivenSizes, EveryShapesIsACall) {
    const GivenSizes sizes{.shapes = {{{"s", {1}}}, {{"s", {2}}}}, .dims = {{"n", 1}, {"d", 1}}};
    const Result<Inputs> all = with_random(Inputs{.calls = {{}}}, sizes, program(), 0);
    ASSERT_TRUE(all);
    EXPECT_EQ(all->calls.size(), 2u);
    EXPECT_TRUE(all->is_list);
    EXPECT_EQ(check_names({.shapes = {{{"xx", {1}}}}}, program().entries[0]).error().message, "--shapes: the entry point has no parameter xx");
    EXPECT_EQ(check_names({.dims = {{"m", 1}}}, program().entries[0]).error().hint, "there is n, d");
}
} // namespace
} // namespace nereus
