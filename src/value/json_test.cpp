#include "value/json.h"
#include "tensor/text_tensor.h"
#include "tensor/npy.h"
#include "value/compare.h"
#include <cmath>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>

namespace nereus {
static std::string tensor(const std::string& dtype, const std::string& shape, const std::string& data) {
    return "{\"dtype\": \"" + dtype + "\", \"shape\": [" + shape + "], \"data\": [" + data + "]}";
}
static std::string scalar(const std::string& dtype, const std::string& data) { return tensor(dtype, "", data); }
static HostTensor read(const std::string& text) {
    Result<Value> value = parse_json_value(text);
    EXPECT_TRUE(value) << text << ": " << value.error().message;
    return value ? value->tensor() : HostTensor::scalar(false);
}
static std::string message(const std::string& text) {
    Result<Value> value = parse_json_value(text);
    return value ? "" : value.error().message;
}

TEST(Json, RoundTripsEveryForm) {
    const std::string texts[] = {
        tensor("f32", "2, 3", "1, 2, 3, 4, 5, 6"),
        tensor("bool", "2", "true, false"),
        tensor("i64", "0, 4", ""),
        tensor("f64", "3", "\"nan\", \"inf\", \"-inf\""),
        tensor("i8", "2", "-128, 127"),
        tensor("u8", "2", "0, 255"),
        tensor("u64", "2", "18446744073709551615, 0"),
        tensor("f16", "7", "0.1, 6e-08, 65500, -0.0, 1.001, \"inf\", \"nan\""),        // digits as NumPy prints them
        tensor("bf16", "4", "0.1, 3e+38, 9e-41, \"-inf\""),
        "{\"tuple\": []}",
        "{\"tuple\": [{\"seq\": []}, {\"seq\": [{\"tuple\": []}]}]}",
        "{\"record\": {}}",
        "{\"record\": {\"b\": {\"tuple\": []}, \"a\": {\"ctor\": \"Nil\", \"args\": []}}}",
        "{\"ctor\": \"Node\", \"args\": [" + scalar("i32", "1") + ", {\"ctor\": \"Leaf\", \"args\": []}]}",
        "{\"ctor\": \"a\\\"\\\\\\u0001\\né\", \"args\": []}",
    };
    for (const std::string& text : texts) {
        Result<Value> value = parse_json_value(text);
        ASSERT_TRUE(value) << text << ": " << value.error().message;
        EXPECT_EQ(to_json(*value), text);
    }
}

TEST(Json, KeysComeInAnyOrder) {
    HostTensor t = read("{\"data\": [1, 2], \"shape\": [2], \"dtype\": \"i32\"}");
    EXPECT_EQ(t.dtype(), DType::i32);
    EXPECT_EQ(t.as_i64(1), 2);
    EXPECT_EQ(parse_json_value("{\"args\": [{\"tuple\": []}], \"ctor\": \"C\"}")->ctor_name(), "C");
    EXPECT_EQ(parse_json_value("{\"ctor\": \"C\"}")->children().size(), 0u);
    EXPECT_EQ(parse_json_value("{\"ctor\": \"\\ud83d\\ude00\\u00e9\\u20ac\"}")->ctor_name(), "😀é€");
}

TEST(Json, IntegersAreExact) {
    EXPECT_EQ(read(scalar("i64", "9223372036854775807")).as_i64(0), INT64_MAX);
    EXPECT_EQ(read(scalar("i64", "-9223372036854775808")).as_i64(0), INT64_MIN);
    EXPECT_EQ(read(scalar("i64", "9007199254740993")).as_i64(0), 9007199254740993);
    EXPECT_EQ(read(scalar("i64", "-0")).as_i64(0), 0);
    for (const char* bad : {"9223372036854775808", "-9223372036854775809", "1.0", "1e3", "true", "\"nan\"", "null"})
        EXPECT_NE(message(scalar("i64", bad)), "") << bad;
    EXPECT_NE(message(scalar("i32", "2147483648")), "");
    EXPECT_EQ(message(scalar("i32", "1.5")), "line 1, column 40: '1.5' is not an i32");
    EXPECT_EQ(message(scalar("u8", "256")), "line 1, column 39: '256' does not fit u8");
    EXPECT_EQ(message(scalar("u8", "-1")), "line 1, column 39: '-1' does not fit u8");
    EXPECT_EQ(message(scalar("u64", "-x")), message(scalar("i64", "-x")));
    EXPECT_EQ(message(scalar("f16", "65520")), "line 1, column 40: '65520' does not fit f16");
    EXPECT_EQ(read(scalar("f16", "65519")).as_f64(0), 65504);
}

TEST(Json, FloatsRoundOnce) {
    EXPECT_EQ(read(scalar("f32", "3")).as_f64(0), 3);
    EXPECT_EQ(read(scalar("f32", "16777217.0000001")).as_f64(0), 16777218);   // by way of f64: ...216
    EXPECT_TRUE(std::signbit(read(scalar("f64", "-0")).as_f64(0)));
    EXPECT_EQ(read(scalar("f64", "1e-400")).as_f64(0), 0);
    EXPECT_TRUE(std::signbit(read(scalar("f32", "-1e-99999999999999999999")).as_f64(0)));
    EXPECT_EQ(read(scalar("f64", "0e99999999999999999999")).as_f64(0), 0);
    EXPECT_EQ(read(scalar("f64", "4.9e-324")).as_f64(0), std::numeric_limits<double>::denorm_min());
    EXPECT_EQ(read(scalar("f64", "0." + std::string(5000, '0') + "1e5001")).as_f64(0), 1);
    EXPECT_EQ(read(scalar("f64", "1" + std::string(5000, '0') + "e-5000")).as_f64(0), 1);
    EXPECT_EQ(read(scalar("f64", "0." + std::string(5000, '0') + "1")).as_f64(0), 0);
    EXPECT_TRUE(std::isnan(read(scalar("f32", "\"nan\"")).as_f64(0)));
    for (const char* bad : {"1e39", "-1e99999999999999999999", "\"1\"", "\"NaN\"", "\"infinity\"", "true", "NaN"})
        EXPECT_NE(message(scalar("f32", bad)), "") << bad;
    EXPECT_NE(message(scalar("f64", "1" + std::string(5000, '0'))), "");
    EXPECT_EQ(to_json(Value::tensor(HostTensor::of<float>({4}, {0.1f, 1e20f, -0.0f, 16777216}))),
              tensor("f32", "4", "0.1, 1e+20, -0.0, 16777216"));
    EXPECT_EQ(to_json(Value::tensor(HostTensor::scalar(0.1))), scalar("f64", "0.1"));
    EXPECT_EQ(to_json(Value::tensor(HostTensor::scalar(std::copysign(NAN, -1.0f)))), scalar("f32", "\"nan\""));
}

TEST(Json, RandomBitsRoundTrip) {
    std::mt19937_64 random(3);
    HostTensor f32 = *HostTensor::make(DType::f32, {2000}), f64 = *HostTensor::make(DType::f64, {2000});
    std::span<float> floats = *f32.mutable_data<float>();
    std::span<double> doubles = *f64.mutable_data<double>();
    for (float& x : floats) do x = std::bit_cast<float>(uint32_t(random())); while (std::isnan(x));
    for (double& x : doubles) do x = std::bit_cast<double>(random()); while (std::isnan(x));
    HostTensor f16 = *HostTensor::make(DType::f16, {1 << 16}), bf16 = *HostTensor::make(DType::bf16, {1 << 16});
    std::span<F16> halves = *f16.mutable_data<F16>();
    std::span<BF16> uppers = *bf16.mutable_data<BF16>();
    for (size_t i = 0; i < halves.size(); ++i) {         // all of them
        if (!std::isnan(double(F16::of_bits(uint16_t(i))))) halves[i] = F16::of_bits(uint16_t(i));
        if (!std::isnan(double(BF16::of_bits(uint16_t(i))))) uppers[i] = BF16::of_bits(uint16_t(i));
    }
    Value both = Value::tuple({Value::tensor(f32), Value::tensor(f64), Value::tensor(f16), Value::tensor(bf16)});
    EXPECT_TRUE(equal_bitwise(both, *parse_json_value(to_json(both))));
}

TEST(Json, BoolsAreWordsOrBits) {
    HostTensor t = read(tensor("bool", "4", "true, false, 1, 0"));
    EXPECT_EQ(t.as_i64(0) * 8 + t.as_i64(1) * 4 + t.as_i64(2) * 2 + t.as_i64(3), 10);
    for (const char* bad : {"2", "1.0", "-0", "null", "\"true\"", "\"nan\""})
        EXPECT_NE(message(scalar("bool", bad)), "") << bad;
}

TEST(Json, ShapesMustFit) {
    EXPECT_EQ(message(tensor("f32", "2", "1")), "line 1, column 40: shape (2) takes 2 elements, data has 1");
    EXPECT_NE(message(tensor("f32", "-1", "")), "");
    EXPECT_NE(message(tensor("f32", "1.0", "1")), "");
    EXPECT_NE(message(tensor("f32", "4294967296, 4294967296, 0", "")), "");
    EXPECT_NE(message(tensor("f32", "1000000000000", "")), "");
    EXPECT_NE(message(tensor("f32", "99999999999999999999", "")), "");
    std::string ones = "1";
    for (int i = 0; i < 64; ++i) ones += ", 1";
    EXPECT_EQ(parse_json_value(tensor("f32", ones, "1")).error().code, Code::limit);
}

TEST(Json, ErrorsSayWhereAndWhat) {
    struct Row { const char* text; const char* want; };
    const Row rows[] = {
        {"", "line 1, column 1: expected a value, found the end of the text"},
        {"3", "line 1, column 1: expected a value, found a number"},
        {"{}", "line 1, column 1: an empty object is no value"},
        {"{\"tuple\": []} 1", "line 1, column 15: expected the end of the text, found a number"},
        {"{\"tuple\": [],}", "line 1, column 14: expected another element after ',', found '}'"},
        {"{\n \"tuple\" []}", "line 2, column 10: expected ':', found '['"},
        {"{\"tuple\": [}", "line 1, column 12: expected a value, found '}'"},
        {"{\"args\": []}", "line 1, column 1: args without ctor"},
        {"{\"tuple\": [], \"tuple\": []}", "line 1, column 15: key 'tuple' is given twice"},
        {"{\"tuple\": [], \"seq\": []}", "line 1, column 15: key 'seq' belongs to another form of value"},
        {"{\"dtype\": \"f8\"}", "line 1, column 11: unknown dtype 'f8'; expected bool, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, str, or only to be stored: "
         "f8e4m3fn, f8e4m3fnuz, f8e5m2, f8e5m2fnuz, f8e8m0, f4e2m1, i4, u4, i2 or u2"},
        {"{\"dtype\": \"f32\"}", "line 1, column 1: a tensor without shape"},
        {"{\"dtype\": \"f32\", \"shape\": [1], \"data\": [[1]]}",
         "line 1, column 41: data is one flat list in row-major order"},
        {"{\"record\": {\"a\": {\"seq\": []}, \"a\": {\"seq\": []}}}",
         "line 1, column 48: the name 'a' is given twice in the object before"},
        {"{\"ctor\": \"\"}", "line 1, column 10: an empty name"},
        {"{\"ctor\": \"a\x01\"}", "line 1, column 12: a control character in a string"},
        {"{\"ctor\": \"\xff\"}", "line 1, column 11: bytes in a string that are not UTF-8"},
        {"{\"ctor\": \"\xc0\xaf\"}", "line 1, column 11: bytes in a string that are not UTF-8"},
        {"{\"ctor\": \"\\ud800\"}", "line 1, column 11: half of a surrogate pair"},
        {"{\"ctor\": \"\\x\"}", "line 1, column 11: unknown escape in a string"},
        {"{\"npy\": \"x.npy\"}", "line 1, column 1: no npy files can be named here"},
    };
    for (const Row& row : rows) EXPECT_EQ(message(row.text), row.want) << row.text;
    for (const char* number : {"01", "1.", ".5", "+1", "1e", "-", "--1", "0x1", "1e+"})
        EXPECT_NE(message(scalar("f64", number)), "") << number;
}

TEST(Json, InputsAreOneCallOrAList) {
    std::string x = scalar("f32", "1");
    Inputs one = *read_inputs_json("{\"x\": " + x + ", \"y\": {\"tuple\": []}}");
    EXPECT_FALSE(one.is_list);
    ASSERT_EQ(one.calls.size(), 1u);
    EXPECT_EQ(one.calls[0][0].name, "x");
    EXPECT_EQ(one.calls[0][1].name, "y");
    Inputs list = *read_inputs_json("[{\"x\": " + x + "}, {}]");
    EXPECT_TRUE(list.is_list);
    ASSERT_EQ(list.calls.size(), 2u);
    EXPECT_TRUE(list.calls[1].empty());
    EXPECT_TRUE(read_inputs_json("[]")->calls.empty());
    for (const char* bad : {"3", "[3]", "{\"x\": 3}", "{} {}"}) EXPECT_FALSE(read_inputs_json(bad)) << bad;
    EXPECT_FALSE(read_inputs_json("{\"x\": " + x + ", \"x\": " + x + "}"));
}

TEST(Json, NpyFilesLieBesideTheText) {
    namespace fs = std::filesystem;
    fs::path folder = fs::path(testing::TempDir()) / "nereus_json_test", home = folder / "home";
    fs::create_directories(home / "sub");
    ASSERT_TRUE(write_npy(folder / "outside.npy", HostTensor::scalar(1.0f)));
    ASSERT_TRUE(write_npy(home / "sub" / "x.npy", HostTensor::of<float>({2}, {1, 2})));
    std::error_code ignored;
    fs::create_symlink(folder / "outside.npy", home / "link.npy", ignored);
    fs::create_symlink("sub/x.npy", home / "inner.npy", ignored);
    auto load = [&home](const std::string& path) { return parse_json_value("{\"npy\": \"" + path + "\"}", home); };
    EXPECT_EQ(load("sub/x.npy")->tensor().as_f64(1), 2);
    EXPECT_TRUE(load("inner.npy"));
    EXPECT_EQ(load("../outside.npy").error().code, Code::value);
    EXPECT_EQ(load("sub/../sub/x.npy").error().code, Code::value);
    EXPECT_EQ(load((folder / "outside.npy").string()).error().code, Code::value);
    EXPECT_EQ(load("link.npy").error().code, Code::value);
    EXPECT_EQ(load("none.npy").error().code, Code::io);
    EXPECT_EQ(load("sub").error().code, Code::io);
    EXPECT_EQ(load("a\\u0000b").error().code, Code::value);
    Result<Value> twice = parse_json_value("{\"seq\": [{\"npy\": \"sub/x.npy\"}, {\"npy\": \"sub/x.npy\"}]}", home);
    EXPECT_EQ(twice->children()[0].tensor().bytes(), twice->children()[1].tensor().bytes());
    fs::remove_all(folder);
}

TEST(Json, SurvivesTruncationAndMutation) {
    const std::string good = "{\"tuple\": [" + tensor("f32", "2", "1.5e3, \"nan\"") +
                             ", {\"record\": {\"a\\u00e9\": " + tensor("bool", "2", "true, 0") +
                             ", \"b\": {\"seq\": []}}}, {\"ctor\": \"Nöde\", \"args\": [" + scalar("i64", "-12") +
                             "]}]}";
    ASSERT_TRUE(parse_json_value(good));
    for (size_t n = 0; n < good.size(); ++n)
        EXPECT_FALSE(parse_json_value(std::string_view(good).substr(0, n))) << n;
    std::mt19937 random(7);
    constexpr std::string_view likely = "{}[]:,\"\\0123456789-+.eEutfn ";
    for (int i = 0; i < 50000; ++i) {
        std::string bad = good;
        for (unsigned k = 0; k <= random() % 4; ++k) {
            size_t at = random() % bad.size();
            switch (random() % 4) {
            case 0: bad[at] = char(random()); break;
            case 1: bad[at] = likely[random() % likely.size()]; break;
            case 2: bad.erase(at, random() % 8); break;
            case 3: bad.insert(at, bad.substr(random() % bad.size(), random() % 12)); break;
            }
        }
        Result<Value> value = parse_json_value(bad);
        if (!value) EXPECT_EQ(value.error().message.rfind("line ", 0), 0u);
        else EXPECT_TRUE(equal_bitwise(*value, *parse_json_value(to_json(*value)))) << bad;
        (void)read_inputs_json(bad);
    }
}

TEST(Json, TextsAreStrings) {
    const std::string text = R"({"dtype": "str", "shape": [2, 2], "data": ["a", "", "\"\\\n", "nan"]})";
    Result<Value> read = parse_json_value(text);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(text_at(read->tensor(), 2), "\"\\\n");
    EXPECT_EQ(to_json(*read), text);
    EXPECT_FALSE(parse_json_value(R"({"dtype": "str", "shape": [1], "data": [1]})"));
    EXPECT_FALSE(parse_json_value(R"({"dtype": "f32", "shape": [1], "data": ["a"]})"));
}
} // namespace nereus
