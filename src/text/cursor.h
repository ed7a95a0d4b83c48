// text/cursor.h - a place in a list of tokens: looking ahead, taking, and saying what was expected instead.
#pragma once
#include "base/result.h"
#include "text/token.h"
#include <string>
#include <unordered_set>
#include <vector>

namespace nereus {
class Cursor {
 public:
    explicit Cursor(const std::vector<Token>& tokens, size_t at = 0) : tokens_(&tokens), at_(at) {}

    const Token& peek(size_t ahead = 0) const {
        size_t last = tokens_->size() - 1;
        return (*tokens_)[at_ + ahead < last ? at_ + ahead : last];
    }
    const Token& take() {
        const Token& token = peek();
        if (at_ + 1 < tokens_->size()) ++at_;
        return token;
    }
    size_t position() const { return at_; }
    void jump(size_t position) { at_ = position; }
    const Token& token(size_t position) const { return (*tokens_)[position]; }

    static bool is(const Token& token, std::string_view sign) {
        return token.text == sign && (token.kind == TokenKind::sign || token.kind == TokenKind::keyword);
    }
    static bool is_word(const Token& token, std::string_view word) {
        return token.kind == TokenKind::name && token.text == word;
    }
    bool at(std::string_view sign) const { return is(peek(), sign); }
    bool at(std::string_view sign, size_t ahead) const { return is(peek(ahead), sign); }
    bool at_word(std::string_view word) const { return is_word(peek(), word); }
    bool at_kind(TokenKind kind) const { return peek().kind == kind; }
    // A `(` or `[` that touches what stands before it: a call, an index.
    bool at_touching(std::string_view sign) const { return at(sign) && peek().touches; }
    bool accept(std::string_view sign) {
        if (!at(sign)) return false;
        take();
        return true;
    }
    bool accept_word(std::string_view word) {
        if (!at_word(word)) return false;
        take();
        return true;
    }
    Status expect(std::string_view sign, std::string_view hint = {});
    Result<Token> expect_kind(TokenKind kind, std::string_view what, std::string_view hint = {});
    // "expected … but found …" at the next token; without a hint, one for whoever comes from another language
    Error expected(std::string_view what, std::string_view hint = {}) const;
    Span last_span() const { return at_ > 0 ? (*tokens_)[at_ - 1].span : peek().span; }

    // After an opening bracket: separated by commas, the last one optional, up to the closing bracket.
    template <class F> Status list(std::string_view closing, F&& item) {
        while (!at(closing)) {
            TRY(item());
            if (at(closing)) break;
            TRY(expect(","));
        }
        take();
        return {};
    }

 private:
    const std::vector<Token>* tokens_;
    size_t at_;
};

// Names of one list, each allowed once.
class Once {
 public:
    Status add(std::string_view noun, const Token& name);

 private:
    std::unordered_set<std::string_view> seen_;
};

std::string describe(const Token& token);                // `%x`, a number as written, the end of the file
// From the start of `a` to the end of `b` where both stand on one line; else `a`.
Span join(Span a, Span b);
} // namespace nereus
