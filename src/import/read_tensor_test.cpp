#include "base/file.h"
#include "import/onnx_testing.h"
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <unistd.h>

namespace nereus::onnx {
static std::string text_of(std::span<const std::byte> bytes) {
    return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}
template <class T> static std::string text_of(std::initializer_list<T> values) {
    return text_of(std::as_bytes(std::span(values)));
}

// The elements of a model's one initializer, or what is wrong with it.
static std::string elements_of(const Message& tensor) {
    const Message message = model_of_tensor(tensor);
    Result<ModelFile> model = read_model(message.bytes());
    if (!model) return model.error().message;
    EXPECT_TRUE(StaysInside(*model->storage, message.bytes()).holds(*model));
    return text_of(model->main().initializers[0].bytes);
}
static const std::string place = "graph.initializer[0]: tensor 'w': ";

TEST(ReadTensor, EveryListPackedOrNot) {
    for (bool packed : {true, false}) {
        auto ints = [packed](ElemType type, uint32_t field, const std::vector<int64_t>& values, int64_t count) {
            return elements_of(tensor_message("w", type, {count}).numbers(field, values, packed));
        };
        EXPECT_EQ(elements_of(tensor_message("w", ElemType::float32, {2}).reals(4, {1.5, -2}, packed)),
                  text_of({1.5f, -2.f}));
        EXPECT_EQ(elements_of(tensor_message("w", ElemType::complex64, {1}).reals(4, {1.5, -2}, packed)),
                  text_of({1.5f, -2.f}));
        EXPECT_EQ(elements_of(tensor_message("w", ElemType::float64, {2}).reals64(10, {1.5, -2}, packed)),
                  text_of({1.5, -2.}));
        EXPECT_EQ(elements_of(tensor_message("w", ElemType::complex128, {1}).reals64(10, {1.5, -2}, packed)),
                  text_of({1.5, -2.}));
        EXPECT_EQ(ints(ElemType::int32, 5, {-1, 1 << 30}, 2), text_of<int32_t>({-1, 1 << 30}));
        EXPECT_EQ(ints(ElemType::int16, 5, {-2, 300}, 2), text_of<int16_t>({-2, 300}));
        EXPECT_EQ(ints(ElemType::float16, 5, {0x3c00, 0xc000}, 2), text_of<uint16_t>({0x3c00, 0xc000}));
        EXPECT_EQ(ints(ElemType::int8, 5, {-128, 127}, 2), text_of<int8_t>({-128, 127}));
        EXPECT_EQ(ints(ElemType::boolean, 5, {0, 2}, 2), text_of<uint8_t>({0, 1}));
        EXPECT_EQ(ints(ElemType::int4, 5, {0x21, 0xf}, 3), text_of<uint8_t>({0x21, 0xf}));
        EXPECT_EQ(ints(ElemType::float6e3m2, 5, {0x21, 0x3f, 0, 0, 1}, 5), text_of<uint8_t>({0xe1, 0x0f, 0, 1}));
        EXPECT_EQ(ints(ElemType::int64, 7, {INT64_MIN, 5}, 2), text_of<int64_t>({INT64_MIN, 5}));
        EXPECT_EQ(ints(ElemType::uint32, 11, {0xffffffff, 5}, 2), text_of<uint32_t>({0xffffffff, 5}));
        EXPECT_EQ(ints(ElemType::uint64, 11, {-1, 5}, 2), text_of<uint64_t>({UINT64_MAX, 5}));
    }
}

TEST(ReadTensor, BytesOfTheFileAreNotCopied) {
    const Message raw = model_of_tensor(tensor_message("w", ElemType::int16, {2}).text(9, "abcd"));
    const Message list = model_of_tensor(tensor_message("w", ElemType::float32, {2}).reals(4, {1, 2}));
    for (const Message& message : {raw, list}) {
        Result<ModelFile> model = read_model(message.bytes());
        ASSERT_TRUE(model) << model.error().message;
        EXPECT_TRUE(model->storage->packed.empty());
        EXPECT_EQ(model->main().initializers[0].bytes.data(),
                  message.bytes().data() + message.data.find(text_of(model->main().initializers[0].bytes)));
    }
}

TEST(ReadTensor, StringsAndTheirCount) {
    const Message message = model_of_tensor(tensor_message("w", ElemType::string, {2}).texts(6, {"a", ""}));
    Result<ModelFile> model = read_model(message.bytes());
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->main().initializers[0].strings, (std::vector<std::string_view>{"a", ""}));
    EXPECT_EQ(elements_of(tensor_message("w", ElemType::string, {3}).texts(6, {"a", ""})),
              place + "its shape and type string take 3 strings, but it has 2");
    EXPECT_EQ(elements_of(tensor_message("w", ElemType::string, {2}).text(9, "ab")),
              place + "its elements are strings, which lie in string_data alone");
}

