// Real files, by the package `onnx`: what it reads of them was written beside each by test/oracle/onnx_corpus.py.
#include "base/file.h"
#include "import/onnx_testing.h"
#include "import/summary_testing.h"
#include <filesystem>
#include <gtest/gtest.h>

namespace nereus::onnx {
static std::string summary_of(const std::filesystem::path& path) {
    const std::pair<std::string_view, DataKind> kinds[] = {{".tensor", DataKind::tensor},
                                                           {".sequence", DataKind::sequence},
                                                           {".map", DataKind::map},
                                                           {".optional", DataKind::optional}};
    if (path.extension() == ".onnx") {
        Result<ModelFile> model = read_model(path.string());
        return model ? Summary(*model).text() : model.error().message;
    }
    for (const auto& [ending, kind] : kinds)
        if (path.stem().extension() == ending) {
            Result<DataFile> data = read_data(path.string(), kind);
            return data ? Summary(*data).text() : data.error().message;
        }
    return "of no kind";
}

TEST(Corpus, IsReadAsOnnxReadsIt) {
    int files = 0;
    for (const auto& entry : std::filesystem::directory_iterator(NEREUS_SOURCE_DIR "/test/corpus/onnx")) {
        if (entry.path().extension() != ".onnx" && entry.path().extension() != ".pb") continue;
        ++files;
        EXPECT_EQ(summary_of(entry.path()), *read_file(entry.path().string() + ".txt")) << entry.path();
    }
    EXPECT_GE(files, 11);
}
} // namespace nereus::onnx
