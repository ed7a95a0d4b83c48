#include "tensor/texts.h"
#include "tensor/npy.h"
#include "tensor/text_tensor.h"
#include "tensor/utf8.h"
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <thread>

namespace nereus {
namespace {
// One letter go per number that a test made.
struct Letting {
    std::vector<Text> texts;
    Text make(std::string_view text) { return texts.emplace_back(intern(text)); }
    ~Letting() { let_go(texts); }
};
std::string word(int64_t i) { return "word number " + std::to_string(i); }
} // namespace

TEST(Texts, EqualTextsHaveEqualNumbers) {
    const int64_t before = texts_held();
    {
        Letting all;
        const Text a = all.make("apple"), b = all.make("pear"), again = all.make(std::string("app") + "le");
        EXPECT_EQ(a.number, again.number);
        EXPECT_NE(a.number, b.number);
        EXPECT_EQ(text_of(a), "apple");
        EXPECT_EQ(text_of(b), "pear");
        EXPECT_EQ(texts_held(), before + 2);
    }
    EXPECT_EQ(texts_held(), before);
}

TEST(Texts, TheEmptyTextIsZeroAndAlwaysThere) {
    EXPECT_EQ(intern("").number, 0u);
    EXPECT_EQ(text_of(Text()), "");
    const Text none;
    let_go(std::span(&none, 1));
    EXPECT_EQ(text_of(Text()), "");
    const std::string zero(1, '\0');
    Letting all;
    EXPECT_NE(all.make(zero).number, 0u);
    EXPECT_EQ(text_of(all.texts[0]), zero);
}

TEST(Texts, OneIsGoneWhenNobodyHoldsIt) {
    const int64_t before = texts_held();
    const Text a = intern("held twice");
    hold(std::span(&a, 1));
    let_go(std::span(&a, 1));
    EXPECT_EQ(text_of(a), "held twice");
    let_go(std::span(&a, 1));
    EXPECT_EQ(texts_held(), before);
    const Text b = intern("another");                    // numbers are given again
    EXPECT_EQ(b.number, a.number);
    let_go(std::span(&b, 1));
}

TEST(Texts, AMillionOverManyScopesLeaveNothing) {
    const int64_t before = texts_held();
    uint32_t largest = 0;
    for (int64_t call = 0; call < 100; ++call) {
        TextScope scope;
        for (int64_t i = 0; i < 10'000; ++i) largest = std::max(largest, scope.make(word(call * 10'000 + i)).number);
        EXPECT_EQ(texts_held(), before + 10'000);
    }
    EXPECT_EQ(texts_held(), before);
    EXPECT_LT(largest, 40'000u);                         // as many numbers as there were texts at one time, not as there ever were
}

TEST(Texts, AScopeHasALimit) {
    TextScope scope;
    scope.set_limit(1000);
    EXPECT_TRUE(scope.has_room(1000));
    scope.make(std::string(900, 'x'));
    EXPECT_FALSE(scope.has_room(100));
    scope.clear();
    EXPECT_TRUE(scope.has_room(1000));
}

TEST(Texts, ThreadsShareTheTable) {
    const int64_t before = texts_held();
    std::vector<std::thread> threads;
    std::atomic<int> wrong = 0;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (int round = 0; round < 200; ++round) {
                TextScope scope;
                std::vector<Text> made;
                for (int i = 0; i < 100; ++i) made.push_back(scope.make(word((i * (t + 1) + round) % 150)));       // mostly the same as others'
                for (int i = 0; i < 100; ++i) wrong += text_of(made[size_t(i)]) != word((i * (t + 1) + round) % 150);
            }
        });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(wrong, 0);
    EXPECT_EQ(texts_held(), before);
}

TEST(TextTensor, HoldsWhatItShows) {
    const int64_t before = texts_held();
    {
        const std::vector<std::string> words = {"a", "", "b", "a"};
        HostTensor made = *text_tensor({2, 2}, words), copy = made;
        made = HostTensor();
        EXPECT_EQ(text_at(copy, 2), "b");
        EXPECT_EQ(texts_held(), before + 2);
        HostTensor own = copy;
        (*own.mutable_data<Text>())[1] = copy.data<Text>()[2];       // does not change what holds
        HostTensor held = *holding(std::move(own));
        copy = HostTensor();
        EXPECT_EQ(text_at(held, 1), "b");
        EXPECT_EQ(text_at(held, 3), "a");
    }
    EXPECT_EQ(texts_held(), before);
    const std::vector<std::string> three = {"a", "b", "c"};
    EXPECT_EQ(text_tensor({2}, three).error().code, Code::shape);
    EXPECT_EQ(text_tensor({0, 3}, std::span<const std::string>())->count(), 0);
}

// As numpy.save writes np.array([['a', 'βγ'], ['', '😀']]), and the same in Fortran order.
static std::string numpy_file(std::string_view order, const std::u32string& codes) {
    std::string header = "{'descr': '<U2', 'fortran_order': " + std::string(order) + ", 'shape': (2, 2), }";
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
    std::string file("\x93NUMPY\x01\x00", 8);
    file += {char(header.size()), char(0)};
    file += header;
    return file.append(reinterpret_cast<const char*>(codes.data()), codes.size() * 4);
}
TEST(TextTensor, IsReadFromNpyAndWritten) {
    const std::u32string rows(U"a\0\u03b2\u03b3\0\0\U0001f600\0", 8), columns(U"a\0\0\0\u03b2\u03b3\U0001f600\0", 8);
    const std::vector<std::string> words = {"a", "\u03b2\u03b3", "", "\U0001f600"};
    for (const std::string& file : {numpy_file("False", rows), numpy_file("True", columns)}) {
        Result<HostTensor> read = parse_npy(file);
        ASSERT_TRUE(read) << read.error().message;
        EXPECT_EQ(read->shape(), (Extents{2, 2}));
        for (int64_t i = 0; i < 4; ++i) EXPECT_EQ(text_at(*read, i), words[size_t(i)]);
        const std::string written = to_npy(*read);
        EXPECT_NE(written.find("'<U2'"), written.npos);
        EXPECT_EQ(texts_of(*parse_npy(written)), texts_of(*read));
    }
    EXPECT_EQ(parse_npy(numpy_file("False", rows.substr(1))).error().code, Code::parse);
    std::string object = numpy_file("False", rows);
    object.replace(object.find("<U2"), 3, "|O ");
    EXPECT_FALSE(parse_npy(object));
}
TEST(TextTensor, BytesThatAreNoTextGoThroughNpy) {
    const std::vector<std::string> words = {"\xff\x80", "a\xc3", "\xed\xa0\x80", ""};
    HostTensor made = *text_tensor({4}, words);
    EXPECT_EQ(texts_of(*parse_npy(to_npy(made))), texts_of(made));
}

TEST(Utf8, LettersAndWhatIsNone) {
    EXPECT_EQ(letter_at("\u00e9", 0).code, U'\u00e9');
    EXPECT_EQ(letter_at("\U0001f600", 0).bytes, 4u);
    for (std::string_view bad : {"\x80", "\xc3", "\xc0\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xf4\x90\x80\x80", "\xe2\x82"}) {
        EXPECT_EQ(letter_at(bad, 0).code, not_a_letter) << bad;
        EXPECT_EQ(letter_at(bad, 0).bytes, 1u);
    }
    std::string all;
    for (char32_t c : {U'a', U'\u00e9', U'\u20ac', U'\U0001f600'}) append_letter(all, c);
    EXPECT_EQ(all, "a\u00e9\u20ac\U0001f600");
}
} // namespace nereus
