#include "value/value.h"
#include <gtest/gtest.h>
#include <thread>

namespace nereus {
static Value i64(int64_t x) { return Value::tensor(HostTensor::scalar(x)); }

TEST(Value, HoldsWhatItWasBuiltFrom) {
    Value unit;
    EXPECT_TRUE(unit.is(Value::Kind::tuple));
    EXPECT_TRUE(unit.children().empty());
    EXPECT_EQ(Value::tuple({}).node(), unit.node());

    Value record = Value::record({{"a", i64(1)}, {"b", Value::seq({i64(2), i64(3)})}});
    EXPECT_TRUE(record.is(Value::Kind::record));
    EXPECT_EQ(record.field_names()[1], "b");
    EXPECT_EQ(record.field("a")->tensor().as_i64(0), 1);
    EXPECT_EQ(record.field("b")->children()[1].tensor().as_i64(0), 3);
    EXPECT_EQ(record.field("c"), nullptr);

    Value node = Value::ctor("Node", {record, unit});
    EXPECT_EQ(node.ctor_name(), "Node");
    EXPECT_EQ(node.children()[0].node(), record.node());
    EXPECT_TRUE(record.shared());
    EXPECT_FALSE(node.shared());
}

TEST(Value, CopiesMovesAndAssigns) {
    Value a = Value::seq({i64(1)});
    Value b = a, c = std::move(a);
    EXPECT_EQ(b.node(), c.node());
    EXPECT_EQ(a.node(), nullptr);
    const Value& self = b;
    b = self;
    EXPECT_EQ(b.children().size(), 1u);
    b = b.children()[0];                           // the new value lives inside the old one
    EXPECT_EQ(b.tensor().as_i64(0), 1);
}

// Counts the owners of a leaf's bytes, to see that nothing leaks and nothing dies early.
TEST(Value, SharedPartsDieOnceAndLast) {
    alignas(8) static const std::byte memory[8] = {};
    int freed = 0;
    std::shared_ptr<const std::byte> owner(memory, [&freed](const std::byte*) { ++freed; });
    Value leaf = Value::tensor(*HostTensor::view(DType::i64, {}, std::move(owner), 8));
    Value dag = leaf;
    for (int i = 0; i < 60; ++i) dag = Value::tuple({dag, dag, leaf});     // 2^60 paths, 61 nodes
    Value part = dag.children()[0];
    dag = Value();
    EXPECT_EQ(part.children()[2].node(), leaf.node());
    leaf = Value();
    EXPECT_EQ(freed, 0);
    part = Value();
    EXPECT_EQ(freed, 1);
}

TEST(Value, ThreadsMayLetGoTogether) {
    for (int round = 0; round < 20; ++round) {
        Value list = Value::ctor("Nil");
        std::vector<Value> tails;
        for (int i = 0; i < 2000; ++i) {
            list = Value::ctor("Cons", {i64(i), list});
            if (i % 7 == 0) tails.push_back(list);
        }
        std::thread other([mine = std::move(tails)]() mutable { mine.clear(); });
        list = Value();
        other.join();
    }
}
} // namespace nereus