TEST(ReadTensor, ElementsFitTheShape) {
    EXPECT_EQ(elements_of(tensor_message("w", ElemType::float32, {2, 2}).text(9, "abcd")),
              place + "its shape and type float take 16 bytes, but it has 4");
    EXPECT_EQ(elements_of(tensor_message("w", ElemType::float32, {2})),
              place + "its shape and type float take 8 bytes, but it has 0");
    EXPECT_EQ(elements_of(tensor_message("w", ElemType::float32, {-2})), place + "a size of -2; sizes are never negative");
    EXPECT_EQ(elements_of(tensor_message("w", ElemType::float32, {INT64_MAX})), place + "more bytes than 64 bits can count");
    EXPECT_EQ(elements_of(tensor_message("w", ElemType::float32, {INT64_MAX, INT64_MAX, 0})), "");
    EXPECT_EQ(elements_of(tensor_message("w", ElemType::undefined, {})), place + "it has no element type");
    EXPECT_EQ(elements_of(tensor_message("w", ElemType(40), {})), place + "element type number 40 is not one that ONNX has");
    EXPECT_EQ(elements_of(tensor_message("w", ElemType::int8, {}).message(3, Message())),
              place + "it is a segment of a larger tensor");
}

TEST(ReadTensor, ElementsLieInTheListOfTheirType) {
    EXPECT_EQ(elements_of(tensor_message("w", ElemType::float32, {1}).numbers(5, {1})),
              place + "elements of type float in int32_data, expected in float_data or raw_data");
    EXPECT_EQ(elements_of(tensor_message("w", ElemType::int8, {1}).text(9, "a").reals(4, {1})),
              place + "elements of type int8 in float_data, expected in int32_data or raw_data");
}

TEST(ReadTensor, ListsThatAreCutOff) {
    EXPECT_EQ(elements_of(tensor_message("w", ElemType::int64, {1}).text(7, "\x80")),
              place + "a list of integers is cut off inside one");
    EXPECT_NE(elements_of(tensor_message("w", ElemType::float32, {1}).text(4, "abc"))
                  .find("initializer[0].float_data: a list of numbers of 4 bytes each has 3"),
              std::string::npos);
}

