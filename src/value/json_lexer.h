// value/json_lexer.h - JSON text as tokens (RFC 8259, strict). Holds one string at a time.
#pragma once
#include "base/result.h"
#include <string>
#include <string_view>

namespace nereus {
class JsonLexer {
 public:
    enum class Kind : uint8_t {
        object_begin, object_end, list_begin, list_end, colon, comma, string, number, word, end
    };
    struct Token {
        Kind kind = Kind::end;
        size_t start = 0;                          // offset in the text
        std::string_view text = {};                // of a string: unescaped, until the next token
    };

    explicit JsonLexer(std::string_view text, size_t start = 0) : text_(text), position_(start) {}
    Result<Token> next();
    // An error whose message begins with the line and column of an offset.
    Error error_at(size_t offset, Code code, const std::string& what) const;

 private:
    Result<Token> read_number();
    Result<Token> read_string();
    Status read_escape();
    Result<uint32_t> read_hex4();
    Status read_utf8();

    std::string_view text_;
    size_t position_;
    std::string string_;
};

// "a string", "'{'", for errors.
std::string_view token_text(JsonLexer::Kind kind);
} // namespace nereus
