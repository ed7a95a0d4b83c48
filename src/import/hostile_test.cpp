// Files that are damaged or lie: whatever happens, it is an error or a model that points nowhere else.
#include "base/file.h"
#include "import/onnx_testing.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <random>

namespace nereus::onnx {
static const DataKind kinds[] = {DataKind::tensor, DataKind::sparse_tensor, DataKind::sequence, DataKind::map,
                                 DataKind::optional};

static std::string corpus_file(const std::string& name) { return *read_file(NEREUS_SOURCE_DIR "/test/corpus/onnx/" + name); }

static bool is_of_the_file(Code code) {
    return code == Code::parse || code == Code::unsupported || code == Code::shape || code == Code::limit;
}

// Read as everything that it could be. 1 if it is a model.
static int survive(const std::string& file) {
    const std::span<const std::byte> bytes = std::as_bytes(std::span(file));
    for (DataKind kind : kinds) {
        Result<DataFile> data = read_data(bytes, kind);
        if (data) EXPECT_TRUE(StaysInside(*data->storage, bytes).holds(*data));
        else EXPECT_TRUE(is_of_the_file(data.error().code) && !data.error().message.empty());
    }
    Result<ModelFile> model = read_model(bytes);
    if (model) EXPECT_TRUE(StaysInside(*model->storage, bytes).holds(*model));
    else EXPECT_TRUE(is_of_the_file(model.error().code) && !model.error().message.empty()) << model.error().message;
    return bool(model);
}

TEST(Hostile, CutOffAtEveryByte) {
    const std::string whole = corpus_file("everything.onnx");
    ASSERT_EQ(survive(whole), 1);
    int models = 0;
    for (size_t size = 0; size < whole.size(); ++size) models += survive(whole.substr(0, size));
    EXPECT_LT(models, 20);                             // between the fields of the model, behind its graph
}

TEST(Hostile, RandomChanges) {
    const std::string model = corpus_file("everything.onnx");
    std::vector<std::string> values;
    for (const auto& entry : std::filesystem::directory_iterator(NEREUS_SOURCE_DIR "/test/corpus/onnx"))
        if (entry.path().extension() == ".pb") values.push_back(*read_file(entry.path().string()));
    std::sort(values.begin(), values.end());           // the order of a directory is nobody's
    int models = 0;
    for (uint32_t seed = 0; seed < 6000; ++seed) {
        std::mt19937 random(seed);
        std::string file = seed % 2 ? model : values[random() % values.size()];
        for (uint32_t changes = 1 + random() % 4; changes > 0 && !file.empty(); --changes) {
            const size_t at = random() % file.size();
            switch (random() % 4) {
            case 0: file[at] = char(random()); break;
            case 1: file[at] = char(file[at] ^ 1 << random() % 8); break;
            case 2: file.erase(at, 1 + random() % 8); break;
            default: file.insert(at, file.substr(random() % file.size(), random() % 32));
            }
        }
        SCOPED_TRACE(seed);
        models += survive(file);
    }
    EXPECT_GT(models, 100);                            // not all die at the first byte
}

TEST(Hostile, ClaimedLengths) {
    for (uint64_t claimed : {uint64_t(3), uint64_t(1) << 31, (uint64_t(1) << 32) + 1, uint64_t(1) << 40, UINT64_MAX}) {
        for (std::string head : {"\x3a", "\x3a\x80\x01\x2a", "\x2a"}) { // a graph, an initializer in one, an unknown field
            protozero::write_varint(std::back_inserter(head), claimed);
            Message file;
            file.data = head + "ab";
            EXPECT_EQ(read_model(file.bytes()).error().code, Code::parse) << claimed;
        }
    }
    Message file;
    file.data = "\x3a";
    protozero::write_varint(std::back_inserter(file.data), (uint64_t(1) << 32) + 1);
    file.data += "a";
    EXPECT_EQ(read_model(file.bytes()).error().message, "graph: a field of 4294967297 bytes, where 1 are left, at byte 1");
}

TEST(Hostile, NumbersThatDoNotEnd) {
    Message file;
    file.data = "\x08" + std::string(11, '\xff');
    EXPECT_EQ(read_model(file.bytes()).error().message, "ir_version: an integer is cut off or too long at byte 1");
    file.data = "\x07";
    EXPECT_EQ(read_model(file.bytes()).error().code, Code::parse);
}

TEST(Hostile, EmptyMessagesAreCounted) {
    auto read_dims = [](size_t count) {                // two bytes each
        std::string dims(count * 2, '\0');
        for (size_t i = 0; i < count; ++i) dims[2 * i] = '\x0a';
        const Message message =
            model_message(Message().message(11, Message().message(2, Message().message(1, Message().text(2, dims)))));
        Result<ModelFile> model = read_model(message.bytes());
        return model ? std::to_string(model->main().inputs[0].type.shape->size())
                     : std::string(code_name(model.error().code));
    };
    EXPECT_EQ(read_dims(1'000'000), "1000000");
    EXPECT_EQ(read_dims(5'000'000), "limit");
}

TEST(Hostile, FilesThatAreNone) {
    EXPECT_EQ(read_model(std::string("/nowhere/model.onnx")).error().code, Code::io);
    EXPECT_EQ(read_model(std::filesystem::temp_directory_path().string()).error().code, Code::io);
    EXPECT_EQ(read_model(std::string("/dev/null")).error().message, "'/dev/null': there is no graph in it");
}
} // namespace nereus::onnx
