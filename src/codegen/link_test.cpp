#include "codegen/link.h"
#include "codegen/kernel_case.h"
#include <elf.h>
#include <gtest/gtest.h>

namespace nereus::test {
namespace {
// A minimal object: four bytes of text, one relocation of a chosen kind against a chosen symbol.
struct Object {
    Bytes bytes;
    Object(uint32_t kind, bool defined, const char* section = ".text", uint64_t flags = SHF_ALLOC | SHF_EXECINSTR) {
        std::string names = std::string("\0", 1) + section + '\0', strings = std::string("\0helper\0", 8);
        auto put = [&](const void* data, size_t size) {
            size_t at = bytes.size();
            const std::byte* from = static_cast<const std::byte*>(data);
            bytes.insert(bytes.end(), from, from + size);
            return at;
        };
        Elf64_Ehdr header{};
        put(&header, sizeof header);
        uint32_t code = 0x90909090;
        size_t text = put(&code, 4), name = put(names.data(), names.size()), string = put(strings.data(), strings.size());
        Elf64_Sym symbols[2] = {};
        symbols[1] = {1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), 0, uint16_t(defined ? 1 : 0), 0, 4};
        size_t symbol = put(symbols, sizeof symbols);
        Elf64_Rela rela{0, ELF64_R_INFO(1, kind), -4};
        size_t relas = put(&rela, sizeof rela);
        Elf64_Shdr sections[6] = {};
        sections[1] = {1, SHT_PROGBITS, flags, 0, text, 4, 0, 0, 16, 0};
        sections[2] = {0, SHT_STRTAB, 0, 0, name, names.size(), 0, 0, 1, 0};
        sections[3] = {0, SHT_STRTAB, 0, 0, string, strings.size(), 0, 0, 1, 0};
        sections[4] = {0, SHT_SYMTAB, 0, 0, symbol, sizeof symbols, 3, 1, 8, sizeof(Elf64_Sym)};
        sections[5] = {0, SHT_RELA, 0, 0, relas, sizeof rela, 4, 1, 8, sizeof(Elf64_Rela)};
        size_t table = put(sections, sizeof sections);
        std::memcpy(header.e_ident, ELFMAG, SELFMAG);
        header.e_type = ET_REL;
        header.e_machine = EM_X86_64;
        header.e_shoff = table;
        header.e_shnum = 6;
        header.e_shstrndx = 2;
        std::memcpy(bytes.data(), &header, sizeof header);
    }
};
} // namespace

TEST(Link, ResolvesLocalReferences) {
    Result<Linked> linked = link(Object(R_X86_64_PLT32, true).bytes);
    ASSERT_TRUE(linked) << linked.error().message;
    EXPECT_EQ(linked->entries.at("helper"), 0u);
    EXPECT_EQ(as<int32_t>(linked->blob)[0], -4);
}
TEST(Link, NamesWhatItRefuses) {
    EXPECT_EQ(link(Object(R_X86_64_GOTPCREL, true).bytes).error().message,
              "linking machine code: relocation of kind 9 against 'helper'");
    EXPECT_EQ(link(Object(R_X86_64_PLT32, false).bytes).error().message, "linking machine code: undefined symbol 'helper'");
    EXPECT_EQ(link(Object(R_X86_64_PC32, true, ".data", SHF_ALLOC | SHF_WRITE).bytes).error().message,
              "linking machine code: unexpected section '.data'");
}
TEST(Link, TruncatedObjectsAreErrors) {
    Bytes whole = Object(R_X86_64_PC32, true).bytes;
    for (size_t size = 0; size < whole.size(); ++size) (void)link(std::span(whole.data(), size));
    EXPECT_FALSE(link({}));
}

TEST(Codegen, ManyKernelsShareABlob) {
    Target target = *target_named("host");
    std::vector<loop::Scheduled> kernels;
    for (const char* op : {"add", "mul", "max"})
        kernels.push_back(*schedule(parsed(("kernel k(a: f32, b: f32, y: out f32) { parallel g; y[g] = " + std::string(op) +
                                            "(a[g], b[g]) }").c_str()), target.machine));
    Result<MachineCode> code = codegen(kernels, target);
    ASSERT_TRUE(code);
    ASSERT_EQ(code->entries.size(), 3u);
    EXPECT_EQ(codegen(kernels, target)->blob, code->blob);      // the same bytes on every run
    EXPECT_NE(llvm_text(kernels[0], target).find("fadd"), std::string::npos);
    EXPECT_EQ(target_named("z80").error().code, Code::usage);
}
} // namespace nereus::test
