#include "value/npz.h"
#include "value/compare.h"
#include "value/zip.h"
#include "tensor/npy.h"
#include <gtest/gtest.h>
#include <random>

namespace nereus {
namespace {
Value floats(std::initializer_list<float> items) { return Value::tensor(HostTensor::of<float>({int64_t(items.size())}, items)); }
Value number(int64_t value) { return Value::tensor(HostTensor::scalar(value)); }

Value every_kind() {
    Value layer = Value::record({{"w", floats({1, 2})}, {"b", Value::tensor(HostTensor::of<double>({}, {0.5}))}});
    Value list = Value::ctor("Cons", {floats({3}), Value::ctor("Cons", {floats({}), Value::ctor("Nil")})});
    return Value::record({{"layers", Value::tuple({layer, layer})}, {"list", list}, {"steps", number(7)},
                          {"seq", Value::seq({number(1), Value::seq({}), Value::tuple({})})},
                          {"flag", Value::tensor(HostTensor::scalar(true))}});
}

std::vector<std::string> names_in(const std::string& file) {
    std::vector<std::string> names;
    const std::vector<ZipMember> members = *parse_zip(file);
    for (const ZipMember& member : members) names.push_back(member.name);
    return names;
}
std::string archive(const std::vector<std::string>& paths) {
    std::vector<ZipMember> members;
    for (const std::string& path : paths) members.push_back({path + ".npy", to_npy(HostTensor::scalar(int64_t(1)))});
    return *to_zip(members);
}
} // namespace

TEST(Npz, GivesBackWhatWasSaved) {
    const Value values[] = {every_kind(), floats({1, 2, 3}), Value(), Value::seq({}), Value::ctor("None"),
                            Value::tuple({number(1), number(2)}), Value::seq({floats({1})}), Value::ctor("Leaf", {number(3)})};
    for (const Value& value : values) {
        Result<std::string> file = to_npz(value);
        ASSERT_TRUE(file) << file.error().message;
        Result<Value> back = parse_npz(*file);
        ASSERT_TRUE(back) << back.error().message;
        EXPECT_FALSE(compare(*back, value));
        EXPECT_EQ(*to_npz(*back), *file);
    }
}

TEST(Npz, NamesArraysByTheirPaths) {
    const std::vector<std::string> expected{
        "layers.0.w.npy", "layers.0.b.npy", "layers.1.w.npy", "layers.1.b.npy", "list.Cons.0.npy", "list.Cons.1.Cons.0.npy",
        "list.Cons.1.Cons.1.Nil.npy", "steps.npy", "seq[0].npy", "seq[1][].npy", "seq[2]().npy", "flag.npy"};
    EXPECT_EQ(names_in(*to_npz(every_kind())), expected);
}

TEST(Npz, TakesAPart) {
    const std::string file = *to_npz(every_kind());
    EXPECT_FALSE(compare(*parse_npz(file, "layers.1.w"), floats({1, 2})));
    EXPECT_FALSE(compare(*parse_npz(file, "seq[1]"), Value::seq({})));
    EXPECT_FALSE(compare(*parse_npz(file, "list.Cons.1.Cons.1"), Value::ctor("Nil")));
    Result<Value> none = parse_npz(file, "layer");
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().message, "npz: nothing is at 'layer'");
}

