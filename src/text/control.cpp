// text/control.cpp - if, match, loops and fn: bindings with blocks.
#include "text/parse_body.h"

namespace nereus {
// ---- if

Result<Operand> BodyParser::if_expression() {
    const Token& word = cursor_.take();
    TRY(cursor_.expect("(", "write `if (condition) { … } else { … }`"));
    Binding binding{.form = Form::if_};
    {
        Layout layout(*this, false);
        Operand condition = TRY(expression());
        TRY(cursor_.expect(")", cursor_.at("=") ? "equality is written `==`" : ""));
        binding.args = {emit_.use(condition)};
    }
    binding.blocks.push_back(TRY(block()));
    if (!cursor_.at("else")) {
        Error error = cursor_.expected("`else`");
        if (error.hint.empty()) error.hint = "an `if` has a value on both sides; `else { () }` does nothing";
        return error;
    }
    cursor_.take();
    if (cursor_.at("if")) {
        TRY(deeper(cursor_.peek()));
        BlockId other = emit_.open_block();
        emit_.block().span = cursor_.peek().span;
        ValueId result = emit_.use(TRY(if_expression()));
        emit_.block().results = {result};
        emit_.close_block();
        --unbracketed_;
        binding.blocks.push_back(other);
    } else {
        binding.blocks.push_back(TRY(block()));
    }
    return emit_.emit(std::move(binding), word.span);
}

// ---- match

Result<Operand> BodyParser::match_expression() {
    const Token& word = cursor_.take();
    TRY(cursor_.expect("(", "write `match (value) { pattern => value, … }`"));
    Layout layout(*this, false);
    Operand subject = TRY(expression());
    TRY(cursor_.expect(")"));
    Binding binding{.form = Form::match, .args = {emit_.use(subject)}};
    TRY(cursor_.expect("{"));
    while (!cursor_.at("}")) {
        TRY(match_arm(binding));
        if (cursor_.at("}")) break;
        if (!cursor_.at(",")) return cursor_.expected("`,` or `}` after the arm");
        cursor_.take();
    }
    cursor_.take();
    return emit_.emit(std::move(binding), word.span);
}

Status BodyParser::match_arm(Binding& match) {
    Scope scope(*this);
    const Token& start = cursor_.peek();
    PatternSyntax syntax = TRY(pattern(true));
    TRY(no_repetition(syntax));
    std::vector<ValueId> params;
    Arm arm;
    arm.pattern = TRY(bind_pattern(syntax, params));
    if (cursor_.accept("if")) arm.guard = TRY(guard_block());
    TRY(cursor_.expect("=>", "an arm is written `pattern => value`, with `pattern if condition => value` for a guard"));
    BlockId body = emit_.open_block();
    emit_.block().params = std::move(params);
    emit_.block().span = start.span;
    Operand value = TRY(cursor_.at("{") && !record_follows() ? block_contents(nullptr) : expression());
    emit_.block().span = value.span;
    ValueId result = emit_.use(value);
    emit_.block().results = {result};
    emit_.close_block();
    match.blocks.push_back(body);
    match.arms.push_back(std::move(arm));
    return {};
}

// A condition that is a block of its own: an expression, or a block in braces where one line does not hold it.
Result<BlockId> BodyParser::guard_block() {
    if (cursor_.at("{")) return block();
    BlockId id = emit_.open_block();
    Operand value = TRY(expression());
    emit_.block().span = value.span;
    ValueId result = emit_.use(value);
    emit_.block().results = {result};
    emit_.close_block();
    return id;
}

// After =>: `{` is a record iff it starts `name =` or is {e with …}. `_ =` binds: no field has that name.
bool BodyParser::record_follows() const {
    const Token& first = cursor_.peek(1);
    if (first.kind == TokenKind::name && cursor_.at("=", 2)) return first.text != "_";
    uint32_t end = cursor_.peek().partner;
    for (size_t i = cursor_.position() + 1; i < end; ++i) {
        const Token& token = cursor_.token(i);
        if (Cursor::is(token, "with")) return true;
        if (Cursor::is(token, "(") || Cursor::is(token, "[") || Cursor::is(token, "{")) i = token.partner;
    }
    return false;
}

// ---- loops

// ( %s: T = e, … ): the initial values are evaluated in the enclosing scope; the names are bound afterwards.
Result<std::vector<BodyParser::State>> BodyParser::states() {
    TRY(cursor_.expect("(", "a loop's states are written `(%s = start, …)`, none as `()`"));
    Layout layout(*this, false);
    std::vector<State> states;
    std::vector<Operand> initial;
    Once once;
    TRY(cursor_.list(")", [&]() -> Status {
        State state;
        state.name = TRY(cursor_.expect_kind(TokenKind::value, "a variable", "a loop's states are written `(%s = start, …)`"));
        TRY(once.add("state", state.name));
        state.notes = TRY(annotation(TypeParser::Unknown::reject, true));
        TRY(cursor_.expect("=", "a loop's states are written `(%s = start, …)`; the condition of `while` follows them"));
        initial.push_back(TRY(expression()));
        states.push_back(std::move(state));
        return {};
    }));
    for (size_t i = 0; i < states.size(); ++i) states[i].initial = emit_.use(initial[i]);
    return states;
}

ValueId BodyParser::state_param(const State& state) {
    ValueId value = emit_.new_value(state.notes.type, state.name.span);
    emit_.function[value].known = state.notes.known;
    emit_.name_value(value, state.name.text);
    emit_.scope.add(state.name.text, Operand{.value = value, .span = state.name.span});
    return value;
}

Result<BlockId> BodyParser::loop_body(const std::vector<State>& states, std::vector<ValueId> params) {
    BlockId body = emit_.open_block();
    emit_.block().params = std::move(params);
    std::vector<ValueId> yields, results;
    // a body that only yields has no value to write
    Operand last = TRY(block_contents(&yields, states.empty()));
    emit_.block().span = last.span;
    if (states.empty()) {
        TRY(discard(last));
    } else if (states.size() == 1) {
        results = {emit_.use(last)};
    } else if (std::optional<std::vector<Operand>> elements = emit_.take_tuple(last, states.size())) {
        results = emit_.use_all(*elements);
    } else {
        if (last.is_constant())                          // no literal is such a tuple
            return Error{Code::type, "the loop has " + std::to_string(states.size()) + " states, so its body ends with a tuple of " +
                                         std::to_string(states.size()) + ", found a constant", last.span};
        ValueId tuple = emit_.use(last);
        for (size_t i = 0; i < states.size(); ++i)
            results.push_back(
                emit_.emit(Binding{.form = Form::project, .args = {tuple}, .index = uint32_t(i)}, last.span).value);
    }
    results.insert(results.end(), yields.begin(), yields.end());
    emit_.block().results = std::move(results);
    emit_.close_block();
    return body;
}

Result<Operand> BodyParser::for_expression() {
    const Token& word = cursor_.take();
    Scope scope(*this);
    State counter;
    counter.name = TRY(cursor_.expect_kind(TokenKind::value, "the loop's counter"));
    counter.notes = TRY(annotation(TypeParser::Unknown::reject, true));
    TRY(cursor_.expect("in"));
    TRY(deeper(word));                                   // for %i in for %j in …
    Operand count = TRY(expression());
    --unbracketed_;
    if (!cursor_.at(",")) {
        Error error = cursor_.expected("`,` and the loop's states");
        error.hint = "states are written `for %i in n, (%s = start) { next }`, none as `()`";
        return error;
    }
    cursor_.take();
    std::vector<State> states = TRY(this->states());
    Binding binding{.form = Form::for_, .args = {emit_.use(count, module_.types.scalar(DType::i64))}};
    std::vector<ValueId> params = {state_param(counter)};
    for (const State& state : states) {
        binding.args.push_back(state.initial);
        params.push_back(state_param(state));
    }
    binding.blocks = {TRY(loop_body(states, std::move(params)))};
    return emit_.emit(std::move(binding), word.span);
}

Result<Operand> BodyParser::while_expression() {
    const Token& word = cursor_.take();
    Scope scope(*this);
    std::vector<State> states = TRY(this->states());
    Binding binding{.form = Form::while_};
    std::vector<ValueId> params;
    for (const State& state : states) {
        binding.args.push_back(state.initial);
        params.push_back(state_param(state));
    }
    BlockId condition;
    if (cursor_.at("{")) {
        condition = TRY(block());
    } else {
        TRY(cursor_.expect("(", "write `while (%s = start) (condition) { next }`"));
        Layout layout(*this, false);
        condition = TRY(guard_block());
        TRY(cursor_.expect(")"));
    }
    binding.blocks = {condition};
    binding.blocks.push_back(TRY(loop_body(states, std::move(params))));
    return emit_.emit(std::move(binding), word.span);
}

// ---- fn

// Dims and type variables already in scope are those; others belong to the function written here.
Result<Operand> BodyParser::lambda() {
    const Token& word = cursor_.take();
    Scope scope(*this);
    TRY(cursor_.expect("("));
    std::vector<State> params;
    Once once;
    {
        Layout layout(*this, false);
        TRY(cursor_.list(")", [&]() -> Status {
            State param;
            param.name = TRY(cursor_.expect_kind(TokenKind::value, "a parameter", cursor_.at("(") ? "a parameter is one name: take it apart inside, `(%a, %b) = %p`" : ""));
            TRY(once.add("parameter", param.name));
            param.notes = TRY(annotation(TypeParser::Unknown::quantify, true));
            params.push_back(std::move(param));
            return {};
        }));
    }
    std::vector<ValueId> values;
    for (const State& param : params) values.push_back(state_param(param));
    if (!cursor_.at("{")) return cursor_.expected("`{` and the body of the function", "write `fn(%x) { … }`");
    BlockId body = TRY(block());
    emit_.function[body].params = std::move(values);
    return emit_.emit(Binding{.form = Form::lambda, .blocks = {body}}, word.span);
}
} // namespace nereus
