#include "text/lexer.h"
#include "text/habits.h"
#include <algorithm>
#include <charconv>
#include <iterator>

namespace nereus {
namespace {
constexpr std::string_view keywords[] = {"def", "else",  "false", "fn",    "for",   "if",   "import", "in",
                                         "match", "new", "true",  "type",  "where", "while", "with",  "yield"};
static_assert(std::is_sorted(std::begin(keywords), std::end(keywords)));

// Longer ones first: the first that fits is taken.
constexpr std::string_view signs[] = {"->", "=>", "==", "!=", "<=", ">=", "&&", "||", "//", "..", "(", ")",
                                      "[",  "]",  "{",  "}",  ",",  ";",  ":",  ".",  "=",  "+",  "-", "*",
                                      "/",  "<",  ">",  "!",  "|",  "?"};

// Not <cctype>: that asks the locale.
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return is_lower(c) || is_upper(c) || c == '_'; }
bool is_word(char c) { return is_letter(c) || is_digit(c); }
int hex_value(char c) {
    if (is_digit(c)) return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

class Lexer {
 public:
    Lexer(std::string_view text, int32_t source) : text_(text), source_(source) {}

    Result<std::vector<Token>> run() {
        if (text_.size() > size_t(INT32_MAX))
            return Error{Code::limit, "a source file has more than 2 GB", span(0, 0)};
        if (text_.starts_with("\xEF\xBB\xBF")) at_ = line_start_ = 3;         // editors of Windows write a mark of the encoding
        for (;;) {
            skip_blank();
            if (at_ == text_.size()) break;
            TRY(next());
        }
        if (!open_.empty()) {
            const Token& bracket = tokens_[open_.back()];
            return Error{Code::parse, "`" + std::string(bracket.text) + "` is never closed", bracket.span};
        }
        push(TokenKind::end, at_, 0);
        return std::move(tokens_);
    }

 private:
    char peek(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
    Span span(size_t from, size_t length) const {
        return Span{source_, line_, int32_t(from - line_start_) + 1, int32_t(length)};
    }
    Error error(std::string message, size_t from, size_t length, std::string hint = {}) const {
        return Error{Code::parse, std::move(message), span(from, length), std::move(hint)};
    }

    void skip_blank() {
        size_t start = at_;
        newline_ = tokens_.empty();
        for (; at_ < text_.size(); ++at_) {
            char c = text_[at_];
            if (c == '#') {
                at_ = std::min(text_.find('\n', at_), text_.size());
                if (at_ == text_.size()) break;
                c = '\n';
            }
            if (c == '\n') {
                newline_ = true;
                ++line_;
                line_start_ = at_ + 1;
            } else if (c != ' ' && c != '\t' && c != '\r') {
                break;
            }
        }
        touches_ = at_ == start && !tokens_.empty();
    }

    Token& push(TokenKind kind, size_t from, size_t length) {
        tokens_.push_back(Token{.kind = kind, .newline_before = newline_, .touches = touches_,
                                .depth = uint16_t(depth_), .text = text_.substr(from, length),
                                .span = span(from, length)});
        return tokens_.back();
    }

    Status next() {
        char c = peek();
        if (is_digit(c)) return number();
        if (c == '"') return string();
        if (c == '%' || c == '@') return sigil(c);
        if (is_letter(c)) {
            size_t from = at_;
            while (is_word(peek())) ++at_;
            std::string_view word = text_.substr(from, at_ - from);
            TokenKind kind = is_keyword(word) ? TokenKind::keyword
                             : is_upper(c)    ? TokenKind::type_name
                                              : TokenKind::name;
            push(kind, from, word.size());
            return {};
        }
        return sign();
    }

    Status sigil(char c) {
        size_t from = at_++;
        // copies of a function are called @f.1, and a function has no parts that a dot could name
        while (is_word(peek()) || (c == '@' && at_ > from + 1 && peek() == '.' && is_word(peek(1)))) ++at_;
        if (at_ == from + 1)
            return error("`" + std::string(1, c) + "` must be followed by a name", from, 1,
                         c == '%' ? "`%` begins a variable; the remainder is `mod(a, b)`"
                                  : "`@` begins a function; the product of matrices is `matmul(a, b)`");
        Token& token = push(c == '%' ? TokenKind::value : TokenKind::function, from, at_ - from);
        token.text.remove_prefix(1);
        return {};
    }

    void digits() { while (is_digit(peek())) ++at_; }

    Status number() {
        size_t from = at_;
        digits();
        bool real = false;
        // after a field's dot only digits are read, so that .0.1 is two projections
        bool projection =
            touches_ && !tokens_.empty() && tokens_.back().text == "." && tokens_.back().kind == TokenKind::sign;
        if (!projection) {
            if (peek() == '.' && is_digit(peek(1))) {
                real = true;
                ++at_;
                digits();
            }
            bool sign = peek(1) == '-' || peek(1) == '+';
            if ((peek() == 'e' || peek() == 'E') && is_digit(peek(sign ? 2 : 1))) {
                real = true;
                at_ += sign ? 2 : 1;
                digits();
            }
        }
        std::string_view word = text_.substr(from, at_ - from);
        if (is_letter(peek()))
            return error("a number ends before `" + std::string(1, peek()) + "`", from, at_ - from + 1,
                         "names do not begin with a digit");
        Token& token = push(real ? TokenKind::real : TokenKind::integer, from, word.size());
        std::from_chars_result read{};
        if (real) read = std::from_chars(word.data(), word.data() + word.size(), token.real);
        else read = std::from_chars(word.data(), word.data() + word.size(), token.integer);
        if (read.ec != std::errc() || (!real && token.integer > uint64_t(1) << 63))
            return error(real ? "number does not fit into f64" : "integer does not fit into i64", from, word.size());
        return {};
    }

    Status string() {
        size_t from = at_++;
        for (;; ++at_) {
            char c = peek();
            if (at_ >= text_.size() || c == '\n')
                return error("text is not closed on its line", from, at_ - from, "write a newline as \\n");
            if (c == '"') break;
            if (c != '\\') continue;
            ++at_;
            char e = peek();
            if (e == 'x' && hex_value(peek(1)) >= 0 && hex_value(peek(2)) >= 0) {
                at_ += 2;
            } else if (e == '\0' || std::string_view("ntr0\\\"").find(e) == std::string_view::npos) {
                return error("unknown escape in text", at_ - 1, e == '\n' || e == '\0' ? 1 : 2,
                             "escapes are \\n \\t \\r \\0 \\\\ \\\" \\xHH");
            }
        }
        ++at_;
        Token& token = push(TokenKind::text, from, at_ - from);
        token.text = text_.substr(from + 1, at_ - from - 2);
        return {};
    }

    Status sign() {
        for (std::string_view s : signs) {
            if (text_.substr(at_, s.size()) != s) continue;
            size_t from = at_;
            at_ += s.size();
            push(TokenKind::sign, from, s.size());
            return s.size() == 1 ? bracket(s[0]) : Status();
        }
        // a character of several bytes is reported whole
        size_t length = 1;
        while (at_ + length < text_.size() && (uint8_t(text_[at_ + length]) & 0xc0) == 0x80) ++length;
        const uint8_t byte = uint8_t(peek());
        const bool control = byte <= ' ' || byte == 127, broken = byte > 127 && length == 1;
        if (control || broken) {
            char number[8];
            std::snprintf(number, sizeof number, "0x%02x", byte);
            return error(std::string("unexpected ") + (control ? "control character " : "byte ") + number, at_, length,
                         "programs are written in UTF-8: is this one?");
        }
        const std::string_view found = text_.substr(at_, length);
        return error("unexpected `" + std::string(found) + "`", at_, length, std::string(habit(found)));
    }

    Status bracket(char c) {
        uint32_t here = uint32_t(tokens_.size() - 1);
        if (c == '(' || c == '[' || c == '{') {
            open_.push_back(here);
            // the block of an arm nests with its match: a dump has one wherever the program had a bare expression
            bool arm = c == '{' && here > 0 && tokens_[here - 1].text == "=>";
            depth_ += arm ? 0 : 1;
            if (depth_ > max_nesting)
                return Error{Code::limit, "brackets nest more than 1000 deep", tokens_[here].span};
        } else if (c == ')' || c == ']' || c == '}') {
            std::string shown(1, c);
            if (open_.empty()) return error("`" + shown + "` closes nothing", at_ - 1, 1);
            Token& opening = tokens_[open_.back()];
            char expected = opening.text == "(" ? ')' : opening.text == "[" ? ']' : '}';
            if (c != expected) {
                Error wrong =
                    error("expected `" + std::string(1, expected) + "` but found `" + shown + "`", at_ - 1, 1);
                wrong.notes.push_back(Note{opening.span, "`" + std::string(opening.text) + "` was opened here"});
                return wrong;
            }
            opening.partner = here;
            tokens_[here].partner = open_.back();
            open_.pop_back();
            tokens_[here].depth = opening.depth;
            depth_ = opening.depth;
        }
        return {};
    }

    std::string_view text_;
    int32_t source_;
    size_t at_ = 0, line_start_ = 0;
    int32_t line_ = 1;
    int depth_ = 0;
    bool newline_ = false, touches_ = false;
    std::vector<Token> tokens_;
    std::vector<uint32_t> open_;
};
} // namespace

Result<std::vector<Token>> lex(std::string_view text, int32_t source) { return Lexer(text, source).run(); }

bool is_keyword(std::string_view word) { return std::binary_search(std::begin(keywords), std::end(keywords), word); }

std::string unescape(std::string_view quoted) {
    std::string out;
    for (size_t i = 0; i < quoted.size(); ++i) {
        if (quoted[i] != '\\') {
            out += quoted[i];
            continue;
        }
        switch (quoted[++i]) {
        case 'n': out += '\n'; break;
        case 't': out += '\t'; break;
        case 'r': out += '\r'; break;
        case '0': out += '\0'; break;
        case 'x':
            out += char(hex_value(quoted[i + 1]) * 16 + hex_value(quoted[i + 2]));
            i += 2;
            break;
        default: out += quoted[i];
        }
    }
    return out;
}
} // namespace nereus
