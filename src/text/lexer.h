// text/lexer.h - text to tokens; brackets are paired here, so that the parser can look past one at once.
#pragma once
#include "base/result.h"
#include "text/token.h"
#include <string>
#include <vector>

namespace nereus {
// The tokens refer to `text`, which must outlive them; the last one is `end`. `source` is written into their spans.
Result<std::vector<Token>> lex(std::string_view text, int32_t source);

// The characters between the quotes with escapes read: \n \t \r \0 \\ \" \xHH.
std::string unescape(std::string_view quoted);
bool is_keyword(std::string_view word);
} // namespace nereus
