// text/generic.cpp - the form of dialects, in which every binding can be written:
//   %a, %b {new k} = name<details>(args; attributes) {(%p: T) bindings => %results} : T, T
// Language constructs are called ir.if, ir.call …; <details> holds what is neither value nor attribute.
#include "text/lexer.h"
#include "text/parse_body.h"
#include "base/suggest.h"

namespace nereus {
namespace {
struct FormName { std::string_view name; Form form; };
constexpr FormName form_names[] = {
    {"ir.call", Form::call},     {"ir.apply", Form::apply},   {"ir.function", Form::function},
    {"ir.construct", Form::construct}, {"ir.tuple", Form::tuple}, {"ir.project", Form::project},
    {"ir.field", Form::field},   {"ir.record", Form::record}, {"ir.update", Form::update},
    {"ir.index", Form::index},   {"ir.seq", Form::seq},       {"ir.lambda", Form::lambda},
    {"ir.if", Form::if_},        {"ir.match", Form::match},   {"ir.for", Form::for_},
    {"ir.while", Form::while_},  {"ir.closure", Form::closure}, {"ir.check", Form::check},
};
} // namespace

bool BodyParser::dialect_here() const {
    auto word = [](const Token& t) { return t.kind == TokenKind::name || t.kind == TokenKind::keyword; };
    return cursor_.at_kind(TokenKind::name) && cursor_.at(".", 1) && cursor_.peek(1).touches &&
           word(cursor_.peek(2)) && cursor_.peek(2).touches;
}

Status BodyParser::results_statement() {
    std::vector<ResultSyntax> results;
    do {
        ResultSyntax result{TRY(cursor_.expect_kind(TokenKind::value, "a result")), {}};
        result.notes = TRY(annotation(TypeParser::Unknown::reject, true));
        results.push_back(std::move(result));
    } while (cursor_.accept(","));
    TRY(cursor_.expect("="));
    if (!dialect_here()) {                               // the language binds one value, and takes it apart
        std::string names;
        for (const ResultSyntax& result : results) names += (names.empty() ? "%" : ", %") + std::string(result.name.text);
        return Error{Code::parse, "several names are bound in brackets", join(results[0].name.span, results.back().name.span),
                     "write `(" + names + ") = …`"};
    }
    TRY(dialect_op(std::move(results)));
    return {};
}

// Gives the first result, if there is one.
Result<Operand> BodyParser::dialect_op(std::vector<ResultSyntax> results) {
    program_.has_generic_form = true;
    Token name = TRY(cursor_.expect_kind(TokenKind::name, "an operation"));
    while (cursor_.at(".")) {
        cursor_.take();
        const Token& part = cursor_.take();
        name.text =
            std::string_view(name.text.data(), size_t(part.text.data() + part.text.size() - name.text.data()));
        name.span = join(name.span, part.span);
    }
    Binding binding;
    bool is_form = false;
    for (const FormName& row : form_names)
        if (row.name == name.text) binding.form = row.form, is_form = true;
    std::vector<NamedSym> outer = std::exchange(pending_, {});
    for (const ResultSyntax& result : results)
        pending_.insert(pending_.end(), result.notes.introduced.begin(), result.notes.introduced.end());
    if (is_form) {
        if (cursor_.accept("<")) {
            TRY(form_details(binding));
            TRY(cursor_.expect(">"));
        }
        TRY(generic_arguments(binding));
    } else {
        const OpDef* op = program_.ops.find(name.text);
        if (!op) {
            std::vector<std::string_view> known;
            for (const OpDef* other : program_.ops.all()) known.push_back(other->name);
            for (const FormName& row : form_names) known.push_back(row.name);
            return Error{Code::name, "unknown operator " + describe(name), name.span,
                         did_you_mean("", name.text, known)};
        }
        if (!cursor_.at_touching("(")) return cursor_.expected("`(`");
        cursor_.take();
        Layout layout(*this, false);
        std::vector<Slot> slots(op->params.size());
        AttributeList extra;
        TRY(op_arguments(*op, name, slots, extra));
        binding = TRY(op_binding(*op, name, slots, std::move(extra)));
    }
    TRY(generic_blocks(binding));
    pending_ = std::move(outer);

    binding.span = join(name.span, cursor_.last_span());
    for (const ResultSyntax& result : results) {
        bool noted = result.name.kind == TokenKind::value;
        ValueId value = emit_.new_value(noted ? result.notes.type : module_.types.hole(), name.span);
        if (noted) emit_.function[value].known = result.notes.known;
        for (const NamedSym& symbol : result.notes.introduced) binding.defines.push_back(symbol.sym);
        binding.dims.insert(binding.dims.end(), result.notes.dims.begin(), result.notes.dims.end());
        binding.results.push_back(value);
    }
    if (cursor_.accept(":")) TRY(generic_types(binding.results));
    Operand first{.value = results.empty() ? ValueId() : binding.results[0], .fresh = true, .span = binding.span};
    for (size_t i = 0; i < results.size(); ++i)
        if (results[i].name.kind == TokenKind::value)
            emit_.bind(results[i].name.text,
                       Operand{.value = binding.results[i], .fresh = true, .span = binding.span});
    BindingId id = emit_.function.add_binding(std::move(binding));
    emit_.block().bindings.push_back(id);
    return first;
}

Status BodyParser::generic_types(const std::vector<ValueId>& results) {
    for (size_t i = 0; i < results.size(); ++i) {
        if (i > 0) TRY(cursor_.expect(","));
        TypeId type = TRY(this->type());
        emit_.function[results[i]].type = type;
    }
    return {};
}

// ---- details

Status BodyParser::form_details(Binding& binding) {
    auto function = [&]() -> Result<FunctionId> {
        bool qualified = cursor_.at_word("prelude") && cursor_.peek(1).kind == TokenKind::function;
        if (qualified) cursor_.take();
        const Token& token = cursor_.take();
        bool own = token.kind == TokenKind::function && !qualified;
        const ProgramNames::Space& space = program_.space(!own || item_.from_prelude);
        auto found = space.functions.find(token.text);
        if (found == space.functions.end())
            return Error{Code::name, "unknown function " + describe(token), token.span};
        return found->second;
    };
    auto number = [&]() -> Result<uint32_t> {
        Token token = TRY(cursor_.expect_kind(TokenKind::integer, "a number"));
        return uint32_t(std::min<uint64_t>(token.integer, UINT32_MAX - 1));
    };
    auto word = [&]() -> Result<Token> { return cursor_.expect_kind(TokenKind::name, "a name"); };
    switch (binding.form) {
    case Form::call:
    case Form::function: binding.function = TRY(function()); return {};
    case Form::project: binding.index = TRY(number()); return {};
    case Form::closure: binding.lambda = TRY(number()); return {};
    case Form::check:
        types_.unknown = TypeParser::Unknown::reject;
        types_.may_introduce = false;
        binding.fact = TRY(types_.fact());
        return {};
    case Form::construct: {
        bool from_prelude = item_.from_prelude;
        if (cursor_.accept_word("prelude")) {
            TRY(cursor_.expect("."));
            from_prelude = true;
        }
        Token name = TRY(cursor_.expect_kind(TokenKind::type_name, "a constructor"));
        ConstructorRef ref = TRY(constructor(name, from_prelude));
        binding.decl = ref.decl;
        binding.index = ref.index;
        return {};
    }
    case Form::record:
        if (cursor_.at_kind(TokenKind::type_name)) {
            binding.decl = TRY(types_.type_name(cursor_.take()));
            TRY(cursor_.expect(":"));
        }
        [[fallthrough]];
    case Form::field:
    case Form::update:
        do binding.names.emplace_back(TRY(word()).text);
        while (cursor_.accept(","));
        return {};
    case Form::index: {
        static constexpr std::string_view kinds[] = {"at", "from_to", "from", "to", "all"};
        do {
            Token kind = TRY(word());
            auto found = std::find(std::begin(kinds), std::end(kinds), kind.text);
            if (found == std::end(kinds))
                return Error{Code::parse, "unknown part of an index " + describe(kind), kind.span};
            binding.parts.push_back(IndexPart{IndexPart::Kind(found - std::begin(kinds))});
        } while (cursor_.accept(","));
        return {};
    }
    case Form::apply:                                    // 0: @f[opened](dims) -> [chosen](results), …
        types_.unknown = TypeParser::Unknown::reject;
        do {
            ApplyTarget target;
            target.lambda = TRY(number());
            TRY(cursor_.expect(":"));
            target.function = TRY(function());
            TRY(target_sizes(target.opened, target.dims));
            if (cursor_.accept("->")) TRY(target_sizes(target.chosen, target.results));
            binding.targets.push_back(std::move(target));
        } while (cursor_.accept(","));
        return {};
    case Form::op:
    case Form::literal:
    case Form::dim:
    case Form::tuple:
    case Form::seq:
    case Form::lambda:
    case Form::if_:
    case Form::match:
    case Form::for_:
    case Form::while_: break;
    }
    return cursor_.expected("`>`");
}

// [symbols](dims)
Status BodyParser::target_sizes(std::vector<Sym>& symbols, std::vector<Dim>& dims) {
    types_.may_introduce = true;
    types_.introduces = SymKind::late;
    TRY(cursor_.expect("["));
    TRY(cursor_.list("]", [&]() -> Status {
        std::optional<Sym> symbol = module_.dims.as_symbol(TRY(types_.dim()));
        if (!symbol) return cursor_.expected("a symbol");
        symbols.push_back(*symbol);
        return {};
    }));
    types_.may_introduce = false;
    TRY(cursor_.expect("("));
    return cursor_.list(")", [&]() -> Status {
        dims.push_back(TRY(types_.dim()));
        return {};
    });
}

// ---- arguments and attributes

Status BodyParser::generic_arguments(Binding& binding) {
    TRY(cursor_.expect("("));
    Layout layout(*this, false);
    std::vector<Operand> operands;
    while (!cursor_.at(")") && !cursor_.at(";")) {
        operands.push_back(TRY(expression()));
        if (!cursor_.at(")") && !cursor_.at(";")) TRY(cursor_.expect(","));
    }
    for (size_t i = 0; i < operands.size(); ++i) {
        bool size = (binding.form == Form::for_ && i == 0) || (binding.form == Form::index && i > 0);
        binding.args.push_back(
            emit_.use(operands[i], size ? module_.types.scalar(DType::i64) : module_.types.hole()));
    }
    if (cursor_.accept(";")) binding.attributes = TRY(attributes());
    return cursor_.expect(")");
}

Result<AttributeList> BodyParser::attributes() {
    AttributeList list;
    while (!cursor_.at(")")) {
        list.push_back(TRY(attribute()));
        if (!cursor_.at(")")) TRY(cursor_.expect(","));
    }
    return list;
}

// 1, 1.0, true, "text", f32, [1, 2], type T, dim 2*n
Result<Attribute> BodyParser::attribute() {
    Attribute attribute;
    Token name = TRY(cursor_.expect_kind(TokenKind::name, "an attribute"));
    attribute.name = std::string(name.text);
    while (cursor_.accept("."))
        attribute.name += "." + std::string(TRY(cursor_.expect_kind(TokenKind::name, "a name")).text);
    TRY(cursor_.expect("="));
    const Token& token = cursor_.peek();
    types_.unknown = TypeParser::Unknown::reject;
    types_.may_introduce = false;
    if (cursor_.accept("type")) {
        attribute.value = TRY(types_.type());
    } else if (token.kind == TokenKind::name && token.text == "dim" && !cursor_.at(",", 1) && !cursor_.at(")", 1)) {
        cursor_.take();
        attribute.value = TRY(types_.dim());
    } else if (token.kind == TokenKind::name && dtype_from_name(token.text)) {
        attribute.value = *dtype_from_name(cursor_.take().text);
    } else if (cursor_.at("[")) {
        Slot list;
        TRY(fill_list(list));
        std::vector<int64_t> values;
        for (const Operand& element : list.operands) values.push_back(TRY(integer_constant(element, attribute.name)));
        attribute.value = std::move(values);
    } else {
        Operand operand = TRY(expression());
        const Constant* constant = operand.is_constant() ? &emit_.constant_of(operand) : nullptr;
        bool plain = constant && !constant->is_dim && !constant->literal.is_tensor;
        Literal::Kind kind = plain ? constant->literal.kind : Literal::Kind::unit;
        if (kind == Literal::Kind::unit)
            return Error{Code::type, "the attribute `" + attribute.name + "` must be a constant", token.span};
        if (kind == Literal::Kind::integer) attribute.value = constant->literal.integers[0];
        if (kind == Literal::Kind::boolean) attribute.value = constant->literal.integers[0] != 0;
        if (kind == Literal::Kind::real) attribute.value = constant->literal.reals[0];
        if (kind == Literal::Kind::text) attribute.value = constant->literal.text;
    }
    return attribute;
}

// ---- blocks

Status BodyParser::generic_blocks(Binding& binding) {
    std::optional<Scope> loop;                           // the states of a while are seen by both of its blocks
    if (binding.form == Form::while_) loop.emplace(*this);
    std::vector<ValueId> states;
    while (cursor_.at("{") && !cursor_.peek().newline_before) {
        std::optional<Scope> scope;
        if (!loop) scope.emplace(*this);
        cursor_.take();
        std::vector<ValueId> params;
        if (binding.form == Form::match) {
            if (!cursor_.accept_word("case")) return cursor_.expected("`case`");
            PatternSyntax syntax = TRY(pattern(true));
            TRY(no_repetition(syntax));
            Arm arm;
            arm.pattern = TRY(bind_pattern(syntax, params));
            if (cursor_.accept("if")) {
                TRY(cursor_.expect("{"));
                arm.guard = TRY(generic_block({}));
            }
            binding.arms.push_back(std::move(arm));
        } else if (cursor_.accept("(")) {
            TRY(cursor_.list(")", [&]() -> Status {
                State param;
                param.name = TRY(cursor_.expect_kind(TokenKind::value, "a parameter"));
                bool is_lambda = binding.form == Form::lambda;
                param.notes =
                    TRY(annotation(is_lambda ? TypeParser::Unknown::quantify : TypeParser::Unknown::reject, true));
                params.push_back(state_param(param));
                return {};
            }));
        }
        if (loop && binding.blocks.empty()) states = std::exchange(params, {});
        else if (loop) params = states;
        binding.blocks.push_back(TRY(generic_block(std::move(params))));
    }
    return {};
}

// After the parameters: bindings => results }
Result<BlockId> BodyParser::generic_block(std::vector<ValueId> params) {
    BlockId id = emit_.open_block();
    emit_.block().params = std::move(params);
    Layout layout(*this, true);
    while (!cursor_.at("=>")) {
        if (cursor_.accept(";")) continue;
        switch (kind_of_statement()) {
        case Stmt::binding: TRY(binding_statement()); break;
        case Stmt::results: TRY(results_statement()); break;
        case Stmt::dialect: TRY(dialect_op({})); break;
        case Stmt::symbols: TRY(symbols_statement()); break;
        case Stmt::sizes: TRY(sizes_statement()); break;
        case Stmt::expression: TRY(discard(TRY(expression()))); break;
        case Stmt::yield: return cursor_.expected("a binding or `=>`");
        }
        if (!cursor_.at("=>") && !cursor_.at(";") && !cursor_.peek().newline_before)
            return cursor_.expected("a newline or `;` after the statement");
    }
    cursor_.take();
    std::vector<Operand> results;
    TRY(cursor_.list("}", [&]() -> Status {
        results.push_back(TRY(expression()));
        return {};
    }));
    std::vector<ValueId> values = emit_.use_all(results);
    emit_.block().results = std::move(values);
    emit_.close_block();
    return id;
}
} // namespace nereus
