// grad/products_derive.cpp - the two halves of one function: its code with the backward code in a block of its own, then
// each half as a function.
#include "grad/backward.h"
#include "grad/gradients.h"
#include "grad/patterns.h"
#include <algorithm>

namespace nereus {
Status Products::derive(const Key& key, Entry& entry) {
    Module& module = all_.module;
    ShadowTypes& shadows = all_.shadows;
    const auto& [id, active] = key;
    Function both = copy(module[id]);                    // forward code in its body, backward code in a block of its own
    both.vjp_forward = both.vjp_backward = {};
    Writer w(module, shadows, both);
    Backward back(*this, w);
    std::vector<ValueId> inputs;
    for (size_t i = 0; i < active.size(); ++i)
        if (active[i]) inputs.push_back(both.params[i]);
    back.read(both.body, 0, inputs);
    ValueId y = both[both.body].results[0];

    Leaves given;
    std::vector<ValueId> params;
    for (TypeId leaf : types.leaves(both.result)) given.push_back(w.value("dy", leaf));
    params = given;
    BlockId block = w.start();
    for (size_t i = 0; i < active.size(); ++i) {
        if (!active[i]) continue;
        std::vector<TypeId> leaves = types.leaves(both[both.params[i]].type);
        Leaves accumulators(leaves.size());
        for (size_t j = 0; j < leaves.size(); ++j) {
            if (!entry.derived.takes(i, module.types[leaves[j]])) continue;
            accumulators[j] = w.value("d_" + both[both.params[i]].name, leaves[j]);
            params.push_back(accumulators[j]);
        }
        TRY(back.contribute(both.params[i], accumulators));
    }
    TRY(back.contribute(y, given));
    TRY(back.walk());
    Leaves results;
    for (ValueId input : inputs)
        for (ValueId leaf : back.dense(input)) results.push_back(leaf);
    w.finish(block, {w.tuple(results)});
    std::set<ValueId> given_again;
    for (size_t i = 0; i < both.params.size(); ++i)
        if (!entry.decl.valid() || entry.derived.again[i]) given_again.insert(both.params[i]);
    std::vector<ValueId> kept = back.tape_of(both.body, block, 0, given_again);
    std::vector<ValueId> sizes = back.take_sizes(block); // sizes of f's signature, which @f.bwd does not have
    kept.insert(kept.end(), sizes.begin(), sizes.end());
    const std::set<ValueId> read = back.read_by(block);
    for (size_t i = 0; !entry.decl.valid() && i < both.params.size(); ++i) entry.derived.again[i] = read.contains(both.params[i]);

    std::vector<TypeId> kept_types;
    for (ValueId v : kept) kept_types.push_back(shadows.plain(w.type(v)));
    if (entry.decl.valid()) entry.kept = kept_types;
    else if (!kept.empty()) entry.derived.tape = kept.size() == 1 ? kept_types[0] : module.types.tuple(kept_types);
    if (entry.derived.tape.valid()) write_forward(both, kept, entry);
    else entry.derived.forward = id;
    write_backward(both, block, params, kept, entry, back);
    return {};
}

// The code as it is by now, and the tape beside its result.
void Products::write_forward(Function both, const std::vector<ValueId>& kept, Entry& entry) {
    Module& module = all_.module;
    if (!entry.derived.forward.valid()) entry.derived.forward = all_.structures.new_function(both.name + ".fwd", both.span);
    ValueId y = both[both.body].results[0];
    Writer w(module, all_.shadows, both);
    w.go_to(both.body);
    ValueId tape = entry.decl.valid() ? w.construct(entry.decl, 0, kept, entry.derived.tape) : w.tuple(kept);
    w.finish(both.body, {w.tuple({y, tape})});
    both.result = module.types.tuple({all_.shadows.plain(both.result), entry.derived.tape});
    both.name = module[entry.derived.forward].name;
    module[entry.derived.forward] = copy(both);
}

// The backward block as a function: the tape is taken apart, then the block follows. A tape of a recursive function is
// opened by a match, of which the block is the arm.
void Products::write_backward(Function& both, BlockId block, const std::vector<ValueId>& params, const std::vector<ValueId>& kept,
                              const Entry& entry, Backward& back) {
    Module& module = all_.module;
    bool cycle = entry.decl.valid();
    both.name = module[entry.derived.backward].name;
    both.type_params.clear(), both.where.clear();
    std::vector<ValueId> own = std::exchange(both.params, {}), again;
    Writer w(module, all_.shadows, both);
    BlockId body = both.add_block();
    w.go_to(body);
    Backward::Names given;
    for (size_t i = 0; i < own.size(); ++i)
        if (entry.derived.again[i]) again.push_back(given[own[i]] = w.value(both[own[i]].name, all_.shadows.plain(w.type(own[i]))));
    back.rename(block, given);
    if (entry.derived.tape.valid()) {
        ValueId tape = w.param("tape", entry.derived.tape);
        Backward::Names to;
        std::vector<Pattern> parts;
        for (size_t i = 0; i < kept.size(); ++i) {
            const std::string name = both[kept[i]].name;
            if (cycle) to[kept[i]] = w.value(name, entry.kept[i]);
            else to[kept[i]] = kept.size() == 1 ? tape : w.project(tape, i, name);
            parts.push_back(names(to[kept[i]]));
        }
        back.rename(block, to);
        if (cycle) {
            Pattern pattern{.kind = Pattern::Kind::constructor};
            pattern.decl = entry.decl, pattern.parts = std::move(parts);
            for (ValueId v : kept) both[block].params.push_back(to[v]);
            Binding open{.form = Form::match, .args = {tape}, .blocks = {block}};
            open.arms.push_back({.pattern = std::move(pattern), .guard = {}});
            TypeId result = w.type(both[block].results[0]);
            w.finish(body, {w.bind(std::move(open), result)});
        }
    }
    if (!cycle) {
        std::vector<BindingId>& all = both[body].bindings;
        all.insert(all.end(), both[block].bindings.begin(), both[block].bindings.end());
        both[body].results = both[block].results;
    }
    both.params.insert(both.params.end(), params.begin(), params.end());
    both.params.insert(both.params.end(), again.begin(), again.end());
    both.result = all_.shadows.plain(w.type(both[body].results[0]));
    both.body = body;
    module[entry.derived.backward] = copy(both);
}

// Of a checkpoint: nothing is kept. Backward gets the arguments again, runs the forward half of what is checkpointed and then its
// backward half, with the accumulators.
Status Products::derive_checkpoint(const Key& key, Entry& entry) {
    Module& module = all_.module;
    const auto& [id, active] = key;
    const Function source = module[id];
    const FunctionId of = checkpoint_of_.at(id);
    const Derived inner = TRY(derived(of, active, source.span));
    Function out;
    out.span = source.span, out.name = module[entry.derived.backward].name;
    Writer w(module, all_.shadows, out);
    w.span = source.span;
    std::vector<ValueId> more, arguments;                // the adjoint of the result, accumulators
    std::vector<TypeId> results;
    for (TypeId leaf : types.leaves(source.result)) more.push_back(w.param("dy", leaf));
    for (size_t i = 0; i < active.size(); ++i)
        for (TypeId leaf : active[i] ? types.leaves(source[source.params[i]].type) : std::vector<TypeId>()) {
            results.push_back(leaf);
            if (inner.takes(i, module.types[leaf])) more.push_back(w.param("d_" + source[source.params[i]].name, leaf));
        }
    for (ValueId param : source.params) arguments.push_back(w.param(source[param].name, all_.shadows.plain(source[param].type)));
    std::vector<ValueId> args;
    if (inner.tape.valid()) {
        const TypeId both = module.types.tuple({all_.shadows.plain(source.result), inner.tape});
        args.push_back(w.project(w.call(inner.forward, arguments, both), 1));
    }
    args.insert(args.end(), more.begin(), more.end());
    for (size_t i = 0; i < arguments.size(); ++i)
        if (inner.again[i]) args.push_back(arguments[i]);
    out.result = results.size() == 1 ? results[0] : module.types.tuple(results);
    w.finish(out.body, {w.call(inner.backward, args, out.result)});
    module[entry.derived.backward] = std::move(out);
    return {};
}

// The tape has the residual, the result, where its adjoint must be brought into its form, and the shapes that the adjoints
// of active parameters must have.
Status Products::derive_custom(const Key& key, Entry& entry) {
    Module& module = all_.module;
    ShadowTypes& shadows = all_.shadows;
    const auto& [id, active] = key;
    const Function source = module[id];
    Function forward, backward;
    forward.span = backward.span = source.span;
    Writer w(module, shadows, forward);
    w.span = source.span;
    for (ValueId param : source.params) w.param(source[param].name, shadows.plain(source[param].type));
    ValueId made = w.call(source.vjp_forward, forward.params, shadows.plain(module[source.vjp_forward].result));
    ValueId y = w.project(made, 0, "y");
    bool tensor = types.leaves(source.result) == std::vector{w.type(y)};   // its adjoint has its form already
    std::vector<ValueId> kept{w.project(made, 1, "residual"), tensor ? w.unit() : y};
    std::vector<size_t> shape_at(active.size());         // of a parameter's first leaf, in the tape
    for (size_t i = 0; i < active.size(); ++i) {
        shape_at[i] = kept.size();
        if (!active[i]) continue;
        Leaves of = TRY(structures.of_value(w, forward.params[i]));
        for (ValueId leaf : of) kept.push_back(module.types[w.type(leaf)].kind == TypeKind::tensor ? w.shape_of(leaf) : w.unit());
    }
    ValueId tape = w.tuple(kept);
    entry.derived.tape = w.type(tape);
    w.finish(forward.body, {w.tuple({y, tape})});
    forward.result = w.type(forward[forward.body].results[0]);
    entry.derived.forward = all_.structures.new_function(source.name + ".fwd", source.span);
    forward.name = module[entry.derived.forward].name;

    Writer b(module, shadows, backward);
    b.span = source.span;
    ValueId given = b.param("tape", entry.derived.tape);
    Leaves adjoint;
    for (TypeId leaf : types.leaves(source.result)) adjoint.push_back(b.param("dy", leaf));
    ValueId residual = b.project(given, 0, "residual"), result = b.project(given, 1, "y");
    ValueId dy = tensor ? adjoint[0] : TRY(structures.forced(b, result, adjoint));
    ValueId all = b.call(source.vjp_backward, {residual, dy}, shadows.plain(module[source.vjp_backward].result));
    Leaves results;
    for (size_t i = 0; i < active.size(); ++i) {
        if (!active[i]) continue;
        const std::string whose = "the adjoint of %" + source[source.params[i]].name + " from @" + module[source.vjp_backward].name;
        Leaves own = TRY(structures.of_value(b, active.size() == 1 ? all : b.project(all, i)));
        for (size_t j = 0; j < own.size(); ++j) {
            if (module.types[b.type(own[j])].kind == TypeKind::tensor) {     // over the whole: refused unless the shapes are the same
                ValueId zeros = b.op("full", {b.project(given, shape_at[i] + j), b.number(0, b.dtype(own[j]))});
                own[j] = b.op("slice_update", {zeros, own[j], {{}, true}}, {{"as", whose}});
            }
            results.push_back(own[j]);
        }
    }
    b.finish(backward.body, {b.tuple(results)});
    backward.result = shadows.plain(b.type(backward[backward.body].results[0]));
    backward.name = module[entry.derived.backward].name;
    module[entry.derived.forward] = std::move(forward);
    module[entry.derived.backward] = std::move(backward);
    return {};
}
} // namespace nereus
