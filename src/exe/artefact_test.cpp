#include "exe/artefact.h"
#include "base/file.h"
#include "exe/checksum.h"
#include "exe/samples.h"
#include "exe/text.h"
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>
#include <random>
#include <unistd.h>

namespace nereus {
static Executable sample() { return std::move(*assemble(sample_program)); }
// Bytes of that many, all different from their neighbours.
static HeldBytes weight_of(size_t count, int first) {
    std::vector<std::byte> bytes;
    for (size_t i = 0; i < count; ++i) bytes.push_back(std::byte(uint8_t(first + int(i))));
    return HeldBytes::copy_of(bytes);
}
static Executable sample_with_weights() {
    Executable exe = sample();
    exe.weights = {weight_of(1000, 5), weight_of(0, 0), weight_of(64, 9), weight_of(3, 1)};
    return exe;
}
// A file of this test, gone with it.
struct TestFile {
    std::string path;
    explicit TestFile(const char* name) : path((std::filesystem::temp_directory_path() / (name + std::to_string(::getpid()))).string()) {}
    ~TestFile() { std::filesystem::remove(path); }
};
static bool refused(std::span<const std::byte> bytes) {
    Result<Executable> exe = load(bytes);
    return !exe && (exe.error().code == Code::corrupt || exe.error().code == Code::mismatch);
}

TEST(Artefact, SavedAndLoadedIsEqual) {
    Executable exe = sample_with_weights();
    std::vector<std::byte> bytes = *save(exe);
    EXPECT_EQ(bytes, *save(exe));
    Result<Executable> loaded = load(bytes);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_TRUE(*loaded == exe);
    uint64_t weights, blob;
    std::memcpy(&weights, bytes.data() + 48, 8);
    std::memcpy(&blob, bytes.data() + 64, 8);
    EXPECT_EQ(weights % 4096, 0u);
    EXPECT_EQ(blob % 4096, 0u);
    EXPECT_EQ(bytes[size_t(weights)], std::byte(5));
    EXPECT_EQ(bytes[size_t(weights) + 1024], std::byte(9));       // each at a multiple of 64
}

TEST(Artefact, AFileIsUsedWhereItIs) {
    const TestFile file("nereus_artefact_");
    Executable exe = sample_with_weights();
    ASSERT_TRUE(save_file(exe, file.path));
    EXPECT_EQ(std::filesystem::file_size(file.path), save(exe)->size());
    Result<Executable> loaded = load_file(file.path), again = load_file(file.path);
    ASSERT_TRUE(loaded && again);
    EXPECT_TRUE(*loaded == exe);
    EXPECT_EQ(uintptr_t(loaded->weights[0].data()) % 4096, 0u);
    EXPECT_EQ(uintptr_t(loaded->weights[2].data()) % 64, 0u);
    EXPECT_EQ(loaded->weights[0].data(), again->weights[0].data());
    ASSERT_TRUE(save_file(sample(), file.path));                  // another of its name: whoever has the first keeps it
    EXPECT_TRUE(*loaded == exe);
    EXPECT_TRUE(*load_file(file.path) == sample());
}

TEST(Artefact, AFileOfAnyLengthIsRefusedButTheWhole) {
    const TestFile file("nereus_short_");
    const std::vector<std::byte> bytes = *save(sample_with_weights());
    for (size_t size : {size_t(0), size_t(7), size_t(79), size_t(4096), size_t(4097), bytes.size() - 1, bytes.size() + 1}) {
        std::vector<std::byte> cut = bytes;
        cut.resize(size);
        ASSERT_TRUE(write_file(file.path, std::span<const std::byte>(cut)));
        EXPECT_EQ(load_file(file.path).error().code, Code::corrupt) << size;
    }
    EXPECT_EQ(load_file("/nowhere/at/all").error().code, Code::io);
}

TEST(Artefact, WeightsBesideItStayWhereTheyAre) {
    Executable exe = sample_with_weights();
    std::vector<std::byte> bytes = *save_without_weights(exe);
    EXPECT_LT(bytes.size(), save(exe)->size());
    Result<Executable> loaded = load_with_weights(bytes, exe.weights);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_TRUE(*loaded == exe);
    for (size_t i = 0; i < exe.weights.size(); ++i) EXPECT_EQ(loaded->weights[i].data(), exe.weights[i].data());
    EXPECT_TRUE(refused(bytes));                                  // without them it is not whole
    EXPECT_EQ(load_with_weights(bytes, {exe.weights[0]}).error().code, Code::corrupt);
    EXPECT_EQ(load_with_weights(*save(exe), exe.weights).error().code, Code::corrupt);
    std::swap(exe.weights[0], exe.weights[2]);
    EXPECT_EQ(load_with_weights(bytes, exe.weights).error().code, Code::corrupt);
}

TEST(Artefact, WeightsOutsideOfTheirSectionAreRefused) {
    std::vector<std::byte> good = *save(sample_with_weights());
    const uint64_t sizes[4] = {1000, 0, 64, 3};
    const std::span<const std::byte> wanted = std::as_bytes(std::span(sizes));
    const auto table = std::search(good.begin(), good.end(), wanted.begin(), wanted.end());
    ASSERT_NE(table, good.end());
    for (uint64_t size : {uint64_t(0), uint64_t(4), uint64_t(4000), UINT64_MAX, UINT64_MAX - 1024, uint64_t(1) << 63}) {
        std::vector<std::byte> bytes = good;
        std::memcpy(bytes.data() + (table - good.begin()) + 24, &size, 8);
        seal(bytes);
        EXPECT_TRUE(refused(bytes)) << size;
    }
}

TEST(Artefact, EveryTruncationIsRefused) {
    std::vector<std::byte> bytes = *save(sample_with_weights());
    for (size_t size = 0; size < bytes.size(); ++size) ASSERT_TRUE(refused(std::span(bytes).first(size))) << size;
}

TEST(Artefact, EveryFlippedByteIsRefused) {
    std::vector<std::byte> bytes = *save(sample_with_weights());
    for (size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] ^= std::byte(1 << (i % 8));
        ASSERT_TRUE(refused(bytes)) << i;
        bytes[i] ^= std::byte(1 << (i % 8));
    }
}

