#include "grad/tangents.h"
#include "grad/gradients.h"
#include "grad/patterns.h"
#include <algorithm>

namespace nereus {
bool Tangents::takes(FunctionId function) { return !all_.cells.is_concerned(function) && !all_.has_own_rule(function); }

Result<FunctionId> Tangents::of(FunctionId function, const std::vector<bool>& active, Span asked) {
    auto [it, is_new] = made_.try_emplace({function, active});
    if (!is_new) return it->second;
    TRY(all_.expand(function, asked));
    const FunctionId made = made_[{function, active}] = structures_.new_function(module_[function].name + ".jvp", module_[function].span);
    Function out = all_.copy(module_[function]);
    out.name = module_[made].name;
    Writer w(module_, structures_.shadows(), out);
    TangentCode code(*this, w);
    code.read(active);
    out.result = module_.types.tuple({module_[function].result, module_[function].result});
    module_[made].result = out.result;                   // what a recursive call of it gives
    TRY(code.write());
    module_[made] = all_.copy(out);
    return made;
}

TangentCode::TangentCode(Tangents& all, Writer& w)
    : all_(all), w_(w), f_(w.function()), module_(all.module_), shadows_(w.shadows()), activity_(shadows_, all.all_.cells, f_) {}

void TangentCode::read(const std::vector<bool>& active) {
    Values inputs;
    const Values params = f_.params;
    for (size_t i = 0; i < active.size(); ++i)
        if (active[i] && shadows_.has_adjoint(w_.type(params[i]))) inputs.push_back(params[i]);
    activity_.run(f_.body, 0, inputs);
    for (ValueId v : inputs) change_[v] = w_.param("d_" + f_[v].name, w_.type(v));
}

Status TangentCode::write() {
    TRY(block(f_.body));
    w_.go_to(f_.body);
    const ValueId y = f_[f_.body].results[0], dy = TRY(change(y));
    f_[f_.body].results = {w_.tuple({y, dy})};
    return {};
}

Result<ValueId> TangentCode::change(ValueId v) {
    if (auto it = change_.find(v); it != change_.end()) return it->second;
    return all_.structures_.adjoint(w_, v, {});
}
Result<TangentCode::Values> TangentCode::changes(const Values& all) {
    Values made;
    for (ValueId v : all) made.push_back(TRY(change(v)));
    return made;
}

void TangentCode::keep(BindingId id) { f_[w_.at()].bindings.push_back(id); }
void TangentCode::name(ValueId v, Binding made) {
    made.results = {v}, made.span = w_.span;
    keep(f_.add_binding(std::move(made)));
}
void TangentCode::split(BindingId id, TypeId type, ValueId v, size_t value_at, size_t change_at) {
    const ValueId all = w_.value("", type);
    f_[id].results = {all};
    keep(id);
    Binding part{.form = Form::project, .args = {all}};
    part.index = uint32_t(value_at);
    name(v, std::move(part));
    change_[v] = w_.project(all, change_at);
}

Status TangentCode::block(BlockId id, const std::function<Status()>& first) {
    const BlockId outer = w_.at();
    const std::vector<BindingId> all = std::exchange(f_[id].bindings, {});
    w_.go_to(id);
    if (first) TRY(first());
    for (BindingId at : all) {
        const Span before = std::exchange(w_.span, f_[at].span);
        TRY(binding(at));
        w_.span = before;
    }
    w_.go_to(outer);
    return {};
}

Status TangentCode::binding(BindingId id) {
    const Binding b = f_[id];                            // a copy: writing moves the table
    if (!active(b.results[0])) return keep(id), Status();
    switch (b.form) {
    case Form::call: return call(id);
    case Form::if_: case Form::match: return branch(id);
    case Form::for_: case Form::while_: return loop(id);
    default: break;
    }
    keep(id);
    switch (b.form) {
    case Form::tuple: case Form::record: case Form::update: case Form::construct: case Form::seq: return same(b, TRY(changes(b.args)));
    case Form::project: case Form::field: return same(b, {TRY(change(b.args[0]))});
    case Form::op: break;
    default: return Error{Code::internal, "jvp: forward mode does not know this form", b.span};
    }
    switch (b.op->builtin) {
    case Builtin::push: return same(b, TRY(changes(b.args)));
    case Builtin::seq_get: return same(b, {TRY(change(b.args[0])), b.args[1]});
    case Builtin::set: return same(b, {TRY(change(b.args[0])), b.args[1], TRY(change(b.args[2]))});
    default: return op(b);
    }
}

Status TangentCode::same(const Binding& b, const Values& args) {
    Binding made = b;
    made.args = args, made.results.clear();
    change_[b.results[0]] = w_.bind(std::move(made), plain(b.results[0]));
    return {};
}

Status TangentCode::call(BindingId id) {
    const Binding b = f_[id];
    const ValueId y = b.results[0];
    std::vector<bool> mask;
    Values args = b.args;
    GradientForm form{.op = "jvp", .wrt = {}};
    for (size_t i = 0; i < b.args.size(); ++i) {
        mask.push_back(active(b.args[i]));
        if (!mask.back()) continue;
        args.push_back(change_.at(b.args[i]));
        form.wrt.push_back(int64_t(i));
    }
    const FunctionId callee = all_.all_.without_checkpoint(b.function);
    f_[id].function = all_.takes(callee) ? TRY(all_.of(callee, mask, b.span)) : TRY(all_.all_.transposed(callee, form, b.span));
    f_[id].args = args;
    split(id, module_.types.tuple({plain(y), plain(y)}), y, 0, 1);
    return {};
}

Status TangentCode::branch(BindingId id) {
    const Binding b = f_[id];
    for (size_t i = 0; i < b.blocks.size(); ++i) {
        const bool opens = b.form == Form::match && active(b.args[0]);
        TRY(block(b.blocks[i], [&]() -> Status { return opens ? open(b.arms[i].pattern, b.args[0]) : Status(); }));
        const BlockId outer = w_.at();
        w_.go_to(b.blocks[i]);
        const ValueId y = f_[b.blocks[i]].results[0], dy = TRY(change(y));
        f_[b.blocks[i]].results = {w_.tuple({y, dy})};
        w_.go_to(outer);
    }
    const ValueId y = b.results[0];
    split(id, module_.types.tuple({plain(y), plain(y)}), y, 0, 1);
    return {};
}

// The change has the constructors of the value: a second match, whose other arm is never taken. Its sizes are those of the
// value, which the shapes stage cannot know.
Status TangentCode::open(const Pattern& p, ValueId subject) {
    if (p.kind == Pattern::Kind::variable) {
        if (active(p.variable)) change_[p.variable] = change_.at(subject);
        return {};
    }
    Values variables, own;
    const Pattern pattern = renamed(p, variables, own);
    if (variables.empty()) return {};
    std::vector<TypeId> types;
    for (ValueId v : variables) types.push_back(plain(v));
    const bool one = types.size() == 1;
    auto found = [&]() -> Result<Values> { return Values{w_.tuple(own)}; };
    auto never = [&]() -> Result<Values> {
        Values zeros;
        for (ValueId v : variables) zeros.push_back(TRY(all_.structures_.adjoint(w_, v, {})));
        return Values{w_.tuple(zeros)};
    };
    std::vector<Writer::Case> cases{{pattern, own, found}};
    if (p.kind == Pattern::Kind::constructor) cases.push_back({anything(), {}, never});
    const ValueId all = TRY(w_.match(change_.at(subject), one ? types[0] : module_.types.tuple(types), std::move(cases)));
    for (size_t i = 0; i < variables.size(); ++i) {
        ValueId part = one ? all : w_.project(all, i);
        if (module_.types[types[i]].kind == TypeKind::tensor) part = w_.op("broadcast_to", {part, w_.shape_of(variables[i])});
        change_[variables[i]] = part;
    }
    return {};
}
Pattern TangentCode::renamed(const Pattern& p, Values& variables, Values& own) {
    if (p.kind == Pattern::Kind::literal) return anything();
    Pattern made = p;
    if (p.kind == Pattern::Kind::variable) {
        if (!active(p.variable)) return anything();
        variables.push_back(p.variable);
        own.push_back(w_.value("d_" + f_[p.variable].name, plain(p.variable)));
        return names(own.back());
    }
    for (size_t i = 0; i < p.parts.size(); ++i) made.parts[i] = renamed(p.parts[i], variables, own);
    return made;
}

// States, then changes of the active ones; likewise what is collected.
Status TangentCode::loop(BindingId id) {
    const Binding b = f_[id];
    const size_t skip = b.form == Form::for_ ? 1 : 0;
    const BlockId body = b.blocks.back();
    const Values params = f_[body].params;
    const size_t states = params.size() - skip, given = f_[body].results.size();
    const ValueId y = b.results[0];
    auto type_of = [&](size_t end) { return given == 1 ? plain(y) : module_.types[plain(y)].parts[end]; };
    std::vector<size_t> changing;                        // places in the results, of states and of what is collected
    Values args = b.args;
    for (size_t i = 0; i < states; ++i) {
        const ValueId param = params[skip + i];
        if (!active(param)) continue;
        changing.push_back(i);
        args.push_back(TRY(change(b.args[skip + i])));
        change_[param] = w_.value("d_" + f_[param].name, plain(param));
        f_[body].params.push_back(change_[param]);
    }
    const size_t changing_states = changing.size();
    TRY(block(body));
    const Values ends = f_[body].results;
    for (size_t i = states; i < given; ++i)
        if (active(ends[i])) changing.push_back(i);
    const BlockId outer = w_.at();
    w_.go_to(body);
    Values results(ends.begin(), ends.begin() + ptrdiff_t(states));
    std::vector<TypeId> types;
    std::vector<size_t> value_at(given), change_at(given, SIZE_MAX);
    for (size_t i = 0; i < states; ++i) value_at[i] = types.size(), types.push_back(type_of(i));
    for (size_t k = 0; k < changing_states; ++k) {
        change_at[changing[k]] = types.size(), types.push_back(type_of(changing[k]));
        results.push_back(TRY(change(ends[changing[k]])));
    }
    for (size_t i = states; i < given; ++i) value_at[i] = types.size(), types.push_back(type_of(i)), results.push_back(ends[i]);
    for (size_t k = changing_states; k < changing.size(); ++k) {
        change_at[changing[k]] = types.size(), types.push_back(type_of(changing[k]));
        results.push_back(TRY(change(ends[changing[k]])));
    }
    f_[body].results = results;
    w_.go_to(outer);
    f_[id].args = args;
    if (given == 1) return split(id, module_.types.tuple(types), y, value_at[0], change_at[0]), Status();
    const ValueId all = w_.value("", module_.types.tuple(types));
    f_[id].results = {all};
    keep(id);
    Values parts, changed;
    for (size_t i = 0; i < given; ++i) parts.push_back(w_.project(all, value_at[i]));
    name(y, Binding{.form = Form::tuple, .args = parts});
    for (size_t i = 0; i < given; ++i) {
        if (change_at[i] != SIZE_MAX) changed.push_back(w_.project(all, change_at[i]));
        else changed.push_back(TRY(all_.structures_.adjoint(w_, parts[i], {})));
    }
    change_[y] = w_.bind(Binding{.form = Form::tuple, .args = changed}, plain(y));
    return {};
}
} // namespace nereus
