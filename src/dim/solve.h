// dim/solve.h - at the door: the values of symbols from the sizes of actual arguments.
#pragma once
#include "dim/dims.h"
#include <span>

namespace nereus {
struct Observation {
    Dim expression;                        // as the signature says
    int64_t value;                         // as found
    std::string place = {};                // of the axis, for the message: `%x axis 1`; may be empty
};

// Indexed by Sym; nullopt for a symbol that no observation mentions.
using SymbolValues = std::vector<std::optional<int64_t>>;

// First every expression that is a lone symbol, then, until nothing new is found, every one that is a*s + b with one
// unknown s; then all are verified. `known` gives values that are decided already. Errors have Code::shape and say
// `expected 2*n = 8, found 7`; a symbol that is mentioned and stays open is an error too.
Result<SymbolValues> solve(const Dims& dims, std::span<const Observation> observed, SymbolValues known = {});
} // namespace nereus
