// grad/rewrite_taped.cpp - taped code: values as they were, shadows moved in parallel.
#include "grad/rewrite.h"
#include <algorithm>

namespace nereus {
Status Rewrite::taped() {
    Function& out = w_.function();
    for (ValueId param : source_.params) twins_[param.index].value = w_.param(source_[param].name, type(param));
    for (ValueId param : source_.params)
        if (!shadows_.inert(type(param)))
            twins_[param.index].shadow = w_.param("s_" + source_[param].name, shadows_.of(type(param)));
    tape_ = w_.param("tape", shadows_.tape());
    Twin y = TRY(taped_block(source_.body));
    bool inert = shadows_.inert(source_.result);
    out.result = inert ? source_.result : module_.types.tuple({source_.result, shadows_.of(source_.result)});
    w_.finish(out.body, {join(y, source_.result, TRY(shadow(y)))});
    return {};
}

Result<ValueId> Rewrite::shadow(ValueId from) {
    if (twin(from).shadow.valid()) return twin(from).shadow;
    auto it = definitions_.find(from);
    if (it != definitions_.end() && it->second->form == Form::lambda) return taped_lambda(*it->second);
    if (it != definitions_.end() && it->second->form == Form::function) {
        FunctionId taped = TRY(all_.taped(it->second->function, w_.span));
        return w_.bind(Binding{.form = Form::function, .function = taped}, shadows_.taped(type(from)));
    }
    return shadow(twin(from));
}
Result<ValueId> Rewrite::shadow(const Twin& twin) {
    if (twin.shadow.valid()) return twin.shadow;
    return all_.structures.fresh_shadow(w_, twin.value);
}

ValueId Rewrite::join(const Twin& twin, TypeId type, ValueId shadow) {
    return shadows_.inert(type) ? twin.value : w_.tuple({twin.value, shadow});
}
Twin Rewrite::parted(ValueId joined, TypeId type, std::string_view name) {
    if (shadows_.inert(type)) return {joined, {}};
    ValueId value = w_.project(joined, 0, name);
    return {value, w_.project(joined, 1, "s_" + std::string(name))};
}

Result<Twin> Rewrite::taped_block(BlockId from) {
    TRY(taped_bindings(from));
    ValueId result = source_[from].results[0];
    Twin y = twin(result);
    if (is_constant(result)) y.shadow = TRY(shadow(result));
    return y;
}
Status Rewrite::taped_bindings(BlockId from) {
    for (BindingId id : source_[from].bindings) TRY(taped_binding(source_[id]));
    return {};
}
Status Rewrite::taped_binding(const Binding& b) {
    Span outer = std::exchange(w_.span, b.span);
    twins_[b.results[0].index] = TRY(taped_form(b));
    w_.span = outer;
    return {};
}

Result<Twin> Rewrite::taped_form(const Binding& b) {
    auto as_it_is = [&] { return w_.bind(with_new_args(b), type(b), name(b)); };
    switch (b.form) {
    case Form::literal: case Form::dim: return Twin{as_it_is(), {}};
    case Form::op: return b.op->builtin == Builtin::none ? operate(b) : builtin(b);
    case Form::call: return call(b);
    case Form::apply: return apply(b);
    case Form::function: case Form::lambda: return lambda(b);
    case Form::tuple: case Form::seq: case Form::construct: case Form::record: return construct(b);
    case Form::project: {
        Twin y{as_it_is(), {}};
        if (!is_constant(b.args[0]) && !shadows_.inert(type(b)))
            y.shadow = w_.project(twin(b.args[0]).shadow, b.index, "s_" + name(b));
        return y;
    }
    case Form::field: return field(b);
    case Form::update: return update(b);
    case Form::index: return taped_index(b);
    case Form::if_: return branch(b);
    case Form::match: return match(b);
    case Form::for_: case Form::while_: return loop(b);
    case Form::closure: case Form::check: break;
    }
    return Error{Code::internal, "grad: a form of a later stage", b.span};
}

// With constants alone the function is called as it is, unless it may hand out a cell or a function.
Result<Twin> Rewrite::call(const Binding& b) {
    bool constant = !shadows_.holds_cell(type(b)) && !shadows_.holds_function(type(b));
    for (ValueId arg : b.args)
        constant = constant && !twin(arg).shadow.valid() && !shadows_.holds_cell(type(arg)) && !shadows_.holds_function(type(arg));
    if (constant) return Twin{w_.bind(with_new_args(b), type(b), name(b)), {}};
    FunctionId taped = TRY(all_.taped(b.function, b.span));
    std::vector<ValueId> args;
    for (ValueId arg : b.args) args.push_back(value(arg));
    for (ValueId arg : b.args)
        if (!shadows_.inert(type(arg))) args.push_back(TRY(shadow(arg)));
    args.push_back(tape_);
    return parted(w_.call(taped, args, shadows_.with_shadow(type(b))), type(b), name(b));
}

Result<Twin> Rewrite::apply(const Binding& b) {
    std::vector<ValueId> args{TRY(shadow(b.args[0]))};
    for (size_t i = 1; i < b.args.size(); ++i) args.push_back(value(b.args[i]));
    for (size_t i = 1; i < b.args.size(); ++i)
        if (!shadows_.inert(type(b.args[i]))) args.push_back(TRY(shadow(b.args[i])));
    args.push_back(tape_);
    ValueId both = w_.bind(Binding{.form = Form::apply, .args = args}, shadows_.with_shadow(type(b)));
    return parted(both, type(b), name(b));
}

Result<Twin> Rewrite::construct(const Binding& b) {
    Twin y{w_.bind(with_new_args(b), type(b), name(b)), {}};
    if (shadows_.inert(type(b))) return y;
    bool constant = !shadows_.holds_function(type(b)) && !shadows_.holds_cell(type(b));
    for (ValueId arg : b.args) constant = constant && !twin(arg).shadow.valid();
    if (constant) return y;
    Binding beside = with_new_args(b);
    for (size_t i = 0; i < b.args.size(); ++i) beside.args[i] = TRY(shadow(b.args[i]));
    if (b.form == Form::construct || b.form == Form::record) beside.decl = shadows_.decl_of(type(b));
    y.shadow = w_.bind(std::move(beside), shadows_.of(type(b)), "s_" + name(b));
    return y;
}

Result<Twin> Rewrite::field(const Binding& b) {
    Twin y{w_.bind(with_new_args(b), type(b), name(b)), {}};
    if (shadows_.inert(type(b)) || is_constant(b.args[0])) return y;
    Binding beside = with_new_args(b);
    beside.args = {twin(b.args[0]).shadow};
    beside.decl = shadows_.decl_of(type(b.args[0]));
    y.shadow = w_.bind(std::move(beside), shadows_.of(type(b)), "s_" + name(b));
    return y;
}

Result<Twin> Rewrite::update(const Binding& b) {
    Twin y{w_.bind(with_new_args(b), type(b), name(b)), {}};
    if (shadows_.inert(type(b))) return y;
    Binding beside = with_new_args(b);
    for (size_t i = 0; i < b.args.size(); ++i) beside.args[i] = TRY(shadow(b.args[i]));
    beside.decl = shadows_.decl_of(type(b));
    y.shadow = w_.bind(std::move(beside), shadows_.of(type(b)), "s_" + name(b));
    return y;
}

// The function as it was, for whoever calls it outside of this code, and its taped form as the shadow.
Result<Twin> Rewrite::lambda(const Binding& b) {
    TRY(copy(b));
    ValueId plain = value(b.results[0]);
    twins_[b.results[0].index].shadow = {};
    return Twin{plain, TRY(shadow(b.results[0]))};
}

Result<ValueId> Rewrite::taped_lambda(const Binding& b) {
    BlockId from = b.blocks[0];
    ValueId outer_tape = tape_;
    std::vector<ValueId> params = new_params(from);
    for (ValueId param : source_[from].params) {
        if (shadows_.inert(type(param))) continue;
        params.push_back(w_.value("s_" + source_[param].name, shadows_.of(type(param))));
        twins_[param.index].shadow = params.back();
    }
    tape_ = w_.value("tape", shadows_.tape());
    params.push_back(tape_);
    TypeId result = module_.types[type(b)].parts.back();
    BlockId body = TRY(w_.block(params, [&]() -> Result<std::vector<ValueId>> {
        Twin y = TRY(taped_block(from));
        return std::vector<ValueId>{join(y, result, TRY(shadow(y)))};
    }));
    tape_ = outer_tape;
    return w_.lambda(params, body, shadows_.with_shadow(result), "s_" + name(b));
}
} // namespace nereus
