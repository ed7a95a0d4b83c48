#include "api/size_binding.h"
#include <gtest/gtest.h>

namespace nereus::api {
namespace {
EntryInfo entry_with(std::vector<std::string> sizes) {
    EntryInfo entry;
    entry.name = "main";
    entry.size_names = std::move(sizes);
    return entry;
}

TEST(SizeBinding, SumsOfProducts) {
    EntryInfo entry = entry_with({"n", "2*d", "n*d + 3*n - 1", "4", "n*n"});
    EXPECT_EQ(symbols_of(entry), (std::vector<std::string>{"n", "d"}));
    Result<std::vector<int64_t>> sizes = bind_sizes(entry, {{"n", 5}, {"d", 7}});
    ASSERT_TRUE(sizes) << sizes.error().message;
    EXPECT_EQ(*sizes, (std::vector<int64_t>{5, 14, 49, 4, 25}));
}

TEST(SizeBinding, OthersByTheirText) {
    EntryInfo entry = entry_with({"n", "(n + 1)//2"});
    EXPECT_EQ(symbols_of(entry), (std::vector<std::string>{"n", "(n + 1)//2"}));
    EXPECT_EQ(*bind_sizes(entry, {{"n", 5}, {"(n + 1)//2", 3}}), (std::vector<int64_t>{5, 3}));
}

TEST(SizeBinding, Refusals) {
    EntryInfo entry = entry_with({"n", "n*n - 2"});
    EXPECT_EQ(bind_sizes(entry, {}).error().message, "size n has no number");
    EXPECT_EQ(bind_sizes(entry, {{"n", 2}, {"m", 2}}).error().message, "no argument of @main has a size m");
    EXPECT_EQ(bind_sizes(entry, {{"n", -1}}).error().code, Code::value);
    EXPECT_EQ(bind_sizes(entry, {{"n", 1}}).error().message, "size n*n - 2 is negative or too large");
    EXPECT_EQ(bind_sizes(entry, {{"n", INT64_MAX}}).error().code, Code::value);
}
} // namespace
} // namespace nereus::api
