// tensor/utf8.h - the characters of a text, one after the other.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

namespace nereus {
struct Letter { char32_t code; size_t bytes; };
inline constexpr char32_t not_a_letter = 0x110000;           // the code of a byte that begins no character; it stands alone
Letter letter_at(std::string_view text, size_t at);
void append_letter(std::string& out, char32_t code);
} // namespace nereus
