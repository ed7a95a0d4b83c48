// ir/instantiate.h - a declaration's types with the arguments of one use put in.
#pragma once
#include "ir/module.h"

namespace nereus {
// The types of the fields of one constructor of `data`. `bound` are values for the dims the constructor binds; where
// it is shorter they stay the declaration's own symbols.
std::vector<TypeId> instantiate_fields(Module& module, TypeId data, uint32_t constructor, std::span<const Dim> bound = {});
// A type with dims put in for symbols, `dims[i]` for `symbols[i]`.
TypeId substitute_symbols(Module& module, TypeId type, std::span<const Sym> symbols, std::span<const Dim> dims);
} // namespace nereus
