#include "nereus/value.hpp"
#include <array>
#include <cmath>
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace {
using nereus::Code;
using nereus::DType;
using nereus::Result;
using nereus::Value;

Value floats(std::initializer_list<float> data) {
    return *Value::tensor<float>({int64_t(data.size())}, data);
}

template <class T> void expect_round_trip(std::initializer_list<T> data, DType dtype) {
    Result<Value> made = Value::tensor<T>({2, 2}, data);
    ASSERT_TRUE(made) << made.error().text;
    EXPECT_EQ(made->kind(), Value::Kind::tensor);
    EXPECT_EQ(made->dtype(), dtype);
    EXPECT_EQ(nereus::Shape(made->shape().begin(), made->shape().end()), (nereus::Shape{2, 2}));
    EXPECT_EQ(std::vector<T>(made->template data<T>().begin(), made->template data<T>().end()),
              std::vector<T>(data));
    Result<Value> again = Value::from_json(made->to_json());
    ASSERT_TRUE(again) << again.error().text;
    EXPECT_EQ(*again, *made);
}

TEST(PublicValue, TensorsOfEveryDtype) {
    expect_round_trip<bool>({true, false, false, true}, DType::boolean);
    expect_round_trip<int32_t>({1, -2, INT32_MAX, INT32_MIN}, DType::i32);
    expect_round_trip<int64_t>({1, -2, INT64_MAX, INT64_MIN}, DType::i64);
    expect_round_trip<float>({0.1f, -0.0f, 1e30f, INFINITY}, DType::f32);
    expect_round_trip<double>({0.1, -0.0, 1e300, -INFINITY}, DType::f64);
    expect_round_trip<int8_t>({1, -2, INT8_MAX, INT8_MIN}, DType::i8);
    expect_round_trip<int16_t>({1, -2, INT16_MAX, INT16_MIN}, DType::i16);
    expect_round_trip<uint8_t>({0, 1, 2, UINT8_MAX}, DType::u8);
    expect_round_trip<uint16_t>({0, 1, 2, UINT16_MAX}, DType::u16);
    expect_round_trip<uint32_t>({0, 1, 2, UINT32_MAX}, DType::u32);
    expect_round_trip<uint64_t>({0, 1, 2, UINT64_MAX}, DType::u64);
    using nereus::F16, nereus::BF16;
    expect_round_trip<F16>({F16::of(0.1), F16::of(-0.0), F16::of(65504), F16::of(INFINITY)}, DType::f16);
    expect_round_trip<BF16>({BF16::of(0.1), BF16::of(-0.0), BF16::of(1e38), BF16::of(-INFINITY)}, DType::bf16);
    EXPECT_EQ(F16::of(1.0).bits, 0x3c00);
    EXPECT_EQ(double(BF16{0x4049}), 3.140625);
}

TEST(PublicValue, Scalars) {
    EXPECT_EQ(Value::scalar(2.5f).item<float>(), 2.5f);
    EXPECT_EQ(Value::scalar(int64_t(7)).item<int64_t>(), 7);
    EXPECT_TRUE(Value::scalar(true).item<bool>());
    EXPECT_TRUE(Value::scalar(1.0).shape().empty());
    EXPECT_EQ(Value::scalar(1.5).to_text(), "f64 1.5");
}

TEST(PublicValue, Texts) {
    const std::vector<std::string> words = {"a", "", std::string("\0b", 2), "\u00e9\n"};
    Value made = *Value::texts({2, 2}, words);
    EXPECT_EQ(made.dtype(), DType::str);
    EXPECT_EQ(std::vector<std::string>(made.texts().begin(), made.texts().end()), words);
    EXPECT_EQ(*Value::from_json(made.to_json()), made);
    EXPECT_EQ(Value::text("yes").to_text(), "str \"yes\"");
    EXPECT_EQ(Value::texts({3}, words).error().code, Code::shape);
    nereus_value* none = nullptr;
    const int64_t extent = 1;
    const uint32_t number = 7;                           // of a text: nobody's business
    nereus_status* refused = nereus_tensor_create(NEREUS_STR, 1, &extent, &number, sizeof number, &none);
    ASSERT_NE(refused, nullptr);
    nereus_status_release(refused);
}

TEST(PublicValue, EmptyTensors) {
    Result<Value> none = Value::tensor<float>({3, 0}, {});
    ASSERT_TRUE(none);
    EXPECT_EQ(none->count(), 0);
    EXPECT_TRUE(none->data<float>().empty());
}

TEST(PublicValue, AViewSharesAndKeepsAlive) {
    auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3});
    const float* at = owner->data();
    Result<Value> view = Value::view<float>({3}, *owner, owner);
    ASSERT_TRUE(view) << view.error().text;
    owner.reset();
    EXPECT_EQ(view->data<float>().data(), at);
    EXPECT_EQ(*view, floats({1, 2, 3}));
    std::vector<float> few(2);
    EXPECT_EQ(Value::view<float>({3}, few, nullptr).error().code, Code::shape);
}

