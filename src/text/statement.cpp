// text/statement.cpp - blocks and their statements; here newlines matter.
#include "text/parse_body.h"

namespace nereus {
BodyParser::BodyParser(ProgramNames& program, FunctionItem& item)
    : cursor_(*item.tokens, item.body), program_(program), module_(program.module), item_(item), names_(item.names),
      types_(cursor_, program, item.names, item.from_prelude), emit_(program.module, program.module[item.id]) {
    types_.announced = &item.announced;
    types_.quantifies_in_functions = true;
}

Status BodyParser::run() {
    const Token& opening = cursor_.peek();
    for (size_t i = item_.header; i < opening.partner; ++i)
        if (cursor_.token(i).kind == TokenKind::value) emit_.reserve_name(cursor_.token(i).text);
    for (size_t i = 0; i < item_.params.size(); ++i) {
        ValueId param = emit_.function.params[i];
        emit_.name_value(param, item_.params[i]);
        emit_.scope.add(item_.params[i], Operand{.value = param, .span = emit_.function[param].span});
    }
    Function& function = emit_.function;
    function.body = TRY(block());
    // the outermost block has no symbols of its own: what is written there belongs to the function
    function.symbols = std::exchange(function[function.body].symbols, {});
    function.result_dims = std::exchange(function[function.body].dims, {});
    emit_.name_rest();
    return {};
}

Status BodyParser::deeper(const Token& token) {
    if (token.depth + ++unbracketed_ > max_nesting)
        return Error{Code::limit, "the program nests more than 1000 deep", token.span};
    return {};
}

// ---- blocks

Result<BlockId> BodyParser::block() {
    BlockId id = emit_.open_block();
    Operand value = TRY(block_contents(nullptr));
    emit_.block().span = value.span;                     // a block is blamed for its value
    ValueId result = emit_.use(value);
    emit_.block().results = {result};
    emit_.close_block();
    return id;
}

Result<Operand> BodyParser::block_contents(std::vector<ValueId>* yields, bool value_optional) {
    const Token& opening = cursor_.peek();
    TRY(cursor_.expect("{"));
    Layout layout(*this, true);
    Scope scope(*this);
    emit_.block().span = opening.span;
    std::optional<Operand> last;
    while (!cursor_.at("}")) {
        if (last) TRY(discard(*std::exchange(last, {})));
        if (cursor_.accept(";")) continue;
        const Token& start = cursor_.peek();
        switch (kind_of_statement()) {
        case Stmt::yield: TRY(yield_statement(yields)); break;
        case Stmt::binding: TRY(binding_statement()); break;
        case Stmt::results: TRY(results_statement()); break;
        case Stmt::dialect: TRY(dialect_op({})); break;
        case Stmt::symbols: TRY(symbols_statement()); break;
        case Stmt::sizes: TRY(sizes_statement()); break;
        case Stmt::expression: last = TRY(expression()); break;
        }
        TRY(end_of_statement(start));
        while (cursor_.accept(";")) {}
    }
    const Token& closing = cursor_.take();
    if (last) return *last;
    if (value_optional) return emit_.constant(Literal{}, closing.span);
    return Error{Code::parse, "a block ends with the expression that is its value", closing.span,
                 "write `()` where there is none"};
}

// Of `%p.a = …` and `%s[0] = …`.
std::string BodyParser::no_assignment(const Token& start) const {
    const std::string name = "%" + std::string(start.text);
    const Token& last = cursor_.token(cursor_.position() - 1);
    if (last.kind == TokenKind::name)
        return "values do not change: `" + name + " = {" + name + " with " + std::string(last.text) + " = …}` binds a record that differs there";
    if (Cursor::is(last, "]")) return "values do not change: `set(s, i, v)` is a Seq that differs there, `slice_update(x, v, [i])` a tensor";
    return "";
}

// A statement ends at `;`, `}` or a newline. A line that begins with an infix operator would silently be a statement of
// its own, so it is refused; a minus may begin a line as a sign if it touches its operand and is not indented deeper.
Status BodyParser::end_of_statement(const Token& start) {
    const Token& next = cursor_.peek();
    if (cursor_.at(";") || cursor_.at("}")) return {};
    if (!next.newline_before) {
        Error error = cursor_.expected("a newline or `;` after the statement");
        if (cursor_.at("(") || cursor_.at("["))
            error.hint = "the `" + std::string(next.text) + "` of a call or an index touches its head";
        if (cursor_.at("=") && start.kind == TokenKind::name)
            error.hint = "a variable is written `%" + std::string(start.text) + "`";
        if (cursor_.at("=") && start.kind == TokenKind::value) error.hint = no_assignment(start);
        return error;
    }
    bool minus = cursor_.at("-") && cursor_.peek(1).touches && next.span.column <= start.span.column;
    if ((next.kind == TokenKind::sign && find_infix(next.text) && !minus) || cursor_.at("."))
        return Error{Code::parse, "a line cannot begin with `" + std::string(next.text) + "`", next.span,
                     cursor_.at(".") ? "write it on the line before"
                                     : "end the line before with `" + std::string(next.text) + "`"};
    return {};
}

// A bare expression stands for its effect: its type must be ().
Status BodyParser::discard(const Operand& operand) {
    if (operand.is_constant()) {
        if (emit_.constant_of(operand).type == module_.types.unit()) return {};
        return Error{Code::type, "a constant alone does nothing", operand.span,
                     "a statement is a binding or an expression of type ()"};
    }
    if (!operand.fresh && emit_.function[operand.value].type != module_.types.unit())
        return Error{Code::type, "a variable alone does nothing", operand.span,
                     "a statement is a binding or an expression of type (); the value of a block is its last expression"};
    emit_.ascribe(operand, module_.types.unit());
    return {};
}

BodyParser::Stmt BodyParser::kind_of_statement() const {
    const Token& first = cursor_.peek();
    // the position after a possible pattern
    size_t after = cursor_.position() + 1;
    auto skip = [&](std::string_view opening) {
        if (Cursor::is(cursor_.token(after), opening)) after = cursor_.token(after).partner + 1;
    };
    bool pattern = true;
    switch (first.kind) {
    case TokenKind::value:
        if (Cursor::is(cursor_.token(after), "{")) skip("{");          // annotations of a result
        if (Cursor::is(cursor_.token(after), ",")) return Stmt::results;
        break;
    case TokenKind::name:
        if (dialect_here()) return Stmt::dialect;
        if (cursor_.at("(", 1) && !cursor_.peek(1).touches) {
            if (first.text == "symbols") return Stmt::symbols;
            if (first.text == "sizes") return Stmt::sizes;
        }
        pattern = first.text == "_";
        break;
    case TokenKind::type_name:
        while (Cursor::is(cursor_.token(after), ".") && cursor_.token(after + 1).kind == TokenKind::type_name)
            after += 2;
        skip("[");
        skip("(");
        skip("{");
        break;
    case TokenKind::keyword:
        if (first.text == "yield") return Stmt::yield;
        pattern = first.text == "true" || first.text == "false";
        break;
    case TokenKind::integer:
    case TokenKind::real:
    case TokenKind::text: break;
    case TokenKind::sign:
        if (first.text == "(" || first.text == "{") after = first.partner + 1;
        else if (first.text == "-") ++after;
        else pattern = false;
        break;
    case TokenKind::function:
    case TokenKind::end: pattern = false; break;
    }
    bool binds = pattern && (Cursor::is(cursor_.token(after), "=") || Cursor::is(cursor_.token(after), ":"));
    return binds ? Stmt::binding : Stmt::expression;
}

// ---- statements

Result<TypeId> BodyParser::type(TypeParser::Unknown unknown) {
    types_.unknown = unknown;
    types_.may_introduce = true;
    types_.introduces = SymKind::late;
    return types_.type();
}

Result<BodyParser::Annotation> BodyParser::annotation(TypeParser::Unknown unknown, bool may_introduce) {
    Annotation notes;
    notes.type = module_.types.hole();
    types_.introduced.clear();
    types_.unknown = unknown;
    types_.may_introduce = may_introduce;
    types_.introduces = SymKind::late;
    if (cursor_.accept(":")) notes.type = TRY(types_.type());
    if (cursor_.accept("{")) {                           // before the type where symbols are needed in another order
        TRY(cursor_.list("}", [&]() -> Status {
            if (cursor_.accept("=")) {
                notes.known = TRY(types_.dim());
            } else if (cursor_.accept("new")) {
                TRY(types_.new_symbol());
            } else if (cursor_.accept_word("dims")) {
                TRY(cursor_.expect("("));
                TRY(cursor_.list(")", [&]() -> Status {
                    notes.dims.push_back(TRY(types_.dim()));
                    return {};
                }));
            } else {
                return cursor_.expected("`=`, `new` or `dims`");
            }
            return {};
        }));
        if (cursor_.accept(":")) notes.type = TRY(types_.type());
    }
    notes.introduced = std::exchange(types_.introduced, {});
    return notes;
}

Status BodyParser::binding_statement() {
    if (cursor_.at_kind(TokenKind::value)) return simple_binding();
    PatternSyntax syntax = TRY(pattern(false));
    Annotation notes = TRY(annotation(TypeParser::Unknown::reject, false));
    TRY(cursor_.expect("="));
    Operand value = TRY(expression());
    if (notes.type != module_.types.hole()) value = emit_.ascribe(value, notes.type);
    return destructure(syntax, value);
}

Status BodyParser::simple_binding() {
    const Token& name = cursor_.take();
    Annotation notes = TRY(annotation(TypeParser::Unknown::reject, true));
    TRY(cursor_.expect("="));
    if (dialect_here()) {
        TRY(dialect_op({ResultSyntax{name, notes}}));
        return {};
    }
    std::vector<NamedSym> outer = std::exchange(pending_, notes.introduced);
    const size_t bound_before = being_bound_.size();
    if (cursor_.at("fn")) being_bound_.push_back(name.text);
    Operand value = TRY(expression());
    being_bound_.resize(bound_before);
    pending_ = std::move(outer);
    TypeId type = notes.type;
    if (cursor_.at(":")) {                               // as the generic form has it
        cursor_.take();
        type = TRY(this->type());
    }
    value = emit_.ascribe(value, type);
    TRY(attach(value, notes));
    emit_.bind(name.text, value);
    return {};
}

// Puts what was written before the = on the binding that was made.
Status BodyParser::attach(const Operand& operand, const Annotation& notes) {
    if (notes.empty()) return {};
    Binding* binding = nullptr;
    if (operand.fresh && !operand.is_constant()) binding = &emit_.function[emit_.block().bindings.back()];
    if (!binding || binding->results.empty() || binding->results[0] != operand.value)
        return Error{Code::parse, "only an operation can be annotated", operand.span};
    emit_.function[operand.value].known = notes.known;
    binding->dims = notes.dims;
    for (const NamedSym& symbol : notes.introduced) binding->defines.push_back(symbol.sym);
    TypeId& type = emit_.function[operand.value].type;   // of a value ascribed: it is here that its sizes become known
    if (!notes.introduced.empty() && type == module_.types.hole()) type = notes.type;
    return {};
}

Status BodyParser::yield_statement(std::vector<ValueId>* yields) {
    const Token& word = cursor_.take();
    if (!yields)
        return Error{Code::parse, "`yield` stands only at the top level of a loop's body", word.span};
    Operand value = TRY(expression());
    yields->push_back(emit_.use(value));
    return {};
}

// symbols (n, new join k): defined on entry to the block.
Status BodyParser::symbols_statement() {
    cursor_.take(), cursor_.take();
    types_.unknown = TypeParser::Unknown::reject;
    types_.may_introduce = true;
    types_.introduces = SymKind::late;
    return cursor_.list(")", [&]() -> Status {
        const Token first = cursor_.peek();
        std::optional<Sym> symbol = module_.dims.as_symbol(TRY(types_.dim()));
        if (!symbol) return Error{Code::parse, "expected a symbol", first.span};
        if (NameEntry* entry = names_.find(first.text)) entry->announced = false;      // the result names it, a caller hands it in
        emit_.block().symbols.push_back(*symbol);
        return {};
    });
}

// sizes (2*n, k): handed to the symbols that the enclosing binding defines.
Status BodyParser::sizes_statement() {
    cursor_.take(), cursor_.take();
    types_.unknown = TypeParser::Unknown::reject;
    types_.may_introduce = false;
    return cursor_.list(")", [&]() -> Status {
        Dim dim = TRY(types_.dim());
        emit_.block().dims.push_back(dim);
        return {};
    });
}
} // namespace nereus
