// Everything a value can go through, a million levels deep, on a stack where recursion would not get far.
#include "value/compare.h"
#include "value/json.h"
#include "value/text.h"
#include <functional>
#include <gtest/gtest.h>
#include <pthread.h>

namespace nereus {
constexpr int64_t depth = 1'000'000;

static void on_small_stack(std::function<void()> work) {
    pthread_attr_t attributes;
    pthread_t thread;
    ASSERT_EQ(pthread_attr_init(&attributes), 0);
    ASSERT_EQ(pthread_attr_setstacksize(&attributes, 256 << 10), 0);
    auto run = [](void* work) -> void* { (*static_cast<std::function<void()>*>(work))(); return nullptr; };
    ASSERT_EQ(pthread_create(&thread, &attributes, run, &work), 0);
    pthread_join(thread, nullptr);
    pthread_attr_destroy(&attributes);
}

static Value list_of(int64_t last) {
    Value one = Value::tensor(HostTensor::scalar(int64_t(1)));
    Value list = Value::ctor("Cons", {Value::tensor(HostTensor::scalar(last)), Value::ctor("Nil")});
    for (int64_t i = 1; i < depth; ++i) list = Value::ctor("Cons", {one, std::move(list)});
    return list;
}

TEST(Deep, ListIsComparedPrintedAndDestroyed) {
    on_small_stack([] {
        Value a = list_of(1), b = list_of(1), c = list_of(2);
        EXPECT_TRUE(equal_bitwise(a, b));
        std::optional<Difference> difference = compare(a, c);
        ASSERT_TRUE(difference);
        EXPECT_EQ(difference->what, "found 1, expected 2");
        EXPECT_TRUE(difference->path.ends_with("/Cons.1/Cons.1/Cons.0")) << difference->path;
        EXPECT_LT(difference->path.size(), 500u);
        std::string text = to_text(a, TextOptions::everything());
        EXPECT_EQ(text.size(), size_t(depth) * std::string_view("Cons(i64 1, )").size() + 3);
        EXPECT_LT(to_text(a).size(), 10'000u);
    });
}

TEST(Deep, ListGoesThroughJsonAndBack) {
    on_small_stack([] {
        Value a = list_of(7);
        std::string json = to_json(a);
        Result<Value> back = parse_json_value(json);
        ASSERT_TRUE(back) << back.error().message;
        EXPECT_TRUE(equal_bitwise(a, *back));
        json.resize(json.size() / 2);
        EXPECT_FALSE(parse_json_value(json));      // half a value is let go just as flatly
    });
}

TEST(Deep, EveryKindNests) {
    on_small_stack([] {
        Value v;
        for (int64_t i = 0; i < depth / 4; ++i)
            v = Value::tuple({Value::seq({Value::record({{"f", Value::ctor("C", {std::move(v)})}})})});
        Result<Value> back = parse_json_value(to_json(v));
        ASSERT_TRUE(back) << back.error().message;
        EXPECT_TRUE(equal_bitwise(v, *back));
    });
}

TEST(Deep, BracketsAloneAreRefusedFlatly) {
    on_small_stack([] {
        for (std::string_view unit : {"[", "{", "{\"seq\": [", "{\"record\": {\"a\": ", "{\"dtype\": "}) {
            std::string text;
            for (int64_t i = 0; i < depth; ++i) text += unit;
            EXPECT_FALSE(parse_json_value(text));
            EXPECT_FALSE(read_inputs_json("{\"x\": " + text));
        }
    });
}

TEST(Deep, SharedPartsAreComparedOnce) {
    Value a = Value::tensor(HostTensor::scalar(1.0f)), b = Value::tensor(HostTensor::scalar(1.0f));
    for (int i = 0; i < 100; ++i) {                // 2^100 paths
        a = Value::tuple({a, a});
        b = Value::tuple({b, b});
    }
    EXPECT_TRUE(equal_bitwise(a, b));
    EXPECT_FALSE(compare(a, b, Tolerance{0, 0, false}));
    EXPECT_FALSE(compare(a, a, Tolerance{0, 0, false}));
    EXPECT_LT(to_text(a).size(), 10'000'000u);
}
} // namespace nereus
