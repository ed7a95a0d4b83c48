#include "value/json_lexer.h"
#include <algorithm>

namespace nereus {
namespace {
bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::string& out, uint32_t code) {
    auto tail = [&out](uint32_t bits) { out += char(0x80 | (bits & 0x3f)); };
    if (code < 0x80) { out += char(code); return; }
    if (code < 0x800) { out += char(0xc0 | code >> 6); tail(code); return; }
    if (code < 0x10000) { out += char(0xe0 | code >> 12); tail(code >> 6); tail(code); return; }
    out += char(0xf0 | code >> 18);
    tail(code >> 12); tail(code >> 6); tail(code);
}
} // namespace

std::string_view token_text(JsonLexer::Kind kind) {
    switch (kind) {
    case JsonLexer::Kind::object_begin: return "'{'";
    case JsonLexer::Kind::object_end: return "'}'";
    case JsonLexer::Kind::list_begin: return "'['";
    case JsonLexer::Kind::list_end: return "']'";
    case JsonLexer::Kind::colon: return "':'";
    case JsonLexer::Kind::comma: return "','";
    case JsonLexer::Kind::string: return "a string";
    case JsonLexer::Kind::number: return "a number";
    case JsonLexer::Kind::word: return "a word";
    case JsonLexer::Kind::end: return "the end of the text";
    }
    return "";
}

Error JsonLexer::error_at(size_t offset, Code code, const std::string& what) const {
    std::string_view before = text_.substr(0, offset);
    int64_t line = 1 + std::count(before.begin(), before.end(), '\n');
    size_t line_start = before.rfind('\n') + 1;    // npos + 1 is 0: the first line
    std::string column = std::to_string(offset - line_start + 1);
    return Error{code, "line " + std::to_string(line) + ", column " + column + ": " + what};
}

Result<JsonLexer::Token> JsonLexer::next() {
    position_ = std::min(text_.find_first_not_of(" \t\r\n", position_), text_.size());
    size_t start = position_;
    if (start == text_.size()) return Token{Kind::end, start};
    char c = text_[start];
    if (c == '"') return read_string();
    if (c == '-' || is_digit(c)) return read_number();
    constexpr std::string_view marks = "{}[]:,";   // in the order of Kind
    if (size_t mark = marks.find(c); mark != marks.npos) {
        ++position_;
        return Token{Kind(mark), start, text_.substr(start, 1)};
    }
    for (std::string_view word : {"true", "false", "null"}) {
        if (!text_.substr(start).starts_with(word)) continue;
        position_ += word.size();
        return Token{Kind::word, start, word};
    }
    if (c == 'N' || c == 'I')
        return error_at(start, Code::parse, "not JSON: write \"nan\", \"inf\" or \"-inf\" as strings");
    return error_at(start, Code::parse, "this byte starts nothing in JSON");
}

Result<JsonLexer::Token> JsonLexer::read_number() {
    size_t start = position_;
    auto at = [this](char c) { return position_ < text_.size() && text_[position_] == c; };
    auto digits = [this] {
        size_t first = position_;
        while (position_ < text_.size() && is_digit(text_[position_])) ++position_;
        return position_ > first;
    };
    auto malformed = [this] { return error_at(position_, Code::parse, "expected a digit"); };
    if (at('-')) ++position_;
    if (at('0')) {
        ++position_;
        if (position_ < text_.size() && is_digit(text_[position_]))
            return error_at(start, Code::parse, "a number has no leading zeros");
    } else if (!digits()) return malformed();
    if (at('.')) {
        ++position_;
        if (!digits()) return malformed();
    }
    if (at('e') || at('E')) {
        ++position_;
        if (at('+') || at('-')) ++position_;
        if (!digits()) return malformed();
    }
    return Token{Kind::number, start, text_.substr(start, position_ - start)};
}

Result<JsonLexer::Token> JsonLexer::read_string() {
    size_t start = position_++;
    string_.clear();
    while (position_ < text_.size()) {
        unsigned char c = static_cast<unsigned char>(text_[position_]);
        if (c == '"') { ++position_; return Token{Kind::string, start, string_}; }
        if (c < 0x20) return error_at(position_, Code::parse, "a control character in a string");
        if (c == '\\') TRY(read_escape());
        else if (c >= 0x80) TRY(read_utf8());
        else { string_ += char(c); ++position_; }
    }
    return error_at(start, Code::parse, "this string does not end");
}

Status JsonLexer::read_escape() {
    size_t start = position_;
    position_ += 2;
    char c = start + 1 < text_.size() ? text_[start + 1] : '\0';
    constexpr std::string_view plain = "\"\\/bfnrt", meaning = "\"\\/\b\f\n\r\t";
    if (size_t i = plain.find(c); i != plain.npos) { string_ += meaning[i]; return {}; }
    if (c != 'u') return error_at(start, Code::parse, "unknown escape in a string");
    uint32_t code = TRY(read_hex4());
    if (code >= 0xd800 && code < 0xdc00 && text_.substr(position_).starts_with("\\u")) {
        position_ += 2;
        uint32_t low = TRY(read_hex4());
        if (low < 0xdc00 || low > 0xdfff) return error_at(start, Code::parse, "half of a surrogate pair");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    } else if (code >= 0xd800 && code <= 0xdfff) {
        return error_at(start, Code::parse, "half of a surrogate pair");
    }
    append_utf8(string_, code);
    return {};
}

Result<uint32_t> JsonLexer::read_hex4() {
    uint32_t code = 0;
    for (int i = 0; i < 4; ++i, ++position_) {
        constexpr std::string_view digits = "0123456789abcdefABCDEF";
        size_t digit = position_ < text_.size() ? digits.find(text_[position_]) : digits.npos;
        if (digit == digits.npos)
            return error_at(std::min(position_, text_.size()), Code::parse, "expected four hex digits after \\u");
        code = code * 16 + uint32_t(digit < 16 ? digit : digit - 6);
    }
    return code;
}

// Names go into messages and into JSON again, so bytes that are no UTF-8 stop here.
Status JsonLexer::read_utf8() {
    auto byte = [this](size_t i) { return position_ + i < text_.size() ? uint8_t(text_[position_ + i]) : 0u; };
    uint32_t lead = byte(0);
    size_t length = lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
    uint32_t code = lead & (0xffu >> (length + 1));
    bool valid = lead >= 0xc0 && lead < 0xf8;
    for (size_t i = 1; i < length; ++i) {
        valid = valid && (byte(i) & 0xc0) == 0x80;
        code = code << 6 | (byte(i) & 0x3f);
    }
    constexpr uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};   // longer forms than needed are invalid
    valid = valid && code >= least[length] && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    if (!valid) return error_at(position_, Code::parse, "bytes in a string that are not UTF-8");
    string_ += text_.substr(position_, length);
    position_ += length;
    return {};
}
} // namespace nereus
