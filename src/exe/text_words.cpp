#include "exe/text_words.h"
#include <charconv>

namespace nereus {
namespace {
bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool digit(char c) { return c >= '0' && c <= '9'; }
} // namespace

bool is_word(std::string_view text) {
    if (text.empty() || !letter(text[0])) return false;
    for (char c : text)
        if (!letter(c) && !digit(c)) return false;
    return true;
}

TextToken TokenReader::take() {
    TextToken taken = std::move(next_);
    advance();
    return taken;
}
bool TokenReader::take_sign(std::string_view sign) {
    if (next_.kind != TextToken::Kind::sign || next_.text != sign) return false;
    advance();
    return true;
}
bool TokenReader::take_word(std::string_view word) {
    if (next_.kind != TextToken::Kind::word || next_.text != word) return false;
    advance();
    return true;
}

void TokenReader::advance() {
    next_ = TextToken();
    while (at_ < text_.size()) {
        char c = text_[at_];
        if (c == ';') while (at_ < text_.size() && text_[at_] != '\n') ++at_;
        else if (c == '\n') ++line_, ++at_;
        else if (c == ' ' || c == '\t' || c == '\r') ++at_;
        else break;
    }
    next_.line = line_;
    if (at_ == text_.size()) return;
    char c = text_[at_];
    size_t end = at_ + 1;
    if (c == '"') return string();
    if (letter(c)) {
        while (end < text_.size() && (letter(text_[end]) || digit(text_[end]))) ++end;
        next_.kind = TextToken::Kind::word;
    } else if (digit(c) || (c == '-' && end < text_.size() && digit(text_[end]))) {
        while (end < text_.size() && digit(text_[end])) ++end;
        next_.kind = TextToken::Kind::number;
        auto [stop, failure] = std::from_chars(text_.data() + at_, text_.data() + end, next_.number);
        if (failure != std::errc()) mistake_ = "a number over 64 bits";
    } else {
        if (c == '-' && end < text_.size() && text_[end] == '>') ++end;
        next_.kind = TextToken::Kind::sign;
    }
    next_.text = text_.substr(at_, end - at_);
    at_ = end;
}

void TokenReader::string() {
    next_.kind = TextToken::Kind::string;
    for (++at_; at_ < text_.size() && text_[at_] != '"' && text_[at_] != '\n'; ++at_) {
        char c = text_[at_];
        if (c == '\\' && at_ + 1 < text_.size()) {
            c = text_[++at_];
            if (c == 'n') c = '\n';
            if (c == 'x') {
                uint8_t code = 0;
                if (at_ + 2 >= text_.size() ||
                    std::from_chars(text_.data() + at_ + 1, text_.data() + at_ + 3, code, 16).ptr !=
                        text_.data() + at_ + 3)
                    mistake_ = "\\x takes two hexadecimal digits";
                c = char(code);
                at_ = std::min(at_ + 2, text_.size() - 1);
            }
        }
        next_.text += c;
    }
    if (at_ == text_.size() || text_[at_] != '"') mistake_ = "a string that does not end";
    else ++at_;
}
} // namespace nereus
