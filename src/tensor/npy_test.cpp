#include "tensor/npy.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

namespace nereus {
static std::string npy(const std::string& header, std::string_view data, char version = 1) {
    std::string file("\x93NUMPY", 6);
    file += {version, char(0), char(header.size() & 0xff), char(header.size() >> 8)};
    if (version > 1) file += {char(0), char(0)};
    return file + header + std::string(data);
}
static std::string floats(std::initializer_list<float> values) {
    return std::string(reinterpret_cast<const char*>(values.begin()), values.size() * 4);
}
static bool same(const HostTensor& a, const HostTensor& b) {
    return a.dtype() == b.dtype() && a.shape() == b.shape() &&
           std::memcmp(a.bytes(), b.bytes(), size_t(a.byte_size())) == 0;
}

TEST(Npy, RoundTripsEveryDtype) {
    const HostTensor all[] = {
        HostTensor::scalar(true),
        HostTensor::of<bool>({3}, {false, true, true}),
        HostTensor::of<int32_t>({2, 1}, {INT32_MIN, INT32_MAX}),
        HostTensor::of<int64_t>({1, 2}, {INT64_MIN, INT64_MAX}),
        HostTensor::of<float>({2, 2}, {1, -0.0f, 3, 4}),
        HostTensor::of<double>({}, {0.1}),
        HostTensor::of<float>({0, 3}, {}),
        HostTensor::of<int8_t>({2}, {-128, 127}),
        HostTensor::of<int16_t>({2}, {-32768, 32767}),
        HostTensor::of<uint8_t>({2}, {0, 255}),
        HostTensor::of<uint16_t>({2}, {0, 65535}),
        HostTensor::of<uint32_t>({2}, {0, UINT32_MAX}),
        HostTensor::of<uint64_t>({2}, {0, UINT64_MAX}),
        HostTensor::of<F16>({2}, {F16(0.1), F16(-65504)}),
        HostTensor::of<BF16>({2}, {BF16(0.1), BF16(3e38)}),
        HostTensor::of<Stored<DType::f8e4m3fn>>({2}, {Stored<DType::f8e4m3fn>(1.5), Stored<DType::f8e4m3fn>::of_code(0xff)}),
        HostTensor::of<Stored<DType::i2>>({1, 2}, {Stored<DType::i2>(-2), Stored<DType::i2>(1)}),
        *HostTensor::make(DType::f32, Extents(64, 1)),
    };
    for (const HostTensor& tensor : all) {
        std::string file = to_npy(tensor);
        EXPECT_EQ((file.size() - size_t(tensor.byte_size())) % 64, 0u);
        Result<HostTensor> back = parse_npy(file);
        ASSERT_TRUE(back) << back.error().message;
        EXPECT_TRUE(same(*back, tensor));
    }
}

TEST(Npy, ReadsWhatNumpyWrites) {
    // numpy.save of numpy.arange(6, dtype='f4').reshape(2, 3), in either order
    std::string c = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n", floats({0, 1, 2, 3, 4, 5}));
    std::string f = npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }   \n", floats({0, 3, 1, 4, 2, 5}));
    HostTensor want = HostTensor::of<float>({2, 3}, {0, 1, 2, 3, 4, 5});
    EXPECT_TRUE(same(*parse_npy(c), want));
    EXPECT_TRUE(same(*parse_npy(f), want));
    for (char version : {2, 3})
        EXPECT_TRUE(same(*parse_npy(npy("{\"shape\":(2,),\"descr\":\"<f4\",\"fortran_order\":False}", floats({1, 2}),
                                        version)),
                         HostTensor::of<float>({2}, {1, 2})));
    EXPECT_TRUE(same(*parse_npy(npy("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 1, 2)}", floats({0, 2, 1, 3}))),
                     HostTensor::of<float>({2, 1, 2}, {0, 1, 2, 3})));
    // numpy.save of numpy.array([0x38, 0x80], 'u1').view([('f8e4m3fn', 'u1')])
    using Float8 = Stored<DType::f8e4m3fn>;
    EXPECT_TRUE(same(*parse_npy(npy("{'descr': [('f8e4m3fn', '|u1')], 'fortran_order': False, 'shape': (2,), }", "\x38\x80")),
                     HostTensor::of<Float8>({2}, {Float8(1.0), Float8(-0.0)})));
}

