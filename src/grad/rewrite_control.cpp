// grad/rewrite_control.cpp - if, match and loops in taped code: what they give back is the value with its shadow.
#include "grad/rewrite.h"

namespace nereus {
Result<Twin> Rewrite::branch(const Binding& b) {
    Binding made = with_new_args(b);
    for (BlockId arm : b.blocks)
        made.blocks.push_back(TRY(w_.block({}, [&]() -> Result<std::vector<ValueId>> {
            Twin y = TRY(taped_block(arm));
            return std::vector<ValueId>{join(y, type(b), TRY(shadow(y)))};
        })));
    return parted(w_.bind(std::move(made), shadows_.with_shadow(type(b))), type(b), name(b));
}

// What stands in the shadow where the pattern stands in the value.
Pattern Rewrite::shadow_pattern(const Pattern& p, TypeId subject, std::vector<ValueId>& variables) {
    if (shadows_.inert(subject)) return {};
    const Type t = module_.types[shadows_.plain(subject)];
    Pattern made{.kind = p.kind};
    switch (p.kind) {
    case Pattern::Kind::wildcard: break;
    case Pattern::Kind::literal: made.kind = Pattern::Kind::wildcard; break;
    case Pattern::Kind::variable:
        made.variable = w_.value("s_" + source_[p.variable].name, shadows_.of(subject));
        twins_[p.variable.index].shadow = made.variable;
        variables.push_back(made.variable);
        break;
    case Pattern::Kind::tuple:
        for (size_t i = 0; i < p.parts.size(); ++i) made.parts.push_back(shadow_pattern(p.parts[i], t.parts[i], variables));
        break;
    case Pattern::Kind::constructor: case Pattern::Kind::record: {
        bool record = p.kind == Pattern::Kind::record;
        made.decl = shadows_.decl_of(subject);
        made.constructor = record ? 0 : p.constructor;
        made.fields = p.fields;
        std::vector<TypeId> fields = shadows_.fields(shadows_.plain(subject), made.constructor);
        const std::vector<std::string> names = module_[t.decl].constructors[made.constructor].field_names;
        for (size_t i = 0; i < p.parts.size(); ++i) {
            size_t at = i;
            for (size_t j = 0; record && j < names.size(); ++j)
                if (names[j] == p.fields[i]) at = j;
            made.parts.push_back(shadow_pattern(p.parts[i], fields[at], variables));
        }
    }
    }
    return made;
}

// Value and shadow are matched together. They always take the same constructor, so the arms stay exhaustive.
Result<Twin> Rewrite::match(const Binding& b) {
    ValueId subject = b.args[0];
    bool paired = twin(subject).shadow.valid();
    Binding made = with_new_args(b);
    if (paired) made.args = {w_.tuple({value(subject), twin(subject).shadow})};
    for (size_t i = 0; i < b.arms.size(); ++i) {
        std::vector<ValueId> params = new_params(b.blocks[i]);
        Pattern pattern = renamed(b.arms[i].pattern);
        if (paired) {
            Pattern both{.kind = Pattern::Kind::tuple};
            both.parts = {std::move(pattern), shadow_pattern(b.arms[i].pattern, type(subject), params)};
            pattern = std::move(both);
        }
        made.arms[i] = Arm{.pattern = std::move(pattern), .guard = {}};
        if (b.arms[i].guard.valid())
            made.arms[i].guard = TRY(w_.block({}, [&]() -> Result<std::vector<ValueId>> {
                return std::vector<ValueId>{TRY(taped_block(b.arms[i].guard)).value};
            }));
        made.blocks.push_back(TRY(w_.block(params, [&]() -> Result<std::vector<ValueId>> {
            Twin y = TRY(taped_block(b.blocks[i]));
            return std::vector<ValueId>{join(y, type(b), TRY(shadow(y)))};
        })));
    }
    return parted(w_.bind(std::move(made), shadows_.with_shadow(type(b))), type(b), name(b));
}

// States carry their shadows alongside. What is yielded is stacked as before; the cells of the yielded tensors are
// collected in a list, the last one in front, for one step after the loop.
Result<Twin> Rewrite::loop(const Binding& b) {
    bool counted = b.form == Form::for_;
    size_t first = counted ? 1 : 0, states = b.args.size() - first;
    BlockId from = b.blocks.back();
    const std::vector<ValueId>& own = source_[from].params;
    const std::vector<ValueId>& ends = source_[from].results;
    Binding made = with_new_args(b);
    std::vector<ValueId> params = new_params(from);
    std::vector<size_t> shadowed, collected;             // states with a shadow, yields with cells
    for (size_t i = 0; i < states; ++i) {
        if (shadows_.inert(type(own[first + i]))) continue;
        shadowed.push_back(i);
        made.args.push_back(TRY(shadow(b.args[first + i])));
        ValueId state = own[first + i];
        params.push_back(w_.value("s_" + source_[state].name, shadows_.of(type(state))));
        twins_[state.index].shadow = params.back();
    }
    for (size_t i = states; i < ends.size(); ++i) {
        if (shadows_.inert(type(ends[i]))) continue;
        collected.push_back(i);
        TypeId list = shadows_.list_of(shadows_.of(type(ends[i])));
        made.args.push_back(w_.construct(shadows_.list_decl(), 0, {}, list));
        params.push_back(w_.value("cells", list));
    }
    if (!counted)
        made.blocks.push_back(TRY(w_.block({}, [&]() -> Result<std::vector<ValueId>> {
            return std::vector<ValueId>{TRY(taped_block(b.blocks[0])).value};
        })));
    std::vector<TypeId> types;
    made.blocks.push_back(TRY(w_.block(params, [&]() -> Result<std::vector<ValueId>> {
        TRY(taped_bindings(from));
        std::vector<ValueId> results;
        for (size_t i = 0; i < states; ++i) results.push_back(value(ends[i]));
        for (size_t i : shadowed) results.push_back(TRY(shadow(ends[i])));
        for (size_t i = 0; i < collected.size(); ++i) {
            ValueId cells = params[params.size() - collected.size() + i];
            results.push_back(w_.construct(shadows_.list_decl(), 1, {TRY(shadow(ends[collected[i]])), cells}, w_.type(cells)));
        }
        for (ValueId result : results) types.push_back(shadows_.plain(w_.type(result)));
        for (size_t i = states; i < ends.size(); ++i) {
            results.push_back(value(ends[i]));
            types.push_back(shadows_.plain(type(ends[i])));
        }
        return results;
    })));
    ValueId all = w_.bind(std::move(made), types.size() == 1 ? types[0] : module_.types.tuple(types));
    if (ends.empty()) return Twin{all, {}};

    auto part = [&](size_t i) { return types.size() == 1 ? all : w_.project(all, i); };
    std::vector<Twin> twins(ends.size());
    for (size_t i = 0; i < ends.size(); ++i)
        twins[i].value = part(i < states ? i : types.size() - ends.size() + i);
    for (size_t i = 0; i < shadowed.size(); ++i) twins[shadowed[i]].shadow = part(states + i);
    for (size_t i = 0; i < collected.size(); ++i) {
        Twin& y = twins[collected[i]];
        y.shadow = TRY(shadow(y));
        push_yield_step(y.value, y.shadow, part(states + shadowed.size() + i));
    }
    if (twins.size() == 1) return twins[0];
    std::vector<ValueId> values, shadows;
    for (Twin& y : twins) values.push_back(y.value);
    Twin whole{w_.bind(Binding{.form = Form::tuple, .args = values}, type(b), name(b)), {}};
    if (shadows_.inert(type(b))) return whole;
    for (Twin& y : twins) shadows.push_back(TRY(shadow(y)));
    whole.shadow = w_.bind(Binding{.form = Form::tuple, .args = shadows}, shadows_.of(type(b)), "s_" + name(b));
    return whole;
}

// Gives row t of the stacked adjoint to the cell of the tensor yielded at trip t. The list begins with the last trip.
void Rewrite::push_yield_step(ValueId stacked, ValueId cell, ValueId cells) {
    TypeId list = w_.type(cells), integer = module_.types.scalar(DType::i64);
    TypeId pair = module_.types.tuple({list, integer});
    DeclId decl = shadows_.list_decl();
    auto pattern = [&](uint32_t constructor, std::vector<ValueId> variables) {
        Pattern p{.kind = Pattern::Kind::constructor};
        p.decl = decl, p.constructor = constructor;
        for (ValueId variable : variables) {
            Pattern inner{.kind = variable.valid() ? Pattern::Kind::variable : Pattern::Kind::wildcard};
            inner.variable = variable;
            p.parts.push_back(inner);
        }
        return Arm{.pattern = std::move(p), .guard = {}};
    };
    using Values = std::vector<ValueId>;
    auto step = [&]() -> Result<Values> {
        ValueId g = w_.adjoint_in(cell, "g");
        ValueId trips = w_.op("gather", {w_.shape_of(stacked), w_.number(0, DType::i64)}, {{"axis", int64_t(0)}});
        ValueId left = w_.value("left", list), t = w_.value("t", integer);
        auto more = [&]() -> Result<Values> {
            Binding match{.form = Form::match, .args = {left}};
            for (bool truth : {false, true})
                match.blocks.push_back(TRY(w_.block({}, [&]() -> Result<Values> { return Values{w_.truth(truth)}; })));
            match.arms = {pattern(0, {}), pattern(1, {ValueId(), ValueId()})};
            return Values{w_.bind(std::move(match), module_.types.scalar(DType::boolean))};
        };
        auto body = [&]() -> Result<Values> {
            ValueId one = w_.value("one", module_.types[list].kind == TypeKind::data ? std::get<TypeId>(module_.types[list].args[0]) : list);
            ValueId rest = w_.value("rest", list);
            Binding match{.form = Form::match, .args = {left}};
            match.blocks.push_back(TRY(w_.block({}, [&]() -> Result<Values> { return Values{w_.tuple({left, t})}; })));
            match.blocks.push_back(TRY(w_.block({one, rest}, [&]() -> Result<Values> {
                ValueId before = w_.op("sub", {t, w_.number(1, DType::i64)});
                w_.accumulate(one, w_.op("gather", {g, before}, {{"axis", int64_t(0)}}));
                return Values{w_.tuple({rest, before})};
            })));
            match.arms = {pattern(0, {}), pattern(1, {one, rest})};
            ValueId next = w_.bind(std::move(match), pair);
            ValueId then = w_.project(next, 0);
            return Values{then, w_.project(next, 1)};
        };
        BlockId condition = TRY(w_.block({}, more)), run = TRY(w_.block({left, t}, body));
        w_.bind(Binding{.form = Form::while_, .args = {cells, trips}, .blocks = {condition, run}}, pair);
        return Values{w_.unit()};
    };
    Result<BlockId> block = w_.block({}, step);
    push_step(w_.lambda({}, *block, module_.types.unit(), "step"));
}
} // namespace nereus
