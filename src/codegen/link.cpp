#include "codegen/link.h"
#include <cstring>
#include <elf.h>

namespace nereus {
namespace {
class Linker {
 public:
    explicit Linker(std::span<const std::byte> object) : object_(object) {}

    Result<Linked> run() {
        Elf64_Ehdr header;
        if (!read(0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_REL ||
            header.e_machine != EM_X86_64)
            return wrong("not an x86-64 object");
        for (size_t i = 0; i < header.e_shnum; ++i) {
            Elf64_Shdr section;
            if (!read(header.e_shoff + i * sizeof section, section)) return wrong("section table out of range");
            sections_.push_back(section);
        }
        if (header.e_shstrndx >= sections_.size()) return wrong("no section names");
        names_ = sections_[header.e_shstrndx].sh_offset;
        TRY(place());
        for (const Elf64_Shdr& section : sections_)
            if (section.sh_type == SHT_SYMTAB) TRY(read_symbols(section));
        for (const Elf64_Shdr& section : sections_)
            if (section.sh_type == SHT_RELA) TRY(relocate(section));
        return std::move(out_);
    }

 private:
    static Error wrong(const std::string& what) { return Error{Code::internal, "linking machine code: " + what}; }
    template <class T> bool read(uint64_t at, T& into) const {
        if (at > object_.size() || object_.size() - at < sizeof into) return false;
        std::memcpy(&into, object_.data() + at, sizeof into);
        return true;
    }
    std::string string_at(uint64_t at) const {
        std::string s;
        for (; at < object_.size() && object_[at] != std::byte(0); ++at) s += char(object_[at]);
        return s;
    }

    // Code first, then constants, so that the executable bytes are together.
    Status place() {
        places_.assign(sections_.size(), -1);
        for (bool code : {true, false})
            for (size_t i = 0; i < sections_.size(); ++i) {
                const Elf64_Shdr& s = sections_[i];
                bool loaded = s.sh_flags & SHF_ALLOC, executable = s.sh_flags & SHF_EXECINSTR;
                if (!loaded || executable != code || s.sh_size == 0) continue;
                std::string name = string_at(names_ + s.sh_name);
                if (s.sh_type == SHT_X86_64_UNWIND || name == ".eh_frame") continue;     // kernels never unwind
                bool known = name.starts_with(".text") || name.starts_with(".rodata");
                if (!known || s.sh_type != SHT_PROGBITS || (s.sh_flags & SHF_WRITE))
                    return wrong("unexpected section '" + name + "'");
                if (s.sh_offset > object_.size() || object_.size() - s.sh_offset < s.sh_size)
                    return wrong("section out of range");
                size_t align = s.sh_addralign ? s.sh_addralign : 1;
                size_t at = (out_.blob.size() + align - 1) / align * align;
                out_.blob.resize(at + s.sh_size);
                std::memcpy(out_.blob.data() + at, object_.data() + s.sh_offset, s.sh_size);
                places_[i] = int64_t(at);
            }
        return {};
    }

    Status read_symbols(const Elf64_Shdr& table) {
        if (table.sh_link >= sections_.size()) return wrong("no symbol names");
        uint64_t names = sections_[table.sh_link].sh_offset;
        for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.sh_size; at += sizeof(Elf64_Sym)) {
            Elf64_Sym symbol;
            if (!read(table.sh_offset + at, symbol)) return wrong("symbol table out of range");
            std::string name = string_at(names + symbol.st_name);
            bool here = symbol.st_shndx < sections_.size() && places_[symbol.st_shndx] >= 0;
            int64_t place = here ? places_[symbol.st_shndx] + int64_t(symbol.st_value) : -1;
            symbols_.push_back({name, place});
            if (here && ELF64_ST_BIND(symbol.st_info) == STB_GLOBAL && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC)
                out_.entries[name] = size_t(place);
        }
        return {};
    }

    Status relocate(const Elf64_Shdr& table) {
        if (table.sh_info >= sections_.size()) return wrong("relocations of no section");
        int64_t base = places_[table.sh_info];
        if (base < 0) return {};                         // of a section that is not kept
        for (uint64_t at = 0; at + sizeof(Elf64_Rela) <= table.sh_size; at += sizeof(Elf64_Rela)) {
            Elf64_Rela r;
            if (!read(table.sh_offset + at, r)) return wrong("relocations out of range");
            uint64_t kind = ELF64_R_TYPE(r.r_info), number = ELF64_R_SYM(r.r_info);
            if (number >= symbols_.size()) return wrong("a relocation against no symbol");
            const Symbol& symbol = symbols_[number];
            if (kind != R_X86_64_PC32 && kind != R_X86_64_PLT32)
                return wrong("relocation of kind " + std::to_string(kind) + " against '" + symbol.name + "'");
            if (symbol.place < 0) return wrong("undefined symbol '" + symbol.name + "'");
            int64_t here = base + int64_t(r.r_offset), value = symbol.place + r.r_addend - here;
            uint64_t size = sections_[table.sh_info].sh_size;
            if (size < 4 || r.r_offset > size - 4) return wrong("a relocation outside its section");
            if (value != int32_t(value)) return wrong("code of more than 2 GiB");
            int32_t stored = int32_t(value);
            std::memcpy(out_.blob.data() + here, &stored, sizeof stored);
        }
        return {};
    }

    struct Symbol { std::string name; int64_t place; };
    std::span<const std::byte> object_;
    std::vector<Elf64_Shdr> sections_;
    std::vector<int64_t> places_;                        // offset of each section in the blob; -1: not kept
    std::vector<Symbol> symbols_;
    uint64_t names_ = 0;
    Linked out_;
};
} // namespace

Result<Linked> link(std::span<const std::byte> object) { return Linker(object).run(); }
} // namespace nereus