TEST(PublicValue, WrongElementsAreErrors) {
    EXPECT_EQ(Value::tensor<float>({2, 2}, {1, 2, 3}).error().code, Code::shape);
    EXPECT_EQ(Value::tensor<float>({-1}, {}).error().code, Code::shape);
    EXPECT_FALSE(Value::tensor<float>({INT64_MAX, 4}, {1}));
    EXPECT_EQ(Value::from_json("{\"tuple\": [").error().code, Code::parse);
    EXPECT_NE(Value::from_json("{").error().text.find("error: "), std::string::npos);
}

TEST(PublicValue, Structures) {
    Value leaf = Value::constructor("Leaf", {floats({1, 2})});
    Value tree = Value::constructor("Node", {leaf, Value::constructor("Leaf", {floats({3})})});
    Value all = Value::tuple({tree, Value::record({{"w", floats({4})}, {"b", Value::scalar(int64_t(5))}}),
                              Value::sequence({Value(), Value::constructor("Nil")})});
    EXPECT_EQ(all.kind(), Value::Kind::tuple);
    EXPECT_EQ(all.size(), 3u);
    EXPECT_EQ(all[0].constructor_name(), "Node");
    EXPECT_EQ(all[0][1][0].data<float>()[0], 3);
    EXPECT_EQ(all[1]["b"].item<int64_t>(), 5);
    EXPECT_EQ(all[1].field_names()[0], "w");
    EXPECT_FALSE(all[1].find("x"));
    EXPECT_EQ(all[2].kind(), Value::Kind::sequence);
    EXPECT_EQ(all[2][0], Value::tuple({}));
    int64_t elements = 0;
    for (Value child : all[0]) elements += child[0].count();
    EXPECT_EQ(elements, 3);
    EXPECT_EQ(*Value::from_json(all.to_json()), all);
    EXPECT_EQ(all[0].to_text(), "Node(Leaf(Tensor[(2), f32] [1, 2]), Leaf(Tensor[(1), f32] [3]))");
}

TEST(PublicValue, StructuresAreSaved) {
    const std::string path = testing::TempDir() + "public_value_" + std::to_string(::getpid()) + ".npz";
    Value net = Value::record({{"layers", Value::tuple({floats({1, 2}), Value::scalar(int64_t(3))})}, {"rest", Value::constructor("Nil")}});
    ASSERT_TRUE(net.save_npz(path));
    EXPECT_EQ(*Value::load_npz(path), net);
    EXPECT_EQ(*Value::load_npz(path, "layers.0"), floats({1, 2}));
    EXPECT_EQ(Value::load_npz(path, "layers.2").error().code, Code::value);
    ::unlink(path.c_str());
    EXPECT_EQ(Value::load_npz(path).error().code, Code::io);
}

TEST(PublicValue, CopiesShare) {
    Value a = floats({1, 2});
    Value b = a, c = std::move(a);
    EXPECT_EQ(b.data<float>().data(), c.data<float>().data());
    EXPECT_EQ(a, Value());                     // NOLINT: moved from is ()
    b = *&b;
    EXPECT_EQ(b, c);
}

TEST(PublicValue, Differences) {
    Value found = Value::tuple({floats({1, 2})}), expected = Value::tuple({floats({1, 2.001f})});
    EXPECT_NE(found, expected);
    EXPECT_FALSE(found.difference(expected, {.relative = 1e-2}));
    EXPECT_EQ(found.difference(expected), ".0[1]: found 2, expected 2.001");
}

TEST(PublicValue, AMillionLevels) {
    constexpr int depth = 1'000'000;
    auto build = [] {
        Value list = Value::constructor("Nil");
        Value one = Value::scalar(1.0f);
        for (int i = 0; i < depth; ++i) list = Value::constructor("Cons", {one, std::move(list)});
        return list;
    };
    Value a = build(), b = build();
    EXPECT_EQ(a, b);
    int levels = 0;
    for (Value at = a; at.constructor_name() == "Cons"; at = at[1]) ++levels;
    EXPECT_EQ(levels, depth);
    EXPECT_EQ(*Value::from_json(a.to_json()), b);
    EXPECT_FALSE(a.to_text().empty());
}

TEST(PublicValue, ThreadsShareValues) {
    Value shared = Value::tuple({floats({1, 2}), floats({3})});
    std::vector<std::thread> threads;
    threads.reserve(4);
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([shared] {
            for (int i = 0; i < 1000; ++i) {
                Value copy = shared, part = copy[size_t(i) % 2];
                EXPECT_GT(part.count(), 0);
            }
        });
    shared = Value();
    for (std::thread& thread : threads) thread.join();
}

TEST(PublicValueDeathTest, MisuseSaysWhatWasDone) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    Value value = floats({1, 2});
    EXPECT_DEATH((void)value.data<double>(), "data\\(\\) as f64 of a tensor of f32");
    EXPECT_DEATH((void)value.constructor_name(), "constructor_name\\(\\) of a tensor, not of a constructor");
    EXPECT_DEATH((void)value[3], "part 3 of a value that has 0");
    EXPECT_DEATH((void)value.item<float>(), "item\\(\\) of a tensor of 2 elements");
    EXPECT_DEATH((void)*Value::from_json("?"), "value of a failed result was read");
}
} // namespace