TEST(Npy, RefusesWhatItCannotRead) {
    auto code = [](const std::string& header, std::string_view data = "") {
        Result<HostTensor> r = parse_npy(npy(header, data));
        return r ? Code::internal : r.error().code;
    };
    EXPECT_EQ(code("{'descr': '>f4', 'fortran_order': False, 'shape': (), }"), Code::unsupported);
    EXPECT_EQ(code("{'descr': '<c8', 'fortran_order': False, 'shape': (), }"), Code::unsupported);
    EXPECT_EQ(code("{'descr': '|O', 'fortran_order': False, 'shape': (), }"), Code::unsupported);
    EXPECT_EQ(code("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (), }"), Code::unsupported);
    EXPECT_EQ(code("{'descr': [('f8e5m2', '<f4')], 'fortran_order': False, 'shape': (), }"), Code::unsupported);
    EXPECT_EQ(code("{'descr': [('f32', '|u1')], 'fortran_order': False, 'shape': (), }"), Code::unsupported);
    EXPECT_EQ(code("{'descr': [('i4', '|u1'), ('i4', '|u1')], 'fortran_order': False, 'shape': (), }"), Code::unsupported);
    EXPECT_EQ(code("{'descr': [('i4', '|u1')], 'fortran_order': False, 'shape': (1,), }", "\x10"), Code::value);
    EXPECT_NE(parse_npy(npy("{'descr': '<V1', 'fortran_order': False, 'shape': (), }", "x")).error().hint, "");
    EXPECT_EQ(code("{'descr': '<f4', 'fortran_order': False}"), Code::parse);
    EXPECT_EQ(code("{'descr': '<f4', 'fortran_order': 0, 'shape': ()}"), Code::parse);
    EXPECT_EQ(code("{'descr': '<f4', 'descr': '<f4', 'shape': ()}"), Code::parse);
    EXPECT_EQ(code("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}"), Code::parse);
    EXPECT_EQ(code("{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}"), Code::parse);
    EXPECT_EQ(code("{'descr': '<f4', 'fortran_order': False, 'shape': (1000000000000,)}"), Code::parse);
    EXPECT_EQ(code("{'descr': '<f4', 'fortran_order': False, 'shape': (4294967296,4294967296,0)}"), Code::shape);
    EXPECT_EQ(code("{'descr': '<f4', 'fortran_order': False, 'shape': (0,)} x"), Code::parse);
    EXPECT_EQ(code("{'descr': '<f4', 'fortran_order': False, 'shape': (0,)}", "x"), Code::parse);
    EXPECT_EQ(code("{'descr': '|b1', 'fortran_order': False, 'shape': (1,)}", "\2"), Code::value);
    EXPECT_EQ(parse_npy(npy("{}", "", 4)).error().code, Code::unsupported);
    EXPECT_EQ(parse_npy("").error().code, Code::parse);
}

TEST(Npy, SurvivesTruncationAndMutation) {
    const std::string good = to_npy(HostTensor::of<float>({2, 3}, {0, 1, 2, 3, 4, 5}));
    for (size_t n = 0; n < good.size(); ++n) EXPECT_FALSE(parse_npy(std::string_view(good).substr(0, n)));
    std::mt19937 random(1);
    for (int i = 0; i < 20000; ++i) {
        std::string bad = good;
        for (unsigned k = 0; k <= random() % 3; ++k) bad[random() % 90] = char(random());
        Result<HostTensor> r = parse_npy(bad);
        if (r) EXPECT_EQ(r->byte_size(), 24);      // no other size fits the file
        else EXPECT_FALSE(r.error().message.empty());
    }
}

TEST(Npy, FilesNameTheirPath) {
    std::string path = testing::TempDir() + "/nereus_npy_test.npy";
    HostTensor tensor = HostTensor::of<int64_t>({2}, {4, 5});
    ASSERT_TRUE(write_npy(path, tensor));
    EXPECT_TRUE(same(*read_npy(path), tensor));
    ::unlink(path.c_str());
    EXPECT_EQ(read_npy(path).error().code, Code::io);
    EXPECT_NE(read_npy(__FILE__).error().message.find("npy_test.cpp': npy: not an npy file"), std::string::npos);
}
} // namespace nereus
