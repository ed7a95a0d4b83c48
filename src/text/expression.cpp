// text/expression.cpp - infix chains by a stack of operators, then what stands between the operators.
#include "text/habits.h"
#include "text/lexer.h"
#include "text/parse_body.h"
#include "base/suggest.h"
#include <algorithm>
#include <cmath>
#include <set>

namespace nereus {
// ---- infix

const BodyParser::Infix* BodyParser::find_infix(std::string_view sign) {
    static constexpr uint8_t comparison = 3;
    static constexpr Infix table[] = {
        {"||", 1, ""},           {"&&", 2, ""},           {"==", comparison, "eq"}, {"!=", comparison, "ne"},
        {"<", comparison, "lt"}, {"<=", comparison, "le"}, {">", comparison, "gt"},  {">=", comparison, "ge"},
        {"+", 4, "add"},         {"-", 4, "sub"},         {"*", 5, "mul"},          {"/", 5, "div"},
        {"//", 5, "floor_div"},
    };
    for (const Infix& row : table)
        if (row.sign == sign) return &row;
    return nullptr;
}

const BodyParser::Infix* BodyParser::infix_here() const {
    const Token& token = cursor_.peek();
    if (token.kind != TokenKind::sign || (newlines_end_ && token.newline_before)) return nullptr;
    return find_infix(token.text);
}

Result<Operand> BodyParser::expression() {
    size_t base = operators_.size();
    for (;;) {
        while (cursor_.at("-") || cursor_.at("!")) {
            const Token& sign = cursor_.take();
            operators_.push_back(Pending{.prefix = sign.text[0], .span = sign.span});
        }
        Operand next = TRY(operand());
        operands_.push_back(next);
        const Infix* infix = infix_here();
        if (!infix) break;
        bool compared = false;
        while (operators_.size() > base &&
               (operators_.back().prefix || operators_.back().infix->level >= infix->level)) {
            compared = !operators_.back().prefix && operators_.back().infix->level == 3;
            TRY(reduce());
        }
        const Token& sign = cursor_.take();
        if (compared && infix->level == 3)
            return Error{Code::parse, "comparisons do not chain", sign.span, "write `a < b && b < c`"};
        Pending pending{.infix = infix, .span = sign.span};
        if (infix->op.empty()) {                         // && and ||: the right side is a block of its own
            if (emit_.depth() >= size_t(max_nesting))
                return Error{Code::limit, "the program nests more than 1000 deep", sign.span};
            pending.condition = emit_.use(operands_.back());
            emit_.open_block();
        }
        operators_.push_back(pending);
    }
    while (operators_.size() > base) TRY(reduce());
    Operand result = operands_.back();
    operands_.pop_back();
    return result;
}

Status BodyParser::reduce() {
    Pending top = operators_.back();
    operators_.pop_back();
    Operand right = operands_.back();
    operands_.pop_back();
    if (top.prefix) {
        operands_.push_back(TRY(prefix(top.prefix, right, join(top.span, right.span))));
        return {};
    }
    Operand left = operands_.back();
    operands_.pop_back();
    if (top.infix->op.empty()) {
        Operand joined = short_circuit(top, right);
        joined.span = join(left.span, right.span);
        operands_.push_back(joined);
    } else {
        operands_.push_back(TRY(infix(*top.infix, left, right)));
    }
    return {};
}

Result<Operand> BodyParser::prefix(char sign, const Operand& operand, Span span) {
    if (sign == '!') return emit_op("not", {operand}, span);
    if (operand.is_constant()) {
        std::optional<Operand> folded = TRY(fold("neg", operand, operand, span));
        if (folded) return *folded;
    }
    return emit_op("neg", {operand}, span);
}

Result<Operand> BodyParser::infix(const Infix& infix, const Operand& left, const Operand& right) {
    Span span = join(left.span, right.span);
    if (left.is_constant() && right.is_constant()) {
        std::optional<Operand> folded = TRY(fold(infix.op, left, right, span));
        if (folded) return *folded;
    }
    return emit_op(infix.op, {left, right}, span);
}

// a && b is if (a) { b } else { false }; a || b is if (a) { true } else { b }, of type bool: b is a scalar too. The block
// of b is the open one.
Operand BodyParser::short_circuit(const Pending& pending, const Operand& right) {
    bool is_and = pending.infix->sign == "&&";
    ValueId result = emit_.use(right);
    emit_.block().results = {result};
    BlockId evaluated = emit_.close_block();
    BlockId constant = emit_.open_block();
    Literal literal{.kind = Literal::Kind::boolean, .integers = {is_and ? 0 : 1}};
    ValueId value = emit_.use(emit_.constant(std::move(literal), pending.span));
    emit_.block().results = {value};
    emit_.close_block();
    Binding binding{.form = Form::if_, .args = {pending.condition}};
    binding.blocks = is_and ? std::vector{evaluated, constant} : std::vector{constant, evaluated};
    return emit_.ascribe(emit_.emit(std::move(binding), pending.span), module_.types.scalar(DType::boolean));
}

// ---- operands

Result<Operand> BodyParser::operand() {
    Operand head = TRY(primary());
    return postfix(head);
}

Result<Operand> BodyParser::postfix(Operand head) {
    for (;;) {
        if (cursor_.at_touching("(")) {
            std::vector<Operand> args = TRY(arguments("a function value"));
            args.insert(args.begin(), head);
            Span span = join(head.span, cursor_.last_span());
            head = emit_.emit(Binding{.form = Form::apply, .args = emit_.use_all(args)}, span);
        } else if (cursor_.at_touching("[")) {
            head = TRY(index(head));
        } else if (cursor_.at(".") && !(newlines_end_ && cursor_.peek().newline_before)) {
            cursor_.take();
            const Token& part = cursor_.take();
            Binding binding{.args = {emit_.use(head)}};
            if (part.kind == TokenKind::integer && part.integer < UINT32_MAX) {
                binding.form = Form::project;
                binding.index = uint32_t(part.integer);
            } else if (part.kind == TokenKind::name) {
                binding.form = Form::field;
                binding.names = {std::string(part.text)};
            } else {
                return Error{Code::parse, "expected a field or a number after `.` but found " + describe(part), part.span,
                             part.text == "T" ? "write `transpose(%x, [1, 0])`" : ""};
            }
            head = emit_.emit(std::move(binding), join(head.span, part.span));
        } else {
            return head;
        }
    }
}

Result<Operand> BodyParser::index(const Operand& head) {
    cursor_.take();
    Layout layout(*this, false);
    Binding binding{.form = Form::index};
    std::vector<Operand> args;
    TRY(cursor_.list("]", [&]() -> Status {
        auto stops = [&] { return cursor_.at(",") || cursor_.at("]"); };
        bool from = !cursor_.at(":"), to = false;
        if (from) args.push_back(TRY(expression()));
        if (from && stops()) {
            binding.parts.push_back(IndexPart{IndexPart::Kind::at});
            return {};
        }
        TRY(cursor_.expect(":"));
        if (!stops()) {
            to = true;
            args.push_back(TRY(expression()));
        }
        using Kind = IndexPart::Kind;
        binding.parts.push_back(IndexPart{from ? (to ? Kind::from_to : Kind::from) : (to ? Kind::to : Kind::all)});
        return {};
    }));
    Span span = join(head.span, cursor_.last_span());
    if (binding.parts.empty()) return Error{Code::parse, "an index needs at least one position", span};
    binding.args = {emit_.use(head)};
    for (const Operand& arg : args) binding.args.push_back(emit_.use(arg, module_.types.scalar(DType::i64)));
    return emit_.emit(std::move(binding), span);
}

Result<Operand> BodyParser::primary() {
    const Token& token = cursor_.peek();
    switch (token.kind) {
    case TokenKind::integer:
    case TokenKind::real: cursor_.take(); return number(token);
    case TokenKind::text:
        cursor_.take();
        return emit_.constant(Literal{.kind = Literal::Kind::text, .text = unescape(token.text)}, token.span);
    case TokenKind::value: cursor_.take(); return variable(token);
    case TokenKind::function: cursor_.take(); return function_name(token, item_.from_prelude);
    case TokenKind::type_name: cursor_.take(); return constructor_name(token, item_.from_prelude);
    case TokenKind::name:
        if (dialect_here()) return dialect_op({ResultSyntax{}});
        cursor_.take();
        return bare_name(token);
    case TokenKind::keyword:
        if (token.text == "true" || token.text == "false") {
            cursor_.take();
            int64_t bit = token.text == "true";
            return emit_.constant(Literal{.kind = Literal::Kind::boolean, .integers = {bit}}, token.span);
        }
        if (token.text == "if") return if_expression();
        if (token.text == "match") return match_expression();
        if (token.text == "for") return for_expression();
        if (token.text == "while") return while_expression();
        if (token.text == "fn") return lambda();
        break;
    case TokenKind::sign:
        if (token.text == "(") return parenthesised();
        if (token.text == "{") return record({});
        if (token.text == "?" && unknown_size_here()) return emit_.constant(TRY(types_.atom()), token.span);
        if (token.text == "[") {
            Slot list;
            TRY(fill_list(list));
            Binding binding{.form = Form::seq, .args = emit_.use_all(list.operands)};
            return emit_.emit(std::move(binding), join(token.span, cursor_.last_span()));
        }
        break;
    case TokenKind::end: break;
    }
    if (cursor_.at("*") && token.touches) return cursor_.expected("an expression", habit("^"));
    if (cursor_.at("=") && token.touches) return cursor_.expected("an expression", "a name is bound again: `%x = %x + 1`");
    if (cursor_.at(">") && token.touches) return cursor_.expected("an expression", "different is written `!=`");
    return cursor_.expected("an expression");
}

// ?1: an unknown size that a type has named.
bool BodyParser::unknown_size_here() {
    const Token& name = cursor_.peek(1);
    return name.touches && names_.unknowns.contains(std::string_view(cursor_.peek().text.data(), 1 + name.text.size()));
}

Result<Operand> BodyParser::variable(const Token& token) {
    if (Operand* found = emit_.scope.find(token.text)) {
        Operand use = *found;
        use.span = token.span;
        return use;
    }
    std::string hint = did_you_mean("%", token.text, emit_.scope.visible());
    NameEntry* dim = names_.find(token.text);
    if (dim && dim->kind == TypeParam::Kind::dim) hint = "the dim is written `" + std::string(token.text) + "`";
    if (std::ranges::count(being_bound_, token.text) > 0)
        hint = "a value cannot use itself: a function that calls itself is written `def @" + std::string(token.text) + "(…) { … }`";
    return Error{Code::name, "unknown variable " + describe(token), token.span, hint};
}

Result<Operand> BodyParser::parenthesised() {
    const Token& opening = cursor_.take();
    Layout layout(*this, false);
    std::vector<Operand> parts;
    TRY(cursor_.list(")", [&]() -> Status {
        if (parts.empty() && cursor_.accept("=")) parts.push_back(emit_.constant(TRY(types_.dim()), opening.span));     // (= mod(n, 0)), in dumps
        else parts.push_back(TRY(expression()));
        if (parts.size() == 1 && cursor_.accept(":")) parts[0] = emit_.ascribe(parts[0], TRY(type()));
        return {};
    }));
    Span span = join(opening.span, cursor_.last_span());
    if (parts.empty()) return emit_.constant(Literal{}, span);
    if (parts.size() > 1) return emit_.emit(Binding{.form = Form::tuple, .args = emit_.use_all(parts)}, span);
    parts[0].span = span;
    return parts[0];
}

// {f = e}, {e with f = e}; Name{f = e} where the type is written.
Result<Operand> BodyParser::record(DeclId decl) {
    const Token& opening = cursor_.take();
    Layout layout(*this, false);
    Binding binding{.form = Form::record, .decl = decl};
    std::vector<Operand> values;
    Once once;
    if (!(cursor_.at_kind(TokenKind::name) && cursor_.at("=", 1))) {
        if (cursor_.at("}"))
            return Error{Code::parse, "a record needs a field", join(opening.span, cursor_.peek().span)};
        binding.form = Form::update;
        values.push_back(TRY(expression()));
        if (!cursor_.at("with")) {
            Error error = cursor_.expected("`with`");
            error.hint = "here `{` begins a record: `{f = e}` or `{e with f = e}`";
            return error;
        }
        cursor_.take();
    }
    TRY(cursor_.list("}", [&]() -> Status {
        Token field = TRY(cursor_.expect_kind(TokenKind::name, "a field"));
        TRY(once.add("field", field));
        TRY(cursor_.expect("="));
        binding.names.emplace_back(field.text);
        values.push_back(TRY(expression()));
        return {};
    }));
    binding.args = emit_.use_all(values);
    return emit_.emit(std::move(binding), join(opening.span, cursor_.last_span()));
}

// ---- names

Error BodyParser::unknown_name(const Token& token) {
    if (emit_.scope.find(token.text))
        return Error{Code::name, "unknown name " + describe(token), token.span,
                     "did you mean `%" + std::string(token.text) + "`?"};
    if (program_.own.functions.contains(token.text))
        return Error{Code::name, "unknown name " + describe(token), token.span,
                     "did you mean `@" + std::string(token.text) + "`?"};
    if (cursor_.at("="))
        return Error{Code::name, "unknown name " + describe(token), token.span, "a variable is written `%" + std::string(token.text) + "`"};
    if (std::string_view hint = habit(token.text); !hint.empty())
        return Error{Code::name, "unknown name " + describe(token), token.span, std::string(hint)};
    if (std::string meant = program_.constructor_like(token.text); !meant.empty())
        return Error{Code::name, "unknown name " + describe(token), token.span, "did you mean `" + meant + "`?"};
    std::vector<std::string_view> known = names_.visible();
    for (const OpDef* op : program_.ops.all()) known.push_back(op->name);
    known.insert(known.end(), program_.prelude_functions.begin(), program_.prelude_functions.end());
    std::string hint = did_you_mean("", token.text, known);
    if (hint.empty() && !cursor_.at_touching("(")) hint = "a size is named in the type of a parameter, as in `Tensor[(" + std::string(token.text) + "), f32]`; variables begin with `%`";
    return Error{Code::name, "unknown name " + describe(token), token.span, std::move(hint)};
}

// A dim in scope (except before a touching parenthesis), then an operator, then a function of the prelude.
Result<Operand> BodyParser::bare_name(const Token& token) {
    if (cursor_.at_touching("(")) return call_named(token);
    if (token.text == "prelude" && cursor_.at(".") && cursor_.peek(1).kind == TokenKind::type_name) {
        cursor_.take();
        return constructor_name(cursor_.take(), true);
    }
    if (token.text == "prelude" && cursor_.at_kind(TokenKind::function)) return function_name(cursor_.take(), true);
    if (NameEntry* entry = names_.find(token.text)) {
        if (entry->announced)
            return Error{Code::name, "the size " + describe(token) + " is named by the result and not known inside",
                         token.span};
        if (entry->kind == TypeParam::Kind::dim) return emit_.constant(module_.dims.of(entry->param.dim), token.span);
    }
    if (token.text == "not" && !cursor_.peek().newline_before && (cursor_.at_kind(TokenKind::value) || cursor_.at_kind(TokenKind::name)))
        return Error{Code::parse, "`not` is a function", token.span, "write `!%x`, or `not(%x)`"};
    if (const OpDef* op = program_.ops.find(token.text)) return op_as_function(*op, token);
    auto found = program_.prelude.functions.find(token.text);
    if (found != program_.prelude.functions.end())
        return emit_.emit(Binding{.form = Form::function, .function = found->second}, token.span);
    if (token.text == "inf" || token.text == "nan") {
        double value = token.text == "inf" ? HUGE_VAL : NAN;
        return emit_.constant(Literal{.kind = Literal::Kind::real, .reals = {value}}, token.span);
    }
    if (dtype_from_name(token.text))
        return Error{Code::type, "the dtype " + describe(token) + " is not a value", token.span};
    if (NameEntry* entry = names_.find(token.text); entry && entry->kind)
        return Error{Code::type,
                     "the " + std::string(kind_name(*entry->kind)) + " " + describe(token) + " is not a value",
                     token.span};
    return unknown_name(token);
}

// @f; prelude @map.1 in dumps, where a bare name would not do.
Result<Operand> BodyParser::function_name(const Token& token, bool from_prelude) {
    const ProgramNames::Space& space = program_.space(from_prelude);
    auto found = space.functions.find(token.text);
    if (found == space.functions.end()) {
        std::vector<std::string_view> known;
        for (const auto& [name, id] : space.functions) known.push_back(name);
        std::string hint = did_you_mean("@", token.text, known);
        if (program_.ops.find(token.text) || program_.prelude.functions.contains(token.text))
            hint = "the operator is written `" + std::string(token.text) + "`";
        return Error{Code::name, "unknown function " + describe(token), token.span, hint};
    }
    if (cursor_.at_touching("(")) return call_function(found->second, token, describe(token));
    return emit_.emit(Binding{.form = Form::function, .function = found->second}, token.span);
}

// Leaf or Tree.Leaf; the first token is taken.
Result<ConstructorRef> BodyParser::constructor(const Token& token, bool from_prelude) {
    if (cursor_.at(".") && cursor_.peek(1).kind == TokenKind::type_name) {
        DeclId decl = program_.find_type(token.text, from_prelude);
        if (!decl.valid()) decl = TRY(types_.type_name(token));
        cursor_.take();
        const Token& name = cursor_.take();
        const TypeDecl& declared = module_[decl];
        std::vector<std::string_view> has;
        for (uint32_t i = 0; i < declared.constructors.size() && !declared.is_record; ++i) {
            has.push_back(declared.constructors[i].name);
            if (has.back() == name.text) return ConstructorRef{decl, i};
        }
        return Error{Code::name, "type " + describe(token) + " has no constructor " + describe(name), name.span, did_you_mean("", name.text, has)};
    }
    if (const ConstructorRef* found = program_.find_constructor(token.text, from_prelude)) return *found;
    std::vector<std::string_view> known;
    for (const auto& [name, ref] : program_.own.constructors) known.push_back(name);
    known.insert(known.end(), program_.prelude_constructors.begin(), program_.prelude_constructors.end());
    std::string hint(habit(token.text)), meant = program_.constructor_like(token.text);
    if (hint.empty() && meant.empty()) meant = operator_like(token.text);
    if (hint.empty() && !meant.empty()) hint = "did you mean `" + meant + "`?";
    if (hint.empty()) hint = did_you_mean("", token.text, known);
    if (program_.find_type(token.text, from_prelude).valid() && hint.empty()) hint = "this is a type";
    if (hint.empty()) hint = own_constructors();
    return Error{Code::name, "unknown constructor " + describe(token), token.span, hint};
}

// What is written Tanh elsewhere: an operator or a function of the prelude; "" if it is none.
std::string BodyParser::operator_like(std::string_view name) const {
    std::string small(name);
    for (char& c : small)
        if (c >= 'A' && c <= 'Z') c = char(c + 'a' - 'A');
    const bool known = program_.ops.find(small) || std::ranges::count(program_.prelude_functions, small) > 0;
    return known ? small : "";
}

// Where no name is near: all there are, if they are few.
std::string BodyParser::own_constructors() const {
    std::set<std::string_view> names;                    // in order
    for (const auto& [name, ref] : program_.own.constructors) names.insert(name);
    std::string text;
    if (names.size() > 6) return text;
    for (std::string_view name : names) text += (text.empty() ? "the program has `" : ", `") + std::string(name) + "`";
    return text;
}

Result<Operand> BodyParser::constructor_name(const Token& token, bool from_prelude) {
    if (cursor_.at_touching("{") && cursor_.peek(1).kind == TokenKind::name) {
        DeclId decl = program_.find_type(token.text, from_prelude);
        return record(decl.valid() ? decl : TRY(types_.type_name(token)));
    }
    ConstructorRef ref = TRY(constructor(token, from_prelude));
    const Constructor& made = module_[ref.decl].constructors[ref.index];
    size_t fields = made.fields.size();
    Span span = join(token.span, cursor_.last_span());
    if (!cursor_.at_touching("(")) {
        if (fields > 0) return constructor_as_function(ref, span);
        return emit_.emit(Binding{.form = Form::construct, .decl = ref.decl, .index = ref.index}, span);
    }
    std::vector<Operand> args = TRY(arguments("`" + made.name + "`"));
    span = join(span, cursor_.last_span());
    if (args.size() != fields)
        return Error{Code::type, "`" + made.name + "` takes " + std::to_string(fields) +
                                     (fields == 1 ? " field, " : " fields, ") + std::to_string(args.size()) +
                                     (args.size() == 1 ? " is given" : " are given"), span};
    Binding binding{.form = Form::construct, .args = emit_.use_all(args), .decl = ref.decl, .index = ref.index};
    return emit_.emit(std::move(binding), span);
}
} // namespace nereus
