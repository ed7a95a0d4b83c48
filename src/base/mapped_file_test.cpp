#include "base/mapped_file.h"
#include "base/file.h"
#include "base/resident.h"
#include <filesystem>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

namespace nereus {
TEST(MappedFile, HasTheBytesOfTheFile) {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("nereus_mapped_" + std::to_string(::getpid()))).string();
    for (const std::string& text : {std::string("some bytes"), std::string(), std::string(100'000, 'x')}) {
        ASSERT_TRUE(write_file(path, text));
        Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
        ASSERT_TRUE(file) << file.error().message;
        EXPECT_EQ((*file)->bytes(), text);
    }
    std::filesystem::remove(path);
}

TEST(MappedFile, IsOneForAllWhoUseIt) {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("nereus_shared_" + std::to_string(::getpid()))).string();
    ASSERT_TRUE(write_file(path, std::string(100'000, 'x')));
    std::shared_ptr<const MappedFile> file = *MappedFile::open(path);
    EXPECT_EQ(*MappedFile::open(path), file);
    ASSERT_TRUE(write_file(path, std::string(100'000, 'y')));        // another file of that name
    std::shared_ptr<const MappedFile> other = *MappedFile::open(path);
    EXPECT_NE(other, file);
    EXPECT_EQ(file->bytes(), std::string(100'000, 'x'));
    EXPECT_EQ(other->bytes(), std::string(100'000, 'y'));
    std::filesystem::remove(path);
}

TEST(MappedFile, WhatIsLetGoComesAgain) {
#ifdef NEREUS_THREAD_SANITIZER
    GTEST_SKIP() << "what the sanitizer keeps of memory is resident, too";
#endif
    const std::string path =
        (std::filesystem::temp_directory_path() / ("nereus_let_go_" + std::to_string(::getpid()))).string();
    const std::string text(std::size_t(64) << 20, 'x');
    ASSERT_TRUE(write_file(path, text));
    std::shared_ptr<const MappedFile> file = *MappedFile::open(path);
    const int64_t before = resident().now;
    EXPECT_EQ(file->bytes(), text);
    EXPECT_GT(resident().now - before, int64_t(60) << 20);
    file->let_go(std::as_bytes(std::span(file->bytes())));
    EXPECT_LT(resident().now - before, int64_t(4) << 20);
    EXPECT_EQ(file->bytes(), text);
    file->let_go(std::as_bytes(std::span(text)));                    // none of its own: stays
    EXPECT_EQ(file->bytes(), text);
    std::filesystem::remove(path);
}

TEST(MappedFile, APipeIsRead) {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("nereus_pipe_" + std::to_string(::getpid()))).string();
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    std::thread writer([&path] { EXPECT_TRUE(write_file(path, std::string_view("through a pipe"))); });
    Result<std::shared_ptr<const MappedFile>> file = MappedFile::open(path);
    writer.join();
    std::filesystem::remove(path);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_EQ((*file)->bytes(), "through a pipe");
}

TEST(MappedFile, WhatCannotBeReadIsAnError) {
    EXPECT_EQ(MappedFile::open("/nowhere/at/all").error().message,
              "cannot read '/nowhere/at/all': No such file or directory");
    EXPECT_EQ(MappedFile::open("/").error().code, Code::io);
}
} // namespace nereus