// Behind a right checksum: any damage loads as another well-formed program or is refused, and never does more.
TEST(Artefact, SealedDamageIsRefusedOrWellFormed) {
    const std::vector<std::byte> good = *save(sample_with_weights());
    std::mt19937 random(11);
    uint64_t tables;
    std::memcpy(&tables, good.data() + 40, 8);
    for (int round = 0; round < 20'000; ++round) {
        std::vector<std::byte> bytes = good;
        for (unsigned k = random() % 4 + 1; k-- > 0;) {
            size_t at = 32 + random() % (48 + tables);
            switch (random() % 4) {
            case 0: bytes[at] = std::byte(random()); break;
            case 1: bytes[at] = std::byte(0xff); break;
            case 2: std::memset(bytes.data() + at, 0xff, 4); break;
            case 3: bytes[at] = std::byte(uint8_t(bytes[at]) + 1); break;
            }
        }
        seal(bytes);
        ASSERT_TRUE(load(bytes) || refused(bytes));
    }
}

TEST(Artefact, OtherVersionsAndTargetsAreAMismatch) {
    std::vector<std::byte> bytes = *save(sample());
    bytes[8] = std::byte(artefact_version + 1);
    EXPECT_EQ(load(bytes).error().message, "the artefact has version " + std::to_string(artefact_version + 1) + ", this runtime reads version " + std::to_string(artefact_version));
    Executable exe = sample();
    exe.target = "riscv64";
    EXPECT_EQ(load(*save(exe)).error().code, Code::mismatch);
    EXPECT_EQ(check_target("x86-64-v9").error().message,
              "the program was compiled for 'x86-64-v9', which this runtime does not know");
    EXPECT_TRUE(check_target("x86-64"));
}

TEST(Artefact, ChecksumOfPiecesIsThatOfTheWhole) {
    std::vector<std::byte> bytes(200);
    std::mt19937 random(3);
    for (std::byte& byte : bytes) byte = std::byte(random());
    for (int round = 0; round < 1000; ++round) {
        const std::span<const std::byte> whole = std::span(bytes).first(random() % 200);
        Checksum pieces(7);
        for (size_t at = 0, count; at < whole.size(); at += count) {
            count = std::min<size_t>(random() % 70, whole.size() - at);
            pieces.add(whole.subspan(at, count));
        }
        ASSERT_EQ(pieces.sum(), checksum(whole, 7));
    }
}

TEST(Artefact, ChecksumSeesEveryByte) {
    std::vector<std::byte> bytes(100);
    for (size_t length = 0; length < bytes.size(); ++length) {
        uint64_t plain = checksum(std::span(bytes).first(length));
        EXPECT_NE(plain, checksum(std::span(bytes).first(length + 1)));
        for (size_t i = 0; i < length; ++i) {
            bytes[i] = std::byte(1);
            EXPECT_NE(plain, checksum(std::span(bytes).first(length)));
            bytes[i] = std::byte(0);
        }
    }
}
} // namespace nereus
