#include "value/compare.h"
#include <cmath>
#include <gtest/gtest.h>

namespace nereus {
static Value f32(std::initializer_list<float> x) {
    return Value::tensor(HostTensor::of<float>({int64_t(x.size())}, x));
}
static Value i64(int64_t x) { return Value::tensor(HostTensor::scalar(x)); }
static std::string difference(const Value& a, const Value& b, Tolerance tolerance = {}) {
    std::optional<Difference> d = compare(a, b, tolerance);
    return d ? d->path + ": " + d->what : "";
}

TEST(Compare, BitwiseMeansBits) {
    EXPECT_TRUE(equal_bitwise(f32({1, NAN}), f32({1, NAN})));
    EXPECT_FALSE(equal_bitwise(f32({NAN}), f32({-NAN})));
    EXPECT_FALSE(equal_bitwise(f32({0.0f}), f32({-0.0f})));
    EXPECT_FALSE(equal_bitwise(i64(1), Value::tensor(HostTensor::scalar(1))));
    EXPECT_TRUE(equal_bitwise(Value(), Value::tuple({})));
    EXPECT_FALSE(equal_bitwise(Value(), Value::seq({})));
    EXPECT_TRUE(equal_bitwise(f32({}), f32({})));
}

TEST(Compare, TolerancesAreForFloats) {
    EXPECT_EQ(difference(f32({1, 2}), f32({1, 2.001f}), {1e-3, 0}), "");
    EXPECT_EQ(difference(f32({1, 2}), f32({1, 2.5f}), {1e-3, 0}), "[1]: found 2, expected 2.5");
    EXPECT_EQ(difference(f32({0}), f32({1e-9f}), {0, 1e-8}), "");
    EXPECT_EQ(difference(f32({0.0f}), f32({-0.0f})), "");
    EXPECT_EQ(difference(i64(100), i64(101), {1, 1}), ": found 100, expected 101");
    EXPECT_EQ(difference(i64(9007199254740993), i64(9007199254740992), {1, 1}),
              ": found 9007199254740993, expected 9007199254740992");
    EXPECT_EQ(difference(f32({INFINITY}), f32({INFINITY})), "");
    EXPECT_EQ(difference(f32({INFINITY}), f32({-INFINITY}), {1, 1}), "[0]: found inf, expected -inf");
    EXPECT_EQ(difference(f32({1}), f32({INFINITY}), {1, 1}), "[0]: found 1, expected inf");
    EXPECT_EQ(difference(f32({NAN}), f32({-NAN})), "");
    Value nan = f32({NAN});
    EXPECT_EQ(difference(nan, nan, {1, 1, false}), "[0]: found nan, expected nan");
    EXPECT_EQ(difference(nan, f32({1}), {1, 1}), "[0]: found nan, expected 1");
}

TEST(Compare, PathsLeadToTheFirstDifference) {
    Value a = Value::tuple({Value::ctor("Node", {i64(1), f32({1, 2, 3, 4})})});
    Value b = Value::tuple({Value::ctor("Node", {i64(1), f32({1, 2, 3, 5})})});
    EXPECT_EQ(difference(a, b), ".0/Node.1[3]: found 4, expected 5");
    EXPECT_EQ(difference(Value::record({{"w", Value::seq({i64(1), i64(2)})}}),
                         Value::record({{"w", Value::seq({i64(1), i64(3)})}})), ".w[1]: found 2, expected 3");
    EXPECT_EQ(difference(Value::tensor(HostTensor::of<int32_t>({2, 2}, {1, 2, 3, 4})),
                         Value::tensor(HostTensor::of<int32_t>({2, 2}, {1, 2, 0, 4}))),
              "[1, 0]: found 3, expected 0");
    EXPECT_EQ(difference(f32({1}), i64(1)), ": found f32, expected i64");
    EXPECT_EQ(difference(f32({1}), f32({1, 2})), ": found shape (1), expected (2)");
    EXPECT_EQ(difference(i64(1), Value()), ": found tensor, expected tuple");
    EXPECT_EQ(difference(Value::ctor("A"), Value::ctor("B")), ": found constructor A, expected constructor B");
    EXPECT_EQ(difference(Value::seq({i64(1)}), Value::seq({})), ": found seq of 1, expected 0");
    EXPECT_EQ(difference(Value::record({{"a", i64(1)}}), Value::record({{"b", i64(1)}})),
              ": found field a, expected b");
}
} // namespace nereus
