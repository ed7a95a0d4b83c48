#include "value/input_spec.h"
#include "tensor/text_tensor.h"
#include "tensor/npy.h"
#include "value/compare.h"
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

namespace nereus {
static HostTensor read(const std::string& spec, uint64_t seed = 0) {
    Result<Field> field = parse_input_spec(spec, seed);
    EXPECT_TRUE(field) << field.error().message;
    return field ? field->value.tensor() : HostTensor::scalar(false);
}
static Code code(const std::string& spec) {
    Result<Field> field = parse_input_spec(spec);
    return field ? Code::internal : field.error().code;
}

TEST(InputSpec, ReadsLists) {
    EXPECT_EQ(parse_input_spec("x.y=f32=3.5")->name, "x.y");
    EXPECT_EQ(read("x=f32=3.5").as_f64(0), 3.5);
    EXPECT_EQ(read("x=f32=3.5").rank(), 0);
    HostTensor t = read("x=2x3xi64=1,2,3,4,5,-6");
    EXPECT_EQ(t.shape(), (Extents{2, 3}));
    EXPECT_EQ(t.as_i64(5), -6);
    EXPECT_EQ(read("x=2xbool=true,0").as_i64(0), 1);
    EXPECT_TRUE(std::isnan(read("x=2xf64=inf,nan").as_f64(1)));
    EXPECT_EQ(read("x=0xf32=").count(), 0);
}

TEST(InputSpec, RandomIsTheSameEverywhere) {
    auto same = [](const HostTensor& a, const HostTensor& b) {
        return equal_bitwise(Value::tensor(a), Value::tensor(b));
    };
    EXPECT_TRUE(same(read("x=100xf32=random", 5), read("x=100xf32=random", 5)));
    EXPECT_FALSE(same(read("x=100xf32=random", 5), read("x=100xf32=random", 6)));
    EXPECT_FALSE(same(read("x=100xf32=random", 5), read("y=100xf32=random", 5)));
    for (const char* dtype : {"bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f16", "bf16", "f32", "f64"}) {
        HostTensor t = read(std::string("x=10000x") + dtype + "=random");
        double low = 100, high = -100, sum = 0;
        for (int64_t i = 0; i < t.count(); ++i) {
            low = std::min(low, t.as_f64(i));
            high = std::max(high, t.as_f64(i));
            sum += t.as_f64(i) / double(t.count());
        }
        double want_low = is_float(t.dtype()) ? -1 : 0, want_high = is_integer(t.dtype()) ? 9 : 1;
        EXPECT_GE(low, want_low);
        EXPECT_LE(high, want_high);
        EXPECT_NEAR(low, want_low, 4e-3);
        EXPECT_NEAR(high, want_high, 4e-3);
        EXPECT_NEAR(sum, (want_low + want_high) / 2, 0.1);
    }
}

TEST(InputSpec, ReadsFiles) {
    std::string path = testing::TempDir() + "/nereus_input_spec_test.npy";
    ASSERT_TRUE(write_npy(path, HostTensor::of<float>({2}, {1, 2})));
    EXPECT_EQ(read("x=2xf32=@" + path).as_f64(1), 2);
    EXPECT_EQ(read("x=@" + path).as_f64(1), 2);
    EXPECT_EQ(code("x=3xf32=@" + path), Code::shape);
    EXPECT_EQ(code("x=2xf64=@" + path), Code::type);
    ::unlink(path.c_str());
    EXPECT_EQ(code("x=@" + path), Code::io);
}

TEST(InputSpec, RefusesTheRest) {
    for (const char* bad : {"", "x", "=f32=1", "x=f32", "x=", "x=f8=1", "x=2xx3xf32=random", "x=-2xf32=random",
                            "x=2x=random", "x=ax3xf32=random", "x=99999999999999999999xf32=random", "x=2xf32=1", "x=f32=1,2", "x=f32=",
                            "x=i32=1.5", "x=2xi32=1,", "x=f32= 1", "x=4294967296x4294967296xf32=random"})
        EXPECT_EQ(code(bad), Code::usage) << bad;
    EXPECT_EQ(code("x=1000000000000000xf32=random"), Code::memory);
    EXPECT_EQ(parse_input_spec("x=2xf32=1").error().message, "input 'x=2xf32=1': shape (2) takes 2 elements, found 1");
}

TEST(InputSpec, SurvivesMutation) {
    std::mt19937 random(11);
    constexpr std::string_view likely = "=x,f32i64bool0123456789.-en";
    for (int i = 0; i < 20000; ++i) {
        std::string bad = "x=2x3xf32=1,2,3,4,5,6.5";
        for (unsigned k = 0; k <= random() % 3; ++k) bad[random() % bad.size()] = likely[random() % likely.size()];
        Result<Field> field = parse_input_spec(bad);
        EXPECT_TRUE(field || !field.error().message.empty());
    }
}

TEST(InputSpec, Texts) {
    auto texts = [](std::string_view spec) {
        Result<Field> field = parse_input_spec(spec);
        std::vector<std::string> all;
        if (field)
            for (std::string_view text : texts_of(field->value.tensor())) all.emplace_back(text);
        return all;
    };
    EXPECT_EQ(texts("x=3xstr=a,,b c"), (std::vector<std::string>{"a", "", "b c"}));
    EXPECT_EQ(texts("x=str=a,b"), (std::vector<std::string>{"a,b"}));
    EXPECT_EQ(texts("x=str="), (std::vector<std::string>{""}));
    EXPECT_EQ(texts("x=2x2xstr=random").size(), 4u);
    EXPECT_FALSE(parse_input_spec("x=2xstr=a"));
}
} // namespace nereus
