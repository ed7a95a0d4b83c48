#include "base/mapped_file.h"
#include "base/file.h"
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
        Result<std::unique_ptr<const MappedFile>> file = MappedFile::open(path);
        ASSERT_TRUE(file) << file.error().message;
        EXPECT_EQ((*file)->bytes(), text);
    }
    std::filesystem::remove(path);
}

TEST(MappedFile, APipeIsRead) {
    const std::string path =
        (std::filesystem::temp_directory_path() / ("nereus_pipe_" + std::to_string(::getpid()))).string();
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    std::thread writer([&path] { EXPECT_TRUE(write_file(path, std::string_view("through a pipe"))); });
    Result<std::unique_ptr<const MappedFile>> file = MappedFile::open(path);
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
