// text/format_source.h - the layout of a program: spaces between tokens and at the beginning of lines. Which tokens stand on
// which line is the author's choice and stays, because newlines end statements; so do comments. Only a line that is too
// long is broken (text/wrap_lines.h).
#pragma once
#include "base/result.h"
#include <string>
#include <string_view>

namespace nereus {
// The same tokens, on the same lines where these are not too long, or the error of the lexer. Formatting what is formatted changes nothing.
Result<std::string> format_source(std::string_view text);
} // namespace nereus
