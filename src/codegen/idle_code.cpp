#include "codegen/idle_code.h"
#include <algorithm>
#include <link.h>
#include <llvm/TargetParser/Host.h>
#include <span>
#include <sys/mman.h>
#include <unistd.h>

namespace nereus {
namespace {
// Segments that nobody may write hold nothing but what is in the library's file.
int let_go_if_llvm(dl_phdr_info* object, size_t, void*) {
    const auto code_of_llvm = reinterpret_cast<uintptr_t>(&llvm::sys::getHostCPUName), page = uintptr_t(::getpagesize());
    auto begin = [&](const ElfW(Phdr) & segment) { return object->dlpi_addr + segment.p_vaddr; };
    const std::span segments(object->dlpi_phdr, object->dlpi_phnum);
    const bool is_llvm = std::ranges::any_of(segments, [&](const ElfW(Phdr) & each) {
        return each.p_type == PT_LOAD && begin(each) <= code_of_llvm && code_of_llvm < begin(each) + each.p_memsz;
    });
    if (!is_llvm) return 0;
    for (const ElfW(Phdr) & each : segments) {
        const uintptr_t from = (begin(each) + page - 1) / page * page, to = (begin(each) + each.p_memsz) / page * page;
        if (each.p_type == PT_LOAD && !(each.p_flags & PF_W) && from < to) ::madvise(reinterpret_cast<void*>(from), to - from, MADV_DONTNEED);
    }
    return 1;                                            // there is no other
}
} // namespace

void let_compiler_pages_go() { ::dl_iterate_phdr(let_go_if_llvm, nullptr); }
} // namespace nereus
