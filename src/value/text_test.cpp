#include "value/text.h"
#include <cmath>
#include <gtest/gtest.h>

namespace nereus {
static Value i64(int64_t x) { return Value::tensor(HostTensor::scalar(x)); }

TEST(Text, ReadsLikeTheLanguage) {
    EXPECT_EQ(to_text(HostTensor::of<float>({2, 3}, {1, 2, 3, 4, 5, 6.5})),
              "Tensor[(2, 3), f32] [[1, 2, 3], [4, 5, 6.5]]");
    EXPECT_EQ(to_text(HostTensor::of<int32_t>({2, 1, 2}, {1, 2, 3, 4})), "Tensor[(2, 1, 2), i32] [[[1, 2]], [[3, 4]]]");
    EXPECT_EQ(to_text(HostTensor::of<bool>({2}, {true, false})), "Tensor[(2), bool] [true, false]");
    EXPECT_EQ(to_text(HostTensor::of<float>({2, 0}, {})), "Tensor[(2, 0), f32] []");
    EXPECT_EQ(to_text(HostTensor()), "Tensor[(0), f32] []");
    EXPECT_EQ(to_text(HostTensor::scalar(0.1)), "f64 0.1");
    EXPECT_EQ(to_text(HostTensor::scalar(-INFINITY)), "f32 -inf");
    EXPECT_EQ(to_text(Value()), "()");
    EXPECT_EQ(to_text(Value::tuple({i64(1)})), "(i64 1,)");
    EXPECT_EQ(to_text(Value::tuple({i64(1), Value::seq({})})), "(i64 1, [])");
    EXPECT_EQ(to_text(Value::record({{"a", i64(1)}, {"b", Value::seq({i64(2), i64(3)})}})),
              "{a = i64 1, b = [i64 2, i64 3]}");
    EXPECT_EQ(to_text(Value::ctor("Node", {Value::ctor("Leaf", {i64(1)}), Value::ctor("Nil")})),
              "Node(Leaf(i64 1), Nil)");
}

TEST(Text, LeavesOutWhatIsLong) {
    TextOptions short_text{4, 2, 2, 100};
    HostTensor t = HostTensor::of<int64_t>({3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
    EXPECT_EQ(to_text(t, short_text), "Tensor[(3, 3), i64] [[1, 2, 3], [4, …]]");
    short_text.max_elements = 3;
    EXPECT_EQ(to_text(t, short_text), "Tensor[(3, 3), i64] [[1, 2, 3], …]");
    short_text.max_elements = 9;
    EXPECT_EQ(to_text(t, short_text), "Tensor[(3, 3), i64] [[1, 2, 3], [4, 5, 6], [7, 8, 9]]");
    EXPECT_EQ(to_text(Value::seq({i64(1), i64(2), i64(3)}), short_text), "[i64 1, i64 2, …]");
    Value nested = Value::ctor("A", {Value::ctor("B", {Value::ctor("C", {i64(1)})})});
    EXPECT_EQ(to_text(nested, short_text), "A(B(C(…)))");
    short_text.max_nodes = 2;
    EXPECT_EQ(to_text(Value::tuple({i64(1), i64(2)}), short_text), "(i64 1, …)");
}
} // namespace nereus
