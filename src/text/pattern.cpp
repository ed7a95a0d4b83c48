// text/pattern.cpp - patterns of match arms, and statements that take a value apart.
#include "text/lexer.h"
#include "text/parse_body.h"
#include "ir/print.h"

namespace nereus {
namespace {
template <class Syntax, class F> void each_variable(const Syntax& syntax, const F& visit) {
    if (syntax.pattern.kind == Pattern::Kind::variable) visit(syntax);
    for (const Syntax& part : syntax.parts) each_variable(part, visit);
}
} // namespace

Result<BodyParser::PatternSyntax> BodyParser::pattern(bool typed) {
    PatternSyntax syntax;
    syntax.type = module_.types.hole();
    const Token& token = cursor_.peek();
    syntax.pattern.span = token.span;
    if (token.kind == TokenKind::value) {
        cursor_.take();
        syntax.pattern.kind = Pattern::Kind::variable;
        syntax.name = token;
        if (typed) {
            Annotation notes = TRY(annotation(TypeParser::Unknown::reject, true));
            syntax.type = notes.type;
            syntax.known = notes.known;
        }
    } else if (cursor_.accept_word("_")) {
        syntax.pattern.kind = Pattern::Kind::wildcard;
    } else if (token.kind == TokenKind::type_name && cursor_.at("{", 1)) {
        cursor_.take();
        syntax.pattern.decl = TRY(types_.type_name(token));
        TRY(record_pattern(syntax));
    } else if (token.kind == TokenKind::type_name || token.text == "prelude") {
        TRY(constructor_pattern(syntax));
    } else if (cursor_.accept("(")) {
        syntax.pattern.kind = Pattern::Kind::tuple;
        TRY(cursor_.list(")", [&]() -> Status {
            syntax.parts.push_back(TRY(pattern(true)));
            return {};
        }));
        if (syntax.parts.size() == 1) {                  // not syntax = move(parts[0]): that would free what it reads
            PatternSyntax inner = std::move(syntax.parts[0]);
            return inner;
        }
    } else if (cursor_.at("{")) {
        TRY(record_pattern(syntax));
    } else {
        syntax.pattern.kind = Pattern::Kind::literal;
        if (token.kind == TokenKind::text) {
            syntax.pattern.literal = Literal{.kind = Literal::Kind::text, .text = unescape(cursor_.take().text)};
        } else if (cursor_.at("true") || cursor_.at("false")) {
            int64_t bit = cursor_.take().text == "true";
            syntax.pattern.literal = Literal{.kind = Literal::Kind::boolean, .integers = {bit}};
        } else if (token.kind == TokenKind::integer || token.kind == TokenKind::real || cursor_.at("-")) {
            syntax.pattern.literal = TRY(literal_pattern());
        } else {
            const std::string meant = token.kind == TokenKind::name ? program_.constructor_like(token.text) : "";
            return cursor_.expected("a pattern", !meant.empty()                  ? "did you mean `" + meant + "`?"
                                                 : token.kind == TokenKind::name ? "a variable is written `%" + std::string(token.text) + "`"
                                                                                 : "");
        }
    }
    syntax.pattern.span = join(token.span, cursor_.last_span());
    return syntax;
}

Status BodyParser::record_pattern(PatternSyntax& syntax) {
    cursor_.take();
    syntax.pattern.kind = Pattern::Kind::record;
    Once once;
    return cursor_.list("}", [&]() -> Status {
        Token field = TRY(cursor_.expect_kind(TokenKind::name, "a field"));
        TRY(once.add("field", field));
        syntax.pattern.fields.emplace_back(field.text);
        TRY(cursor_.expect("="));
        syntax.parts.push_back(TRY(pattern(true)));
        return {};
    });
}

Status BodyParser::constructor_pattern(PatternSyntax& syntax) {
    bool from_prelude = item_.from_prelude;
    if (cursor_.at_word("prelude")) {
        cursor_.take();
        TRY(cursor_.expect("."));
        from_prelude = true;
    }
    Token name = TRY(cursor_.expect_kind(TokenKind::type_name, "a constructor"));
    ConstructorRef ref = TRY(constructor(name, from_prelude));
    const Constructor& made = module_[ref.decl].constructors[ref.index];
    syntax.pattern.kind = Pattern::Kind::constructor;
    syntax.pattern.decl = ref.decl;
    syntax.pattern.constructor = ref.index;
    if (cursor_.accept("[")) {
        TRY(cursor_.list("]", [&]() -> Status {
            Token dim = TRY(cursor_.expect_kind(TokenKind::name, "a name for a dim"));
            Sym symbol;
            for (const NamedSym& known : pending_)
                if (known.name == dim.text) symbol = known.sym;
            if (!symbol.valid()) symbol = module_.dims.new_symbol(std::string(dim.text), SymKind::size);
            syntax.dims.push_back(NamedSym{dim.text, symbol});
            syntax.pattern.dims.push_back(symbol);
            TypeParam param{.kind = TypeParam::Kind::dim, .dim = symbol};
            names_.add(dim.text, NameEntry{TypeParam::Kind::dim, param, dim.span});
            return {};
        }));
        if (syntax.dims.size() != made.dims.size())
            return Error{Code::type, "`" + made.name + "` binds " + std::to_string(made.dims.size()) + " dims, " +
                                         std::to_string(syntax.dims.size()) + " are named", name.span};
    }
    if (cursor_.at_touching("(")) {
        cursor_.take();
        TRY(cursor_.list(")", [&]() -> Status {
            syntax.parts.push_back(TRY(pattern(true)));
            return {};
        }));
    }
    if (syntax.parts.size() != made.fields.size())
        return Error{Code::type, "`" + made.name + "` has " + std::to_string(made.fields.size()) +
                                     (made.fields.size() == 1 ? " field, " : " fields, ") +
                                     std::to_string(syntax.parts.size()) +
                                     (syntax.parts.size() == 1 ? " is matched" : " are matched"),
                     join(name.span, cursor_.last_span())};
    return {};
}

// Makes a parameter of the arm's block for each variable, in order.
Result<Pattern> BodyParser::bind_pattern(const PatternSyntax& syntax, std::vector<ValueId>& params) {
    Pattern pattern = syntax.pattern;
    if (pattern.kind == Pattern::Kind::variable) {
        State state{.name = syntax.name};
        state.notes.type = syntax.type;
        state.notes.known = syntax.known;
        pattern.variable = state_param(state);
        params.push_back(pattern.variable);
    }
    for (const PatternSyntax& part : syntax.parts) pattern.parts.push_back(TRY(bind_pattern(part, params)));
    return pattern;
}

// ---- statements

Status BodyParser::no_repetition(const PatternSyntax& syntax) {
    Once once;
    Status status;
    each_variable(syntax, [&](const PatternSyntax& variable) {
        if (status) status = once.add("variable", variable.name);
    });
    return status;
}

Status BodyParser::destructure(const PatternSyntax& syntax, const Operand& operand) {
    TRY(no_repetition(syntax));
    return take_apart(syntax, operand);
}

// Variables become names of parts; only what may not fit needs a match.
Status BodyParser::take_apart(const PatternSyntax& syntax, const Operand& operand) {
    switch (syntax.pattern.kind) {
    case Pattern::Kind::wildcard: return {};
    case Pattern::Kind::variable: {
        Operand part = emit_.ascribe(operand, syntax.type);
        if (syntax.known.valid() && part.fresh) emit_.function[part.value].known = syntax.known;
        emit_.bind(syntax.name.text, part);
        return {};
    }
    case Pattern::Kind::literal:
    case Pattern::Kind::constructor: return destructure_by_match(syntax, operand);
    case Pattern::Kind::tuple: {
        if (std::optional<std::vector<Operand>> elements = emit_.take_tuple(operand, syntax.parts.size())) {
            for (size_t i = 0; i < elements->size(); ++i) TRY(take_apart(syntax.parts[i], (*elements)[i]));
            return {};
        }
        ValueId tuple = TRY(tuple_of(operand, syntax));
        for (size_t i = 0; i < syntax.parts.size(); ++i) {
            if (syntax.parts[i].pattern.kind == Pattern::Kind::wildcard) continue;
            Binding binding{.form = Form::project, .args = {tuple}, .index = uint32_t(i)};
            TRY(take_apart(syntax.parts[i], emit_.emit(std::move(binding), syntax.parts[i].pattern.span)));
        }
        return {};
    }
    case Pattern::Kind::record: {
        ValueId record = emit_.use(operand);
        for (size_t i = 0; i < syntax.parts.size(); ++i) {
            if (syntax.parts[i].pattern.kind == Pattern::Kind::wildcard) continue;
            Binding binding{.form = Form::field, .args = {record}, .names = {syntax.pattern.fields[i]}};
            TRY(take_apart(syntax.parts[i], emit_.emit(std::move(binding), syntax.parts[i].pattern.span)));
        }
        return {};
    }
    }
    return {};
}

// The value as a tuple of so many: the count of elements is part of the pattern, and projections alone would not tell it.
Result<ValueId> BodyParser::tuple_of(const Operand& operand, const PatternSyntax& syntax) {
    const size_t count = syntax.parts.size();
    const TypeId hole = module_.types.hole(), wanted = module_.types.tuple(std::vector<TypeId>(count, hole));
    const TypeId given = operand.is_constant() ? emit_.constant_of(operand).type : emit_.function[operand.value].type;
    if (operand.is_constant() && given != wanted)        // no literal is a tuple but ()
        return Error{Code::type, "a pattern of " + std::to_string(count) + " parts takes a tuple apart, found a constant", operand.span};
    const ValueId tuple = emit_.use(operand);
    if (given == hole) emit_.function[tuple].type = wanted;          // its binding is what inference compares with this
    if (given == hole || operand.is_constant()) return tuple;
    const Type& written = module_.types[given];
    if (written.kind == TypeKind::tuple && written.parts.size() == count) return tuple;
    std::string differ = written.kind == TypeKind::tuple && !written.parts.empty() && count > 0
                             ? "a tuple of " + std::to_string(written.parts.size()) + ", found one of " + std::to_string(count) + ": " + to_string(module_, given) + " against "
                             : to_string(module_, given) + ", found ";
    return Error{Code::type, "pattern: expected " + differ + to_string(module_, wanted), syntax.pattern.span};
}

// match (e) { pattern => (its variables) }, and the variables are taken from the tuple.
Status BodyParser::destructure_by_match(const PatternSyntax& syntax, const Operand& operand) {
    Binding match{.form = Form::match, .args = {emit_.use(operand)}};
    Arm arm;
    std::vector<ValueId> params;
    std::vector<Token> names;
    each_variable(syntax, [&](const PatternSyntax& variable) { names.push_back(variable.name); });
    BlockId body = emit_.open_block();
    {
        Scope scope(*this);
        arm.pattern = TRY(bind_pattern(syntax, params));
    }
    ValueId result;
    if (params.empty()) result = emit_.use(emit_.constant(Literal{}, operand.span));
    else if (params.size() == 1) result = params[0];
    else result = emit_.emit(Binding{.form = Form::tuple, .args = params}, operand.span).value;
    emit_.block().params = std::move(params);
    emit_.block().results = {result};
    emit_.close_block();
    match.blocks = {body};
    match.arms.push_back(std::move(arm));
    std::vector<NamedSym> dims = syntax.dims;
    for (const NamedSym& dim : dims) match.defines.push_back(dim.sym);
    Operand made = emit_.emit(std::move(match), syntax.pattern.span);
    if (names.size() == 1) emit_.bind(names[0].text, made);
    for (size_t i = 0; names.size() > 1 && i < names.size(); ++i) {
        Binding binding{.form = Form::project, .args = {made.value}, .index = uint32_t(i)};
        emit_.bind(names[i].text, emit_.emit(std::move(binding), names[i].span));
    }
    return {};
}
} // namespace nereus
