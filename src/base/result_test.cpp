#include "base/file.h"
#include "base/id.h"
#include <gtest/gtest.h>
#include <thread>
#include <unistd.h>

namespace nereus {
static Result<int> half(int x) {
    if (x % 2) return Error{Code::value, "odd"};
    return x / 2;
}
static Result<int> quarter(int x) { return TRY(half(TRY(half(x)))); }

TEST(Result, TryPassesValuesAndErrors) {
    EXPECT_EQ(*quarter(12), 3);
    EXPECT_EQ(quarter(6).error().message, "odd");
}

TEST(Id, DefaultIsInvalid) {
    struct Tag;
    EXPECT_FALSE(Id<Tag>().valid());
    EXPECT_LT(Id<Tag>(1), Id<Tag>(2));
}

TEST(File, WriteIsAllOrNothing) {
    std::string path = testing::TempDir() + "/nereus_file_test";
    ASSERT_TRUE(write_file(path, "hello"));
    EXPECT_EQ(*read_file(path), "hello");
    EXPECT_EQ(write_file("/no/such/folder/x", "y").error().code, Code::io);
    EXPECT_EQ(read_file("/").error().code, Code::io);
    ::unlink(path.c_str());
}
TEST(File, ThreadsMayWriteTheSameOne) {
    const std::string path = testing::TempDir() + "/nereus_file_threads_test";
    ASSERT_TRUE(write_file(path, "begin"));
    auto write = [&path](char letter) {
        const std::string text(100'000, letter);
        for (int i = 0; i < 200; ++i) EXPECT_TRUE(write_file(path, text));
    };
    std::thread a(write, 'a'), b(write, 'b');
    for (int i = 0; i < 200; ++i) {
        const std::string text = *read_file(path);
        EXPECT_TRUE(text == "begin" || (text.size() == 100'000 && text.find_first_not_of(text[0]) == text.npos)) << "neither's";
    }
    a.join(), b.join();
    ::unlink(path.c_str());
}
TEST(File, LinksAndDevicesStayWhatTheyAre) {
    const std::string path = testing::TempDir() + "/nereus_file_test", link = path + "_link";
    ASSERT_TRUE(write_file(path, "one"));
    ASSERT_EQ(::symlink(path.c_str(), link.c_str()), 0);
    ASSERT_TRUE(write_file(link, "two"));
    EXPECT_EQ(*read_file(path), "two");
    EXPECT_TRUE(same_file(path, link));
    EXPECT_FALSE(same_file(path, path + "_none"));
    ASSERT_TRUE(write_file("/dev/null", "three"));
    EXPECT_EQ(*read_file("/dev/null"), "");
    EXPECT_EQ(write_file(testing::TempDir(), "four").error().code, Code::io);
    ::unlink(link.c_str());
    ::unlink(path.c_str());
}
TEST(Invariant, EndsGuardedWorkWithAnError) {
    Result<int> broken = guarded([]() -> Result<int> {
        invariant(false, "two and two make five");
        return 5;
    });
    ASSERT_FALSE(broken);
    EXPECT_EQ(broken.error().code, Code::internal);
    EXPECT_TRUE(broken.error().message.starts_with("two and two make five (")) << broken.error().message;
    EXPECT_EQ(guarded([]() -> Result<int> { return 4; }).take(), 4);
}
TEST(InvariantDeath, EndsTheProcessElsewhere) { EXPECT_DEATH(invariant(false, "nobody waits"), "invariant failed: nobody waits"); }
} // namespace nereus
