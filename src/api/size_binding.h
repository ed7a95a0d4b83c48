// api/size_binding.h - numbers for the sizes that an entry point observes, from numbers for its symbols.
#pragma once
#include "base/result.h"
#include "exe/executable.h"
#include <map>
#include <span>

namespace nereus::api {
using Bindings = std::map<std::string, int64_t, std::less<>>;

// The symbols of an entry's sizes, each once, in the order met: n and d for (n, 2*d).
std::vector<std::string> symbols_of(const EntryInfo& entry);
// The number of one size, as an entry names it, from those of its symbols.
Result<int64_t> bind_size(const std::string& size, const Bindings& bindings);
// Sizes are sums of products; one with a division, mod, min or max must be bound by its own text, "n//2".
// Refused: a symbol without a number, a number without a symbol (name); a negative size (value).
Result<std::vector<int64_t>> bind_sizes(const EntryInfo& entry, const Bindings& bindings);
} // namespace nereus::api
