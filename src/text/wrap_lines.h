// text/wrap_lines.h - breaks lines of a program that are too long, at brackets: what they hold gets a line per item.
#pragma once
#include "text/token.h"
#include <string>
#include <vector>

namespace nereus {
inline constexpr size_t longest_line = 100;              // columns, a comment behind the code not counted

// One round: every line that is too long and has a bracket that opens and closes on it is broken there; spaces and
// indentation are not set. Returns "" when there is none. `tokens` are those of `text`.
std::string break_long_lines(std::string_view text, const std::vector<Token>& tokens);
} // namespace nereus
