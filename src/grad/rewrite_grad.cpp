// grad/rewrite_grad.cpp - grad(f): a function of f's parameters that runs f taped, then the tape, and reads the adjoints.
#include "grad/known_functions.h"
#include "grad/rewrite.h"
#include <algorithm>

namespace nereus {
bool Rewrite::holds_gradient(BlockId block) const {
    for (BindingId id : source_[block].bindings) {
        const Binding& b = source_[id];
        if (b.form == Form::op && b.op->builtin == Builtin::grad) return true;
        for (const Arm& arm : b.arms)
            if (arm.guard.valid() && holds_gradient(arm.guard)) return true;
        for (BlockId inner : b.blocks)
            if (holds_gradient(inner)) return true;
    }
    return false;
}

// Gradients that it or a lambda that it captures calls, made around it: they are not there before the next round.
bool Rewrite::awaits_gradient(const Binding& lambda) const {
    std::set<ValueId> bound;
    std::vector<ValueId> free;
    free_values(source_, lambda.blocks[0], bound, free);
    return std::any_of(free.begin(), free.end(), [&](ValueId v) {
        auto it = definitions_.find(v);
        if (it == definitions_.end()) return false;
        const Binding& made = *it->second;
        if (made.form == Form::op && made.op->builtin == Builtin::grad) return true;
        return made.form == Form::lambda && (holds_gradient(made.blocks[0]) || awaits_gradient(made));
    });
}

// The function that is differentiated, by what made it.
Result<Rewrite::Target> Rewrite::target_of(const Binding& b) const {
    auto it = definitions_.find(b.args[0]);
    const Binding* made = it == definitions_.end() ? nullptr : it->second;
    if (made && made->form == Form::function) return Target{made, true};
    if (made && made->form == Form::lambda) return Target{made, !holds_gradient(made->blocks[0]) && !awaits_gradient(*made)};
    if (made && made->form == Form::op && made->op->builtin == Builtin::grad) return Target{made, false};
    return unknown_target(b);
}

// A captured cell gets one shadow at the call, whoever mentions it: f itself or a captured lambda.
Status Rewrite::shadow_captured_cells(const Binding& lambda) {
    std::set<ValueId> bound;
    std::vector<ValueId> free;
    free_values(source_, lambda.blocks[0], bound, free);
    for (ValueId v : free) {
        auto it = definitions_.find(v);
        if (it != definitions_.end() && it->second->form == Form::lambda) TRY(shadow_captured_cells(*it->second));
        else if (shadows_.holds_cell(type(v)) && is_constant(v)) {
            TRY(outer_cells(value(v)));
            twins_[v.index].shadow = TRY(all_.structures.fresh_shadow(w_, value(v)));
        }
    }
    return {};
}

// Every cell from outside gets a shadow of its own, which is right only while no two of them are one cell.
Status Rewrite::outer_cells(ValueId v) {
    const Type t = module_.types[w_.type(v)];
    if (shadows_.inert(w_.type(v)) || !shadows_.holds_cell(w_.type(v))) return {};
    if (t.kind == TypeKind::tuple) {
        for (size_t i = 0; i < t.parts.size(); ++i) TRY(outer_cells(w_.project(v, i)));
        return {};
    }
    if (t.kind != TypeKind::ref || shadows_.holds_cell(t.parts[0]))
        return Error{Code::unsupported, "grad: a structure with cells comes from outside of what is differentiated", w_.span,
                     "pass or capture the cells themselves"};
    for (ValueId other : cells_)
        if (w_.type(other) == w_.type(v)) {
            ValueId same = w_.builtin("equal", {other, v}, module_.types.scalar(DType::boolean));
            w_.assert_(w_.op("not", {same}), "grad: two cells from outside are one and the same");
        }
    cells_.push_back(v);
    return {};
}

Result<Twin> Rewrite::run_target(const Binding& target, const std::vector<ValueId>& params, const std::vector<ValueId>& shadows) {
    TypeId result = module_.types[type(target)].parts.back();
    if (target.form == Form::function) {
        FunctionId taped = TRY(all_.taped(target.function, w_.span));
        std::vector<ValueId> args = params;
        for (ValueId s : shadows)
            if (s.valid()) args.push_back(s);
        args.push_back(tape_);
        return parted(w_.call(taped, args, shadows_.with_shadow(result)), result, "y");
    }
    const std::vector<ValueId>& own = source_[target.blocks[0]].params;
    for (size_t i = 0; i < own.size(); ++i) twins_[own[i].index] = {params[i], shadows[i]};
    return taped_block(target.blocks[0]);
}

Result<GradientForm> Rewrite::form_of(const Binding& b) {
    GradientForm form{.op = std::string(b.op->name), .wrt = {}};
    std::vector<TypeId> signature = module_.types[type(b.args[0])].parts;
    if (const Attribute* given = find_attribute(b, "wrt")) form.wrt = std::get<std::vector<int64_t>>(given->value);
    else
        for (size_t i = 0; i + 1 < signature.size(); ++i) form.wrt.push_back(int64_t(i));
    for (int64_t i : form.wrt) {
        TypeId of = signature[size_t(i)];
        if (shadows_.holds_cell(of) || shadows_.holds_function(of))
            return Error{Code::type, form.op + ": parameter " + std::to_string(i) + " holds a " + (shadows_.holds_cell(of) ? "cell" : "function") +
                                         ", which has no adjoint", b.span, "choose the parameters to differentiate by: wrt=[...]"};
    }
    return form;
}

Status Rewrite::closures(const Binding& b, const Binding& target) {
    expanded_ = true;
    const auto [op, wrt, whose] = TRY(form_of(b));
    std::vector<TypeId> signature = module_.types[type(b.args[0])].parts;
    size_t count = signature.size() - 1;
    std::vector<ValueId> params, shadows;
    for (size_t i = 0; i < count; ++i) params.push_back(w_.value("x" + std::to_string(i), shadows_.plain(signature[i])));
    std::vector<ValueId> all = params;
    if (op == "vjp") all.push_back(w_.value("y_adjoint", shadows_.plain(signature.back())));
    ValueId outer_tape = tape_;
    std::vector<Twin> outer_twins = twins_;
    BlockId body = TRY(w_.block(all, [&]() -> Result<std::vector<ValueId>> {
        ValueId none = w_.construct(shadows_.list_decl(), 0, {}, shadows_.list_of(shadows_.step()));
        tape_ = w_.ref(none, "tape");
        cells_.clear();
        for (ValueId param : params) TRY(outer_cells(param));
        for (ValueId param : params)
            shadows.push_back(shadows_.inert(w_.type(param)) ? ValueId() : TRY(all_.structures.fresh_shadow(w_, param)));
        if (target.form == Form::lambda) TRY(shadow_captured_cells(target));
        Twin y = TRY(run_target(target, params, shadows));
        ValueId cells = TRY(shadow(y));
        std::vector<ValueId> results;
        if (op == "vjp") {
            TRY(all_.structures.add(w_, cells, all.back()));
        } else {
            ValueId scalar = w_.op("full", {{{}, true}, y.value}, {{"as", op}});     // refuses anything but a scalar
            if (op == "value_and_grad") results.push_back(scalar);
            w_.set_adjoint(cells, w_.op("full", {{{}, true}, w_.number(1, w_.dtype(scalar))}));
        }
        w_.call(all_.run_tape(), {tape_}, module_.types.unit());
        std::vector<ValueId> adjoints;
        for (int64_t i : wrt) adjoints.push_back(TRY(all_.structures.adjoint(w_, params[size_t(i)], shadows[size_t(i)])));
        results.push_back(w_.tuple(adjoints));
        return std::vector<ValueId>{w_.tuple(results)};
    }));
    tape_ = outer_tape;
    twins_ = std::move(outer_twins);
    TypeId result = shadows_.plain(module_.types[type(b)].parts.back());
    twins_[b.results[0].index] = {w_.lambda(all, body, result, name(b)), {}};
    return {};
}
} // namespace nereus
