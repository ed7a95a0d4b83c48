#include "text/cursor.h"
#include "text/habits.h"

namespace nereus {
std::string describe(const Token& token) {
    std::string text(token.text.substr(0, 60));
    switch (token.kind) {
    case TokenKind::end: return "the end of the file";
    case TokenKind::value: return "`%" + text + "`";
    case TokenKind::function: return "`@" + text + "`";
    case TokenKind::text: return "text";
    case TokenKind::keyword:
    case TokenKind::name:
    case TokenKind::type_name:
    case TokenKind::integer:
    case TokenKind::real:
    case TokenKind::sign: return "`" + text + "`";
    }
    return text;
}

Span join(Span a, Span b) {
    if (a.source != b.source || a.line != b.line || b.column < a.column) return a;
    a.length = std::max(a.length, b.column + b.length - a.column);
    return a;
}

Status Once::add(std::string_view noun, const Token& name) {
    if (seen_.insert(name.text).second) return {};
    return Error{Code::name, std::string(noun) + " " + describe(name) + " is given twice", name.span};
}

Error Cursor::expected(std::string_view what, std::string_view hint) const {
    const Token& token = peek();
    if (hint.empty() && token.kind != TokenKind::text) hint = habit(token.text);
    return Error{Code::parse, "expected " + std::string(what) + " but found " + describe(token), token.span, std::string(hint)};
}

Status Cursor::expect(std::string_view sign, std::string_view hint) {
    if (!at(sign)) return expected("`" + std::string(sign) + "`", hint);
    take();
    return {};
}

Result<Token> Cursor::expect_kind(TokenKind kind, std::string_view what, std::string_view hint) {
    if (at_kind(kind)) return take();
    std::string sigil = kind == TokenKind::value ? "%" : kind == TokenKind::function ? "@" : "";
    bool bare = at_kind(TokenKind::name) && !sigil.empty();
    if (bare && hint.empty()) return expected(what, "write `" + sigil + std::string(peek().text) + "`");
    if (kind == TokenKind::type_name && at_kind(TokenKind::name)) return expected(what, "types and constructors begin with a capital");
    if (kind == TokenKind::name && at_kind(TokenKind::type_name)) return expected(what, "only types and constructors begin with a capital");
    return expected(what, hint);
}
} // namespace nereus
