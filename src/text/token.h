// text/token.h - the smallest pieces of a program, with what layout needs to know about each.
#pragma once
#include "base/span.h"
#include <string_view>

namespace nereus {
enum class TokenKind : uint8_t {
    end,
    keyword,       // def, if, true …
    name,          // n, f32, matmul, _
    type_name,     // Tree, Leaf: begins with a capital
    value,         // %x; text without the %
    function,      // @f; text without the @
    integer,
    real,
    text,          // "…"; text between the quotes, escapes not yet read
    sign,          // brackets, operators, punctuation
};

struct Token {
    TokenKind kind = TokenKind::end;
    bool newline_before = false;          // a newline stands between the previous token and this one
    bool touches = false;                 // nothing stands between the previous token and this one
    uint16_t depth = 0;                   // brackets open around it
    uint32_t partner = 0;                 // a bracket's counterpart
    std::string_view text;
    Span span;
    uint64_t integer = 0;                 // integer: up to 2^63, which only a minus makes legal
    double real = 0;
};
inline constexpr int max_nesting = 1000;  // of brackets and of constructs that nest without one
} // namespace nereus
