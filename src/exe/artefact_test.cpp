#include "exe/artefact.h"
#include "exe/checksum.h"
#include "exe/samples.h"
#include "exe/text.h"
#include <cstring>
#include <gtest/gtest.h>
#include <random>

namespace nereus {
static Executable sample() { return std::move(*assemble(sample_program)); }
static bool refused(std::span<const std::byte> bytes) {
    Result<Executable> exe = load(bytes);
    return !exe && (exe.error().code == Code::corrupt || exe.error().code == Code::mismatch);
}
// Makes the checksum right again, so that what is behind it is tested.
static void seal(std::vector<std::byte>& bytes) {
    uint64_t total = bytes.size(), sum = 0;
    std::memcpy(bytes.data() + 16, &total, 8);
    std::memcpy(bytes.data() + 24, &sum, 8);
    sum = checksum(std::span(bytes).subspan(80), checksum(std::span(bytes).first(80)));
    std::memcpy(bytes.data() + 24, &sum, 8);
}

TEST(Artefact, SavedAndLoadedIsEqual) {
    Executable exe = sample();
    exe.weights.assign(1000, std::byte(5));
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
}

TEST(Artefact, EveryTruncationIsRefused) {
    std::vector<std::byte> bytes = *save(sample());
    for (size_t size = 0; size < bytes.size(); ++size) ASSERT_TRUE(refused(std::span(bytes).first(size))) << size;
}

TEST(Artefact, EveryFlippedByteIsRefused) {
    std::vector<std::byte> bytes = *save(sample());
    for (size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] ^= std::byte(1 << (i % 8));
        ASSERT_TRUE(refused(bytes)) << i;
        bytes[i] ^= std::byte(1 << (i % 8));
    }
}

// Behind a right checksum: any damage loads as another well-formed program or is refused, and never does more.
TEST(Artefact, SealedDamageIsRefusedOrWellFormed) {
    const std::vector<std::byte> good = *save(sample());
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
    bytes[8] = std::byte(9);
    EXPECT_EQ(load(bytes).error().message, "the artefact has version 9, this runtime reads version " + std::to_string(artefact_version));
    Executable exe = sample();
    exe.target = "riscv64";
    EXPECT_EQ(load(*save(exe)).error().code, Code::mismatch);
    EXPECT_EQ(check_target("x86-64-v9").error().message,
              "the program was compiled for 'x86-64-v9', which this runtime does not know");
    EXPECT_TRUE(check_target("x86-64"));
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
