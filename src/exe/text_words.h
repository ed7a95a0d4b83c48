// exe/text_words.h - the tokens of the text form of executables.
#pragma once
#include "base/result.h"
#include <string>
#include <string_view>

namespace nereus {
inline constexpr std::string_view relation_names[] = {"equal",   "not_equal",     "less",      "less_equal",
                                                      "greater", "greater_equal", "compatible"};

bool is_word(std::string_view text);                      // a letter or _, then letters, digits, _

struct TextToken {
    enum class Kind : uint8_t { word, number, string, sign, end } kind = Kind::end;
    std::string text;                                     // a string's content, without quotes and escapes
    int64_t number = 0;
    int line = 1;
};

// One token at a time; `;` begins a comment, line breaks are spaces. Numbers are decimal, perhaps negative.
class TokenReader {
 public:
    explicit TokenReader(std::string_view text) : text_(text) { advance(); }
    const TextToken& next() const { return next_; }
    TextToken take();
    bool take_sign(std::string_view sign);                // true, and past it, if it is next
    bool take_word(std::string_view word);
    std::string_view mistake() const { return mistake_; } // of the text itself; empty: none

 private:
    void advance();
    void string();
    std::string_view text_, mistake_;
    size_t at_ = 0;
    int line_ = 1;
    TextToken next_;
};
} // namespace nereus