TEST(Npz, ALongListIsRefusedOrRead) {
    Value list = Value::ctor("Nil");
    for (int i = 0; i < 3000; ++i) list = Value::ctor("Cons", {number(i), list});
    Result<std::string> file = to_npz(list);
    ASSERT_TRUE(file) << file.error().message;
    EXPECT_FALSE(compare(*parse_npz(*file), list));
    Value deep = number(0);
    for (int i = 0; i < 200'000; ++i) deep = Value::tuple({deep});
    EXPECT_EQ(to_npz(deep).error().code, Code::limit);
}

struct Refused { std::vector<std::string> paths; std::string message; };
TEST(Npz, RefusesNamesThatMakeNoValue) {
    const Refused cases[] = {
        {{"a", "a"}, "npz: 'a' is there twice"},
        {{"a", "a.b"}, "npz: 'a.b' does not fit the names before it: one place holds one kind of value"},
        {{"a.b", "a"}, "npz: 'a' is there twice"},
        {{"a.0", "a.w"}, "npz: 'a.w' does not fit the names before it: one place holds one kind of value"},
        {{"a.0", "a[1]"}, "npz: 'a[1]' does not fit the names before it: one place holds one kind of value"},
        {{"A.0", "B.1"}, "npz: 'B.1' does not fit the names before it: one place holds one kind of value"},
        {{"A.0", "A"}, "npz: 'A' says that nothing is inside, but there is"},
        {{"a.0", "a.2"}, "npz: there is a 'a.0' with part 2 of only 2"},
        {{"a..b"}, "npz: the name 'a..b' is no path: expected a name or number at byte 2"},
        {{"a[x]"}, "npz: the name 'a[x]' is no path: expected a number at byte 3"},
        {{"a[1"}, "npz: the name 'a[1' is no path: expected a ']' at byte 3"},
        {{"a.01"}, "npz: the name 'a.01' is no path: expected a number at byte 4"},
        {{"a.99999999999999999999"}, "npz: the name 'a.99999999999999999999' is no path: expected a number at byte 22"},
        {{"a.Node.x"}, "npz: the name 'a.Node.x' is no path: expected a number at byte 8"},
        {{"a[].b"}, "npz: the name 'a[].b' is no path: expected the end, as nothing is inside at byte 3"},
        {{"a b"}, "npz: the name 'a b' is no path: expected a '.' or '[' at byte 1"},
        {{"Node[0]"}, "npz: the name 'Node[0]' is no path: expected a '.' and the number of an argument at byte 4"},
        {{}, "npz: no arrays"},
    };
    for (const Refused& c : cases) {
        Result<Value> read = parse_npz(archive(c.paths));
        ASSERT_FALSE(read) << c.message;
        EXPECT_EQ(read.error().message, c.message);
    }
}

TEST(Npz, AnythingMayBeWrongWithTheFile) {
    const std::string whole = *to_npz(every_kind());
    std::mt19937 random(7);
    int refused = 0;
    for (int i = 0; i < 20'000; ++i) {
        std::string file = whole;
        for (uint32_t changes = 1 + random() % 3; changes > 0; --changes)
            switch (random() % 4) {
            case 0: file.resize(random() % (file.size() + 1)); if (file.empty()) file = "P"; break;
            case 1: file.insert(random() % file.size(), 1 + random() % 40, char(random())); break;
            case 2: file.erase(random() % file.size(), 1 + random() % 40); if (file.empty()) file = "P"; break;
            default: file[file.size() - 1 - random() % std::min<size_t>(file.size(), random() % 2 ? 1200 : file.size())] = char(random());
            }
        Result<Value> read = parse_npz(file);
        refused += !read;
        if (!read) { EXPECT_NE(read.error().code, Code::internal); }
    }
    EXPECT_GT(refused, 15'000);
}

TEST(Npz, SizesAreNotBelieved) {
    std::string file = archive({"a"});
    auto with = [&](size_t from_directory, uint32_t value) {
        std::string changed = file;
        const size_t directory = changed.find("PK\1\2");
        for (size_t i = 0; i < 4; ++i) changed[directory + from_directory + i] = char(value >> (8 * i));
        return parse_npz(changed);
    };
    EXPECT_EQ(with(24, 0xfffffff0).error().message, "npz: 'a.npy' is stored with two sizes");
    EXPECT_EQ(with(20, 0xfffffff0).error().message, "npz: the members are larger than the file");
    EXPECT_EQ(with(24, 0xffffffff).error().code, Code::unsupported);
    EXPECT_EQ(with(42, 0xfffffff0).error().message, "npz: 'a.npy' is not where the directory says");
    EXPECT_EQ(with(16, 1).error().message, "npz: the checksum of 'a.npy' is wrong");
    file[file.find("PK\1\2") + 10] = 8;                    // deflated, it says
    EXPECT_EQ(with(24, 0xfffffff0).error().message, "npz: 'a.npy' cannot be as large as it says");
    EXPECT_EQ(with(24, 100).error().message, "npz: the deflated data of 'a.npy' is damaged");
    file[file.find("PK\1\2") + 10] = 12;
    EXPECT_EQ(with(24, 100).error().message, "npz: 'a.npy' is packed by method 12; numpy.savez and numpy.savez_compressed write what can be read");
}
} // namespace nereus
