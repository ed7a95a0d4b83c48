#include "grad/rewrite.h"

namespace nereus {
Rewrite::Rewrite(Gradients& all, const Function& source, Function& out)
    : all_(all), module_(all.module), shadows_(all.shadows), source_(source), w_(all.module, all.shadows, out),
      twins_(source.values.size()) {
    for (const Binding& b : source.bindings)
        for (ValueId result : b.results) definitions_[result] = &b;
    out.type_params = source.type_params;
    out.where = source.where;
    out.from_prelude = source.from_prelude;
    out.span = source.span;
    w_.span = source.span;
}

Result<bool> Rewrite::expand() {
    Function& out = w_.function();
    out.result = source_.result;
    out.vjp_forward = source_.vjp_forward, out.vjp_backward = source_.vjp_backward;
    for (ValueId param : source_.params) twins_[param.index].value = w_.param(source_[param].name, type(param));
    TRY(plan());
    TRY(copy_bindings(source_.body));
    std::vector<ValueId> results;
    for (ValueId result : source_[source_.body].results) results.push_back(value(result));
    w_.finish(out.body, std::move(results));
    return expanded_;
}

Status Rewrite::copied() {
    resolves_index_ = true;
    return TRY(expand()) ? Status(Error{Code::internal, "grad: a gradient inside is expanded first", source_.span}) : Status();
}

std::vector<ValueId> Rewrite::new_params(BlockId from) {
    std::vector<ValueId> params;
    for (ValueId param : source_[from].params) {
        params.push_back(w_.value(source_[param].name, type(param)));
        twins_[param.index] = {params.back(), {}};
    }
    return params;
}

// Its parameters have twins already.
Result<BlockId> Rewrite::copy_block(BlockId from) {
    std::vector<ValueId> params;
    for (ValueId param : source_[from].params) params.push_back(value(param));
    return w_.block(params, [&]() -> Result<std::vector<ValueId>> {
        TRY(copy_bindings(from));
        std::vector<ValueId> results;
        for (ValueId result : source_[from].results) results.push_back(value(result));
        return results;
    });
}

Status Rewrite::copy_bindings(BlockId from) {
    for (BindingId id : source_[from].bindings) TRY(copy(source_[id]));
    return {};
}

Binding Rewrite::with_new_args(const Binding& b) {
    Binding made = b;
    for (ValueId& arg : made.args) arg = value(arg);
    made.results.clear(), made.blocks.clear();
    return made;
}

Pattern Rewrite::renamed(const Pattern& pattern) {
    Pattern made = pattern;
    if (made.variable.valid()) made.variable = value(made.variable);
    for (size_t i = 0; i < made.parts.size(); ++i) made.parts[i] = renamed(pattern.parts[i]);
    return made;
}

Status Rewrite::copy(const Binding& b) {
    Span outer = std::exchange(w_.span, b.span);
    auto done = [&] { w_.span = outer; };
    if (b.form == Form::index && resolves_index_) {
        twins_[b.results[0].index] = {TRY(plain_index(b)), {}};
        return done(), Status();
    }
    if (auto it = asked_.find(&b); it != asked_.end()) {
        TRY(it->second.product ? product(b, *it->second.target) : closures(b, *it->second.target));
        return done(), Status();
    }
    bool made_here = b.form == Form::function || b.form == Form::lambda;
    if (made_here && !asked_.empty() && !is_used_as_value(b.results[0])) {
        expanded_ |= b.form == Form::lambda && holds_gradient(b.blocks[0]);      // gone with what nobody calls
        return done(), Status();
    }
    if (auto it = b.form == Form::apply ? products_.find(b.args[0]) : products_.end(); it != products_.end()) {
        std::vector<ValueId> args;
        for (ValueId v : it->second.captured) args.push_back(value(v));
        for (size_t i = 1; i < b.args.size(); ++i) args.push_back(value(b.args[i]));
        twins_[b.results[0].index] = {w_.call(it->second.function, args, type(b), name(b)), {}};
        return done(), Status();
    }
    Binding made = with_new_args(b);
    for (BlockId block : b.blocks) new_params(block);    // first: conditions and guards see them too
    for (size_t i = 0; i < b.arms.size(); ++i) {
        made.arms[i].pattern = renamed(b.arms[i].pattern);
        if (b.arms[i].guard.valid()) made.arms[i].guard = TRY(copy_block(b.arms[i].guard));
    }
    for (BlockId block : b.blocks) made.blocks.push_back(TRY(copy_block(block)));
    twins_[b.results[0].index] = {w_.bind(std::move(made), type(b), name(b)), {}};
    return done(), Status();
}
} // namespace nereus
