// text/constant.cpp - literals, and arithmetic on literals and dims, which is done while reading.
#include "text/lexer.h"
#include "text/parse_body.h"
#include <cmath>

namespace nereus {
namespace {
Literal integer_literal(int64_t value) { return Literal{.kind = Literal::Kind::integer, .integers = {value}}; }
Literal real_literal(double value) { return Literal{.kind = Literal::Kind::real, .reals = {value}}; }

int64_t floor_div(int64_t a, int64_t b) { return a / b - (a % b != 0 && (a < 0) != (b < 0)); }

// nullopt: not an operation that is folded, or it does not fit (then `overflow` is set).
std::optional<int64_t> fold_integers(std::string_view op, int64_t a, int64_t b, bool& overflow) {
    int64_t result = 0;
    if (op == "add") overflow = __builtin_add_overflow(a, b, &result);
    else if (op == "sub") overflow = __builtin_sub_overflow(a, b, &result);
    else if (op == "mul") overflow = __builtin_mul_overflow(a, b, &result);
    else if (op == "neg") overflow = __builtin_sub_overflow(int64_t(0), a, &result);
    else if (op == "maximum") result = std::max(a, b);
    else if (op == "minimum") result = std::min(a, b);
    else if ((op == "floor_div" || op == "mod") && b == -1)
        overflow = op == "floor_div" && __builtin_sub_overflow(int64_t(0), a, &result);
    else if (op == "floor_div" && b != 0) result = floor_div(a, b);
    else if (op == "mod" && b != 0) result = a - b * floor_div(a, b);
    else return {};
    return overflow ? std::nullopt : std::optional(result);
}

std::optional<Dim> fold_dims(Dims& dims, std::string_view op, Dim a, Dim b) {
    Dim both[] = {a, b};
    if (op == "add") return dims.add(a, b);
    if (op == "sub") return dims.sub(a, b);
    if (op == "mul") return dims.mul(a, b);
    if (op == "neg") return dims.scale(a, -1);
    if (op == "maximum") return dims.max(both);
    if (op == "minimum") return dims.min(both);
    if (op == "bcast") return dims.bcast(both);
    bool by_zero = dims.constant_value(b) == 0;          // left to fail where it runs
    if (op == "floor_div" && !by_zero) return dims.floor_div(a, b);
    if (op == "mod" && !by_zero) return dims.mod(a, b);
    return {};
}
} // namespace

Result<Operand> BodyParser::number(const Token& token) {
    if (token.kind == TokenKind::real) return emit_.constant(real_literal(token.real), token.span);
    if (token.integer <= uint64_t(INT64_MAX))
        return emit_.constant(integer_literal(int64_t(token.integer)), token.span);
    // 2^63 is a number only with its sign
    if (operators_.empty() || operators_.back().prefix != '-')
        return Error{Code::parse, "integer does not fit into i64", token.span};
    operators_.pop_back();
    return emit_.constant(integer_literal(INT64_MIN), token.span);
}

Result<std::optional<Operand>> BodyParser::fold(std::string_view op, const Operand& left, const Operand& right,
                                                Span span) {
    std::optional<Operand> none;
    std::optional<int64_t> a = emit_.integer_of(left), b = emit_.integer_of(right);
    if (emit_.is_size(left) && emit_.is_size(right)) {
        if (a && b) {
            bool overflow = false;
            std::optional<int64_t> folded = fold_integers(op, *a, *b, overflow);
            if (overflow) return Error{Code::value, "the result of constants does not fit into i64", span};
            return folded ? std::optional(emit_.constant(integer_literal(*folded), span)) : none;
        }
        std::optional<Dim> folded = fold_dims(module_.dims, op, emit_.as_dim(left), emit_.as_dim(right));
        return folded ? std::optional(emit_.constant(*folded, span)) : none;
    }
    auto real_of = [&](const Operand& operand) -> std::optional<double> {
        const Constant& c = emit_.constant_of(operand);
        if (c.is_dim || c.literal.is_tensor || c.type != module_.types.hole()) return {};
        if (c.literal.kind == Literal::Kind::real) return c.literal.reals[0];
        if (c.literal.kind == Literal::Kind::integer) return double(c.literal.integers[0]);
        return {};
    };
    std::optional<double> x = real_of(left), y = real_of(right);
    if (!x || !y) return none;
    if (op == "neg") return std::optional(emit_.constant(real_literal(-*x), span));
    double folded = op == "add" ? *x + *y : op == "sub" ? *x - *y : op == "mul"   ? *x * *y : NAN;
    return std::isfinite(folded) ? std::optional(emit_.constant(real_literal(folded), span)) : none;
}

Result<int64_t> BodyParser::integer_constant(const Operand& operand, std::string_view param) {
    if (std::optional<int64_t> value = emit_.integer_of(operand)) return *value;
    return Error{Code::type, "`" + std::string(param) + "` must be an integer written in the program", operand.span};
}

// ---- literals of patterns

Result<Literal> BodyParser::literal_pattern() {
    bool negative = cursor_.accept("-");
    const Token& token = cursor_.take();
    if (token.kind == TokenKind::real) return real_literal(negative ? -token.real : token.real);
    if (token.kind == TokenKind::integer) {
        if (token.integer > uint64_t(INT64_MAX) + (negative ? 1 : 0))
            return Error{Code::parse, "integer does not fit into i64", token.span};
        return integer_literal(negative ? int64_t(0 - token.integer) : int64_t(token.integer));
    }
    return Error{Code::parse, "expected a number but found " + describe(token), token.span};
}

// ---- tensor([[1, 2], [3, 4]])

// Nested lists of numbers give the shape by their first elements. What lists cannot say (sizes behind a zero, the kind
// of nothing) is written out: tensor([], shape=[0, 3], kind="real").
Result<Operand> BodyParser::tensor_literal(const Token& head) {
    cursor_.take();
    Layout layout(*this, false);
    Literal literal{.kind = Literal::Kind::integer, .is_tensor = true};
    TRY(tensor_elements(literal, 0));
    while (cursor_.accept(",") && !cursor_.at(")")) {
        Token name = TRY(cursor_.expect_kind(TokenKind::name, "`shape` or `kind`"));
        TRY(cursor_.expect("="));
        if (name.text == "kind") {
            Token kind = TRY(cursor_.expect_kind(TokenKind::text, "a kind"));
            literal.kind = kind.text == "real"      ? Literal::Kind::real
                           : kind.text == "boolean" ? Literal::Kind::boolean
                           : kind.text == "texts"   ? Literal::Kind::texts
                                                    : Literal::Kind::integer;
        } else if (name.text == "shape") {
            Slot sizes;
            TRY(fill_list(sizes));
            literal.shape.clear();
            for (const Operand& size : sizes.operands) literal.shape.push_back(TRY(integer_constant(size, "shape")));
        } else {
            return Error{Code::name, "`tensor` has no parameter " + describe(name), name.span};
        }
    }
    TRY(cursor_.expect(")"));
    Span span = join(head.span, cursor_.last_span());
    int64_t count = 1;
    for (int64_t size : literal.shape)
        if (size < 0 || __builtin_mul_overflow(count, size, &count))
            return Error{Code::shape, "the shape of the tensor is not possible", span};
    size_t given = literal.kind == Literal::Kind::real ? literal.reals.size() : literal.kind == Literal::Kind::texts ? literal.texts.size() : literal.integers.size();
    if (uint64_t(count) != given || (literal.kind == Literal::Kind::real && !literal.integers.empty()))
        return Error{
            Code::shape,
            "the tensor needs " + std::to_string(count) + " elements, " + std::to_string(given) + " are given", span};
    return emit_.constant(std::move(literal), span);
}

// weight("name", in="file.npz"): a tensor that a file has. Whoever asked for the module reads it.
Result<Operand> BodyParser::weight_literal(const Token& head) {
    cursor_.take();
    Layout layout(*this, false);
    Literal literal{.kind = Literal::Kind::given, .is_tensor = true};
    literal.text = unescape(TRY(cursor_.expect_kind(TokenKind::text, "the name of a weight")).text);
    if (cursor_.at(")"))
        return Error{Code::parse, "this weight is in no file", head.span, "nereus dump --after=parse --weights=FILE.npz writes a program with its weights"};
    TRY(cursor_.expect(","));
    TRY(cursor_.expect("in"));
    TRY(cursor_.expect("="));
    literal.texts = {unescape(TRY(cursor_.expect_kind(TokenKind::text, "a file name in quotes")).text)};
    TRY(cursor_.expect(")"));
    return emit_.constant(std::move(literal), join(head.span, cursor_.last_span()));
}

Status BodyParser::tensor_elements(Literal& literal, size_t depth) {
    const Token& token = cursor_.peek();
    Error ragged{Code::shape, "the rows of a tensor have different lengths", token.span};
    if (cursor_.at("[")) {
        cursor_.take();
        bool first = depth == literal.shape.size() && literal.integers.empty() && literal.reals.empty() && literal.texts.empty();
        if (first) literal.shape.push_back(-1);
        if (depth >= literal.shape.size()) return ragged;
        int64_t count = 0;
        TRY(cursor_.list("]", [&]() -> Status {
            ++count;
            return tensor_elements(literal, depth + 1);
        }));
        if (first) literal.shape[depth] = count;
        return literal.shape[depth] == count ? Status() : Status(ragged);
    }
    if (depth != literal.shape.size()) return ragged;
    bool empty = literal.integers.empty() && literal.reals.empty() && literal.texts.empty();
    Operand element = TRY(expression());
    if (!element.is_constant() || emit_.constant_of(element).is_dim || emit_.constant_of(element).literal.is_tensor)
        return Error{Code::type, "an element of a tensor literal must be a number, a bool or a text", element.span,
                     "build a tensor from values with `concat` or `full`"};
    const Literal& value = emit_.constant_of(element).literal;
    bool boolean = value.kind == Literal::Kind::boolean;
    const bool text = value.kind == Literal::Kind::text;
    if (value.kind == Literal::Kind::unit || (!empty && boolean != (literal.kind == Literal::Kind::boolean)) ||
        (!empty && text != (literal.kind == Literal::Kind::texts)))
        return Error{Code::type, "the elements of a tensor literal must be all numbers, all bools or all texts", element.span};
    if (text) {
        literal.kind = Literal::Kind::texts;
        literal.texts.push_back(value.text);
        return {};
    }
    if (empty) literal.kind = value.kind;
    if (value.kind == Literal::Kind::real && literal.kind == Literal::Kind::integer) {   // 1, 2.0 are all real
        literal.kind = Literal::Kind::real;
        literal.reals.assign(literal.integers.begin(), literal.integers.end());
        literal.integers.clear();
    }
    if (literal.kind == Literal::Kind::real)
        literal.reals.push_back(value.kind == Literal::Kind::real ? value.reals[0] : double(value.integers[0]));
    else
        literal.integers.push_back(value.integers[0]);
    return {};
}
} // namespace nereus
