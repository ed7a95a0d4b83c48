// Branches, patterns and loops of the walk.
#include "infer/types_walk.h"

namespace nereus {
Status TypeWalk::condition(TermId found, Blame blame) {
    return context_.expect(terms_.tensor(DType::boolean), found, blame);
}

Result<TermId> TypeWalk::if_else(const Binding& b) {
    TRY(condition(of(b.args[0]), blame(b.span, "condition of `if`", b.args[0])));
    TermId then = TRY(block(b.blocks[0]));
    TermId otherwise = TRY(block(b.blocks[1]));
    TRY(context_.expect(then, otherwise, blame_block(b.blocks[1], "`else` against `if`")));
    return then;
}

Result<TermId> TypeWalk::match(const Binding& b) {
    TermId result = terms_.unknown();
    for (size_t i = 0; i < b.arms.size(); ++i) {
        TRY(pattern(b, b.arms[i].pattern, of(b.args[0])));
        if (BlockId guard = b.arms[i].guard; guard.valid()) {
            TermId test = TRY(block(guard));
            TRY(condition(test, blame_block(guard, "guard")));
        }
        TermId found = TRY(block(b.blocks[i]));
        TRY(context_.expect(result, found, blame_block(b.blocks[i], "arm", i + 1)));
    }
    return result;
}

Status TypeWalk::pattern(const Binding& b, const Pattern& p, TermId subject) {
    Blame blamed{.span = p.span.known() ? p.span : b.span, .what = "pattern"};
    switch (p.kind) {
    case Pattern::Kind::wildcard: return {};
    case Pattern::Kind::variable: return context_.expect(subject, bind_param(p.variable), blamed);
    case Pattern::Kind::literal: return context_.expect(subject, TRY(literal(p.literal, blamed.span)), blamed);
    case Pattern::Kind::record: return record_pattern(b, p, subject);
    case Pattern::Kind::tuple: {
        std::vector<TermId> parts;
        for (size_t i = 0; i < p.parts.size(); ++i) parts.push_back(terms_.unknown());
        TRY(context_.expect(subject, terms_.tuple(parts), blamed));
        for (size_t i = 0; i < p.parts.size(); ++i) TRY(pattern(b, p.parts[i], parts[i]));
        return {};
    }
    case Pattern::Kind::constructor: break;
    }
    const Constructor& made = context_.module[p.decl].constructors[p.constructor];
    if (p.parts.size() != made.fields.size())
        return context_.error(blamed, "`" + made.name + "` has " + std::to_string(made.fields.size()) +
                                          (made.fields.size() == 1 ? " field, " : " fields, ") +
                                          std::to_string(p.parts.size()) + " given");
    WrittenTypes written(context_.module, terms_);
    TRY(context_.expect(subject, written.data(p.decl), blamed));
    for (size_t i = 0; i < p.parts.size(); ++i) TRY(pattern(b, p.parts[i], written.term(made.fields[i])));
    return {};
}

Status TypeWalk::record_pattern(const Binding& b, const Pattern& p, TermId subject) {
    types_.record_patterns.emplace_back(&p, subject);
    Deferred one = deferred(Deferred::Kind::record_pattern, b, subject);
    one.pattern = &p;
    if (terms_.is_unknown(subject)) {                    // exactly these fields name a record, as in an expression
        std::vector<DeclId> candidates = context_.records_with(p.fields, true, function_.from_prelude);
        if (candidates.size() == 1) {
            TermId record = WrittenTypes(context_.module, terms_).data(candidates[0]);
            TRY(context_.expect(subject, record, Blame{p.span, "pattern"}));
        } else if (context_.records_with(p.fields, false, function_.from_prelude).empty()) return no_such_record(p.fields, p.span);
    }
    for (size_t i = 0; i < p.parts.size(); ++i) one.parts.push_back(terms_.unknown());
    std::vector<TermId> parts = one.parts;
    TRY(wait(std::move(one)));
    for (size_t i = 0; i < p.parts.size(); ++i) TRY(pattern(b, p.parts[i], parts[i]));
    return {};
}

// The sizes of a loop's states are found by walking its body twice, those of loops inside each time again.
Status TypeWalk::enter_loop(const Binding& b) {
    constexpr int most = 16;
    if (++loops_ <= most) return {};
    return Error{Code::limit, "loops nest more than " + std::to_string(most) + " deep", b.span, "put the inner ones into a function of their own"};
}

Result<TermId> TypeWalk::for_loop(const Binding& b) {
    const Block& body = function_[b.blocks[0]];
    Status counts = context_.expect(terms_.tensor(DTypeClass::integer), of(b.args[0]), blame(b.span, "count of `for`", b.args[0]));
    if (!counts) {
        Error error = std::move(counts).error();
        if (terms_[of(b.args[0])].kind != TermKind::tensor)
            error.hint = "`for` counts from 0: a Seq is read as %s[%i], a List is taken apart by `foldl` or `match`";
        return error;
    }
    TRY(context_.expect(terms_.tensor(DType::i64), bind_param(body.params[0]), Blame{b.span, "counter of `for`"}));
    std::span<const ValueId> states = std::span(body.params).subspan(1);
    TRY(initial_states(b, states, std::span(b.args).subspan(1)));
    TRY(enter_loop(b));
    TRY(block(b.blocks[0]));
    --loops_;
    return loop_result(b, b.blocks[0], states);
}

Result<TermId> TypeWalk::while_loop(const Binding& b) {
    std::span<const ValueId> states = function_[b.blocks[1]].params;
    TRY(initial_states(b, states, b.args));
    TRY(enter_loop(b));
    TermId test = TRY(block(b.blocks[0]));
    TRY(condition(test, blame_block(b.blocks[0], "condition of `while`")));
    TRY(block(b.blocks[1]));
    --loops_;
    return loop_result(b, b.blocks[1], states);
}

Status TypeWalk::initial_states(const Binding& b, std::span<const ValueId> states, std::span<const ValueId> initial) {
    for (size_t i = 0; i < states.size(); ++i) {
        Blame blamed = blame(b.span, "initial value", initial[i]);
        blamed.owner = function_[states[i]].name, blamed.sigil = "%";
        TRY(context_.expect(bind_param(states[i]), of(initial[i]), blamed));
    }
    return {};
}

// The body gives the next states, then what each `yield` adds; yields are stacked, so they must be tensors.
Result<TermId> TypeWalk::loop_result(const Binding& b, BlockId body, std::span<const ValueId> states) {
    const std::vector<ValueId>& given = function_[body].results;
    std::vector<TermId> results;
    for (size_t i = 0; i < given.size(); ++i) {
        Span span = function_[body].span.known() ? function_[body].span : b.span;
        if (i < states.size()) {
            Blame blamed = blame(span, "next value", given[i]);
            blamed.owner = function_[states[i]].name, blamed.sigil = "%";
            TRY(context_.expect(of(states[i]), of(given[i]), blamed));
            results.push_back(of(states[i]));
        } else {
            TermId element = terms_.dtype_unknown(DTypeClass::any);
            TRY(context_.expect(terms_.tensor(element), of(given[i]), blame(span, "`yield` stacks tensors", given[i])));
            results.push_back(terms_.tensor(element));
        }
    }
    return bundle(results);
}
} // namespace nereus
