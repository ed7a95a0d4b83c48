#include "value/path.h"
#include <gtest/gtest.h>

namespace nereus {
static Value i64(int64_t x) { return Value::tensor(HostTensor::scalar(x)); }
static Value list(std::vector<Value> items, Value end = Value::ctor("Nil")) {
    while (!items.empty()) {
        end = Value::ctor("Cons", {items.back(), end});
        items.pop_back();
    }
    return end;
}
// By the number of the child, from the whole.
static std::string path(const Value& whole, const std::vector<size_t>& children) {
    const Value* at = &whole;
    for (size_t child : children) at = &at->children()[child];
    return path_to(whole, *at);
}

TEST(Path, ReadsLikeTheLanguage) {
    Value layer = Value::record({{"w", i64(1)}, {"b", i64(2)}});
    Value model = Value::record({{"embed", i64(3)}, {"layers", Value::seq({layer, Value::record({{"w", i64(4)}, {"b", i64(5)}})})}});
    EXPECT_EQ(path(model, {}), "");
    EXPECT_EQ(path(model, {0}), ".embed");
    EXPECT_EQ(path(model, {1, 1, 1}), ".layers[1].b");
    EXPECT_EQ(path(Value::tuple({i64(1), model}), {1, 1, 0, 0}), ".1.layers[0].w");
    Value tree = Value::ctor("Node", {Value::ctor("Leaf", {i64(1)}), Value::ctor("Leaf", {i64(2)})});
    EXPECT_EQ(path(tree, {1, 0}), ".Node.1.Leaf.0");
}

TEST(Path, CountsTheElementsOfAList) {
    Value numbers = list({i64(1), i64(2), i64(3)});
    EXPECT_EQ(path(numbers, {0}), "[0]");
    EXPECT_EQ(path(numbers, {1, 1, 0}), "[2]");
    EXPECT_EQ(path(numbers, {1, 1, 1}), "[3:]") << "the end";
    EXPECT_EQ(path(list({i64(1), list({i64(2), i64(3)})}), {1, 0, 1, 0}), "[1][1]") << "a list of lists";
    EXPECT_EQ(path(list({i64(1)}, Value::tuple({i64(2)})), {1, 0}), "[1:].0") << "no list, but it begins like one";
}

TEST(Path, OfAMillionLevelsIsShort) {
    std::vector<Value> items(1'000'000, i64(1));
    Value deep = list(items);
    const Value* last = &deep;
    while (last->ctor_name() == "Cons" && last->children()[1].ctor_name() == "Cons") last = &last->children()[1];
    EXPECT_EQ(path_to(deep, last->children()[0]), "[999999]");
    Value chain = i64(1);
    for (int i = 0; i < 100'000; ++i) chain = Value::ctor("Wrap", {chain});
    last = &chain;
    while (!last->children().empty()) last = &last->children()[0];
    EXPECT_EQ(path_to(chain, *last), ".Wrap.0.Wrap.0.Wrap.0.Wrap.0.Wrap.0.Wrap … .Wrap.0.Wrap.0.Wrap.0.Wrap.0.Wrap.0.Wrap.0.Wrap.0");
}

TEST(Path, GoesOnceThroughWhatIsShared) {
    Value wide = i64(1);                                 // 2^60 paths
    for (int i = 0; i < 60; ++i) wide = Value::tuple({wide, wide});
    Value whole = Value::record({{"shared", wide}, {"own", i64(2)}});
    EXPECT_EQ(path(whole, {1}), ".own");
    Value tuple = Value::tuple({i64(1), i64(2)});
    EXPECT_EQ(path(Value::seq({tuple, tuple}), {1, 1}), "[0].1") << "one object at two places: the first";
}
} // namespace nereus