TEST(ReadTensor, SparseTensorsHaveTwoParts) {
    const Message values = tensor_message("w", ElemType::int8, {1}).text(9, "a"),
                  indices = tensor_message("", ElemType::int64, {1}).numbers(7, {4});
    const Message message =
        model_message(Message().message(15, Message().message(1, values).message(2, indices).numbers(3, {2, 3})));
    Result<ModelFile> model = read_model(message.bytes());
    ASSERT_TRUE(model) << model.error().message;
    const SparseTensor& sparse = model->main().sparse_initializers[0];
    EXPECT_EQ(sparse.values.name, "w");
    EXPECT_EQ(text_of(sparse.indices.bytes), text_of<int64_t>({4}));
    EXPECT_EQ(sparse.dims, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(read_model(model_message(Message().message(15, Message().message(1, values))).bytes()).error().message,
              "graph.sparse_initializer[0]: a sparse tensor has values and indices; one is missing");
}

class ExternalData : public testing::Test {
 protected:
    void SetUp() override {
        std::filesystem::create_directories(folder_ / "model/sub");
        ASSERT_TRUE(write_file((folder_ / "outside.bin").string(), std::string_view("secret!!")));
        ASSERT_TRUE(write_file((folder_ / "model/w.bin").string(), std::string_view("abcdefgh")));
        ASSERT_TRUE(write_file((folder_ / "model/sub/v.bin").string(), std::string_view("ABCDEFGH")));
    }
    void TearDown() override { std::filesystem::remove_all(folder_); }

    static Message external(std::string_view location, std::string_view offset, std::string_view length) {
        Message tensor = tensor_message("w", ElemType::int16, {2})
                             .number(14, 1)
                             .message(13, Message().text(1, "location").text(2, location));
        if (!offset.empty()) tensor.message(13, Message().text(1, "offset").text(2, offset));
        if (!length.empty()) tensor.message(13, Message().text(1, "length").text(2, length));
        return tensor;
    }
    // The elements of a model in a file of its own, or the end of what is wrong with it.
    std::string read(const Message& tensor) {
        const std::string path = (folder_ / "model/m.onnx").string();
        EXPECT_TRUE(write_file(path, model_of_tensor(tensor).bytes()));
        Result<ModelFile> model = read_model(path);
        if (model) {
            EXPECT_TRUE(model->main().initializers[0].external);
            return text_of(model->main().initializers[0].bytes);
        }
        const std::string before = "'" + path + "': " + place;
        EXPECT_TRUE(model.error().message.starts_with(before)) << model.error().message;
        return model.error().message.substr(before.size());
    }
    std::filesystem::path folder_ =
        std::filesystem::temp_directory_path() / ("nereus_external_" + std::to_string(::getpid()));
};

TEST_F(ExternalData, IsAPartOfAFile) {
    EXPECT_EQ(read(external("w.bin", "", "")), "abcd");
    EXPECT_EQ(read(external("w.bin", "4", "")), "efgh");
    EXPECT_EQ(read(external("w.bin", "3", "4")), "defg");
    EXPECT_EQ(read(external("sub/v.bin", "2", "4")), "CDEF");
    EXPECT_EQ(read(external("./sub/v.bin", "2", "4")), "CDEF");
}

TEST_F(ExternalData, OutOfTheFileIsRefused) {
    EXPECT_EQ(read(external("w.bin", "6", "")), "its data is 4 bytes from byte 6 of 'w.bin', which has 8");
    EXPECT_EQ(read(external("w.bin", "9223372036854775807", "")),
              "its data is 4 bytes from byte 9223372036854775807 of 'w.bin', which has 8");
    EXPECT_EQ(read(external("w.bin", "0", "9223372036854775807")),
              "its data is 9223372036854775807 bytes from byte 0 of 'w.bin', which has 8");
    EXPECT_EQ(read(external("w.bin", "0", "6")), "its shape and type int16 take 4 bytes, but it has 6");
    for (const char* bad : {"-1", "4x", "0x4", " 4", "9223372036854775808"})
        EXPECT_EQ(read(external("w.bin", bad, "")),
                  "the offset of external data is '" + std::string(bad) + "', expected a number of bytes");
    EXPECT_EQ(read(tensor_message("w", ElemType::int8, {1}).number(14, 1)), "its data is external, but no location is given");
}

TEST_F(ExternalData, OutOfTheFolderIsRefused) {
    std::filesystem::create_symlink(folder_ / "outside.bin", folder_ / "model/link.bin");
    std::filesystem::create_directory_symlink(folder_, folder_ / "model/up");
    std::filesystem::create_symlink("w.bin", folder_ / "model/harmless.bin");
    EXPECT_EQ(read(external("../outside.bin", "", "")),
              "'../outside.bin' has '..' in it; a file lies beside the one that names it, or below");
    EXPECT_EQ(read(external("sub/../w.bin", "", "")),
              "'sub/../w.bin' has '..' in it; a file lies beside the one that names it, or below");
    const std::string absolute = (folder_ / "model/w.bin").string();
    EXPECT_EQ(read(external(absolute, "", "")),
              "'" + absolute + "' is absolute; a file is named relative to the one that names it");
    EXPECT_EQ(read(external("link.bin", "", "")), "'link.bin' is a link to outside the folder of the file that names it");
    EXPECT_EQ(read(external("up/outside.bin", "", "")),
              "'up/outside.bin' is a link to outside the folder of the file that names it");
    EXPECT_EQ(read(external("harmless.bin", "", "")), "abcd");
    EXPECT_EQ(read(external("sub", "", "")), "'sub' is not a regular file");
    EXPECT_EQ(read(external(std::string_view("w.bin\0", 6), "", "")),
              "'" + std::string("w.bin\0", 6) + "' is not a file name");
}

TEST_F(ExternalData, AFileIsMappedOnce) {
    Message graph;
    for (const char* location : {"w.bin", "./w.bin", "sub/v.bin", "w.bin"}) graph.message(5, external(location, "", ""));
    const std::string path = (folder_ / "model/m.onnx").string();
    ASSERT_TRUE(write_file(path, model_message(graph).bytes()));
    Result<ModelFile> model = read_model(path);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->storage->files.size(), 3u);           // the model itself is one
    EXPECT_EQ(model->main().initializers[0].bytes.data(), model->main().initializers[1].bytes.data());
}

TEST_F(ExternalData, NeedsAFolder) {
    const Message message = model_of_tensor(external("w.bin", "", ""));
    EXPECT_EQ(read_model(message.bytes()).error().message,
              place + "a model that does not come from a file has no external data beside it");
    Result<ModelFile> model = read_model(message.bytes(), (folder_ / "model").string());
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(text_of(model->main().initializers[0].bytes), "abcd");
}
} // namespace nereus::onnx
