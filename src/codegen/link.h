// codegen/link.h - an ELF object in, one position-independent blob out.
#pragma once
#include "base/result.h"
#include <cstddef>
#include <map>
#include <span>
#include <vector>

namespace nereus {
struct Linked {
    std::vector<std::byte> blob;                         // code, then constants; starts on a page when mapped
    std::map<std::string, size_t> entries;               // global functions
};

// Places .text* and .rodata* and resolves PC-relative references between them. Anything else, an undefined symbol or
// another kind of relocation, is an error that names it: it would be code that cannot run where the blob is mapped.
Result<Linked> link(std::span<const std::byte> object);
} // namespace nereus
