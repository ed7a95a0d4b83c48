#include "text/cursor.h"

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

Error Cursor::expected(std::string_view what) const {
    const Token& token = peek();
    return Error{Code::parse, "expected " + std::string(what) + " but found " + describe(token), token.span};
}

Status Cursor::expect(std::string_view sign) {
    if (!at(sign)) return expected("`" + std::string(sign) + "`");
    take();
    return {};
}

Result<Token> Cursor::expect_kind(TokenKind kind, std::string_view what) {
    if (!at_kind(kind)) return expected(what);
    return take();
}
} // namespace nereus
