// base/span.h - a place in source text, kept by everything that can be blamed in an error.
#pragma once
#include <cstdint>

namespace nereus {
struct Span {
    int32_t source = -1;                  // index in the module's list of source files; -1: no place
    int32_t line = 0, column = 0;         // both count from 1; columns count bytes
    int32_t length = 0;                   // bytes to underline, never past the end of the line
    bool known() const { return source >= 0; }
    bool operator==(const Span&) const = default;
};
} // namespace nereus
