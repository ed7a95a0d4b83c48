#include "import/write_model.h"
#include "import/onnx_testing.h"
#include "import/summary_testing.h"
#include <filesystem>
#include <gtest/gtest.h>

namespace nereus::onnx {
TEST(WriteModel, IsReadAsTheSame) {
    int files = 0;
    for (const char* folder : {"onnx", "models"})
        for (const auto& entry : std::filesystem::directory_iterator(std::string(NEREUS_SOURCE_DIR "/test/corpus/") + folder)) {
            if (entry.path().extension() != ".onnx") continue;
            Result<ModelFile> model = read_model(entry.path().string());
            if (!model) continue;                      // what a fuzzer found need not be one
            const std::string bytes = write_model(*model);
            Result<ModelFile> again = read_model(std::as_bytes(std::span(bytes)));
            ASSERT_TRUE(bool(again)) << entry.path() << ": " << again.error().message;
            EXPECT_EQ(Summary(*again).text(), Summary(*model).text()) << entry.path();
            EXPECT_EQ(write_model(*again), bytes) << entry.path();
            ++files;
        }
    EXPECT_GE(files, 2);
}
} // namespace nereus::onnx
