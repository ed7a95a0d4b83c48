#include "grad/gradients.h"
#include "grad/grad.h"
#include "grad/known_functions.h"
#include "grad/rewrite.h"
#include "ops/registry.h"
#include <algorithm>

namespace nereus {
namespace {
bool has_gradient(const Function& function) {
    auto is_gradient = [](const Binding& b) { return b.form == Form::op && b.op && b.op->builtin == Builtin::grad; };
    return std::any_of(function.bindings.begin(), function.bindings.end(), is_gradient);
}
} // namespace

Gradients::Gradients(Module source) : module(std::move(source)), shadows(module), structures(module, shadows), products(*this) {}

Result<Module> Gradients::run() {
    KnownFunctions known(module, shadows, structures);
    TRY(known.run());
    size_t given = module.functions.size();              // what is generated holds no gradients
    for (size_t i = 0; i < given; ++i)
        if (!known.differentiates_a_parameter(FunctionId(i))) TRY(expand(FunctionId(i), module.functions[i].span));
    TRY(products.write_late());
    TRY(check_reached());
    TRY(Status(shadows.status() ? Status() : Status(shadows.status().error())));
    return std::move(module);
}

// Functions that differentiate a parameter are left as they are, and must not be needed.
Status Gradients::check_reached() const {
    std::vector<FunctionId> reached{FunctionId(0)};
    std::set<FunctionId> seen{FunctionId(0)};
    for (size_t i = 0; i < reached.size(); ++i)
        for (const Binding& b : module[reached[i]].bindings) {
            if (b.form == Form::op && b.op->builtin == Builtin::grad) return unknown_target(b);
            if (b.function.valid() && seen.insert(b.function).second) reached.push_back(b.function);
        }
    return {};
}

Error unknown_target(const Binding& b) {
    return Error{Code::unsupported, std::string(b.op->name) + " of a function that is only known when the program runs", b.span,
                 "what it computes must be seen when the program is compiled: an order of derivative that an input tells is not"};
}

// One round expands the innermost gradients; what they became is ordinary code in the next.
Status Gradients::expand(FunctionId id, Span asked) {
    State state = states_[id];
    if (state == State::done) return {};
    if (state == State::busy)
        return Error{Code::unsupported, "the order of differentiation is not bounded: the gradient of @" + module[id].name +
                                            " is needed to write it down", asked};
    states_[id] = State::busy;
    std::vector<FunctionId> outer = std::move(waiting_);
    waiting_.clear();
    while (has_gradient(module[id])) {
        const Function source = module[id];
        Function out;
        out.name = source.name;
        bool expanded = TRY(Rewrite(*this, source, out).expand());
        if (!expanded) return Error{Code::internal, "grad: nothing to expand in @" + source.name, source.span};
        module[id] = std::move(out);
    }
    while (!waiting_.empty()) {
        FunctionId target = waiting_.back();
        waiting_.pop_back();
        TRY(derive(target));
    }
    waiting_ = std::move(outer);
    states_[id] = State::done;
    return {};
}

Result<FunctionId> Gradients::taped(FunctionId id, Span asked) {
    if (auto it = taped_.find(id); it != taped_.end()) return it->second;
    TRY(products.write_late(id));
    if (products.source_of(id)) return taped(by_closures(id), asked);
    TRY(expand(id, asked));
    int order = order_[id] + 1;
    if (order > highest_order)
        return Error{Code::unsupported, "the order of differentiation is not bounded: @" + module[id].name +
                                            " is differentiated ever again", asked};
    FunctionId made = structures.new_function(module[id].name + ".taped", module[id].span);
    const Function& source = module[id];                 // the signature is all that callers need
    Function& target = module[made];
    target.result = shadows.with_shadow(source.result);
    order_[made] = order, states_[made] = State::done, taped_[id] = made;
    pending_[made] = id;
    waiting_.push_back(made);
    return made;
}

// The reference form differentiates what it has written itself rather than tapes of the product form.
FunctionId Gradients::by_closures(FunctionId product) {
    auto [it, is_new] = by_closures_.try_emplace(product);
    if (!is_new) return it->second;
    const auto [function, form] = *products.source_of(product);
    FunctionId id = it->second = structures.new_function(module[function].name + ".grad", module[product].span);
    const Function source = module[product];
    Function out;
    out.name = module[id].name, out.span = source.span, out.result = source.result;
    out.type_params = source.type_params, out.where = source.where;
    Writer w(module, shadows, out);
    w.span = source.span;
    std::vector<TypeId> types;
    for (ValueId param : source.params) {
        w.param(source[param].name, source[param].type);
        types.push_back(shadows.plain(source[param].type));
    }
    TypeId gradient = module.types.function(types, source.result);
    if (form.op == "vjp") types.pop_back();
    TypeId of = module.types.function(types, shadows.plain(module[function].result));
    ValueId target = w.bind(Binding{.form = Form::function, .function = function}, of);
    Binding asked{.form = Form::op, .op = all_ops().find(form.op), .args = {target}, .groups = {{}}};
    asked.attributes = {{"wrt", form.wrt}, {"mode", std::string("closures")}};
    std::vector<ValueId> args{w.bind(std::move(asked), gradient)};
    args.insert(args.end(), out.params.begin(), out.params.end());
    w.finish(out.body, {w.bind(Binding{.form = Form::apply, .args = args}, source.result)});
    module[id] = std::move(out);
    return id;
}

Status Gradients::derive(FunctionId target) {
    auto it = pending_.find(target);
    if (it == pending_.end()) return {};
    FunctionId source = it->second;
    pending_.erase(it);
    TRY(derive(source));                                 // of a higher order: what it is made from must be there
    return module[source].vjp_forward.valid() ? derive_custom(source, target) : derive_plain(source, target);
}

Status Gradients::derive_plain(FunctionId source_id, FunctionId target) {
    const Function source = module[source_id];
    Function out;
    out.name = module[target].name;
    TRY(Rewrite(*this, source, out).taped());
    module[target] = std::move(out);
    return {};
}

// @f gives the result and a residual; the step calls @g with them and adds what it says to the parameters' shadows.
Status Gradients::derive_custom(FunctionId source_id, FunctionId target) {
    const Function source = module[source_id];
    Function out;
    out.name = module[target].name, out.span = source.span;
    Writer w(module, shadows, out);
    w.span = source.span;
    std::vector<ValueId> values, cells;
    for (ValueId param : source.params) values.push_back(w.param(source[param].name, shadows.plain(source[param].type)));
    for (ValueId value : values) {
        bool inert = shadows.inert(w.type(value));
        cells.push_back(inert ? ValueId() : w.param("s_" + out[value].name, shadows.of(w.type(value))));
    }
    ValueId tape = w.param("tape", shadows.tape());
    TypeId both = shadows.plain(module[source.vjp_forward].result);
    ValueId made = w.call(source.vjp_forward, values, both);
    ValueId y = w.project(made, 0, "y"), residual = w.project(made, 1, "residual");
    if (shadows.inert(w.type(y))) {
        out.result = w.type(y);
        w.finish(out.body, {y});
        module[target] = std::move(out);
        return {};
    }
    ValueId shadow = TRY(structures.fresh_shadow(w, y));
    BlockId step = TRY(w.block({}, [&]() -> Result<std::vector<ValueId>> {
        ValueId adjoint = TRY(structures.adjoint(w, y, shadow));
        TypeId result = shadows.plain(module[source.vjp_backward].result);
        ValueId adjoints = w.call(source.vjp_backward, {residual, adjoint}, result);
        for (size_t i = 0; i < values.size(); ++i)
            if (cells[i].valid())
                TRY(structures.add(w, cells[i], values.size() == 1 ? adjoints : w.project(adjoints, i)));
        return std::vector<ValueId>{w.unit()};
    }));
    TypeId steps = shadows.list_of(shadows.step());
    ValueId lambda = w.lambda({}, step, module.types.unit(), "step");
    w.write(tape, w.construct(shadows.list_decl(), 1, {lambda, w.read(tape)}, steps));
    ValueId result = w.tuple({y, shadow});
    out.result = w.type(result);
    w.finish(out.body, {result});
    module[target] = std::move(out);
    return {};
}

FunctionId Gradients::run_tape() {
    if (run_tape_.valid()) return run_tape_;
    run_tape_ = structures.new_function("run_tape", {});
    states_[run_tape_] = State::done;
    Function out;
    out.name = module[run_tape_].name;
    Writer w(module, shadows, out);
    TypeId steps = shadows.list_of(shadows.step()), unit = module.types.unit();
    DeclId list = shadows.list_decl();
    ValueId tape = w.param("tape", shadows.tape());
    out.result = unit;
    ValueId all = w.read(tape, "all");
    w.write(tape, w.construct(list, 0, {}, steps));      // a step is let go when it has run
    ValueId left = w.value("left", steps);
    auto pattern = [&](uint32_t constructor, std::vector<ValueId> variables) {
        Pattern p{.kind = Pattern::Kind::constructor};
        p.decl = list, p.constructor = constructor;
        for (ValueId variable : variables) {
            Pattern part{.kind = variable.valid() ? Pattern::Kind::variable : Pattern::Kind::wildcard};
            part.variable = variable;
            p.parts.push_back(part);
        }
        return Arm{.pattern = std::move(p), .guard = {}};
    };
    auto say = [&](bool truth) { return *w.block({}, [&]() -> Result<std::vector<ValueId>> { return std::vector<ValueId>{w.truth(truth)}; }); };
    auto condition = [&]() -> Result<std::vector<ValueId>> {
        Binding match{.form = Form::match, .args = {left}, .blocks = {say(false), say(true)}};
        match.arms = {pattern(0, {}), pattern(1, {ValueId(), ValueId()})};
        return std::vector<ValueId>{w.bind(std::move(match), module.types.scalar(DType::boolean))};
    };
    auto body = [&]() -> Result<std::vector<ValueId>> {
        ValueId step = w.value("step", shadows.step()), rest = w.value("rest", steps);
        BlockId none = *w.block({}, [&]() -> Result<std::vector<ValueId>> { return std::vector<ValueId>{left}; });
        BlockId one = *w.block({step, rest}, [&]() -> Result<std::vector<ValueId>> {
            w.bind(Binding{.form = Form::apply, .args = {step}}, unit);
            return std::vector<ValueId>{rest};
        });
        Binding match{.form = Form::match, .args = {left}, .blocks = {none, one}};
        match.arms = {pattern(0, {}), pattern(1, {step, rest})};
        return std::vector<ValueId>{w.bind(std::move(match), steps)};
    };
    BlockId test = *w.block({}, condition), run = *w.block({left}, body);
    w.bind(Binding{.form = Form::while_, .args = {all}, .blocks = {test, run}}, steps);
    w.finish(out.body, {w.unit()});
    module[run_tape_] = std::move(out);
    return run_tape_;
}

Result<Module> grad(Module module) { return Gradients(std::move(module)).run(); }
} // namespace nereus
