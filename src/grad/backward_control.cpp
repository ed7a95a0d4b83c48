// grad/backward_control.cpp - if, match and calls.
#include "grad/backward.h"
#include "grad/patterns.h"
#include <algorithm>

namespace nereus {
std::vector<Backward::Change> Backward::changes(const Adjoints& before, const std::vector<Adjoints>& after) const {
    auto at = [](const Adjoints& all, ValueId root, size_t i) {
        auto it = all.find(root);
        return it == all.end() || it->second.empty() ? ValueId() : it->second[i];
    };
    std::map<ValueId, size_t> roots;
    for (const Adjoints& one : after)
        for (const auto& [root, leaves] : one) roots[root] = std::max(roots[root], leaves.size());
    std::vector<Change> found;
    for (auto [root, count] : roots)
        for (size_t i = 0; i < count; ++i)
            if (std::any_of(after.begin(), after.end(), [&](const Adjoints& one) { return at(one, root, i) != at(before, root, i); }))
                found.push_back({root, i});
    return found;
}

void Backward::forget(BlockId forward) {
    std::erase_if(adjoints_, [&](const auto& entry) {
        auto it = block_of_.find(entry.first);
        return it != block_of_.end() && it->second == forward;
    });
}

// Each arm starts from the adjoints as they are; what any of them changes is a result of all. The tape says which arm
// ran and has what that one reads.
Status Backward::branch(BindingId id) {
    const Binding b = f_[id];
    Leaves given = take(b.results[0]);
    const Adjoints before = adjoints_;
    std::vector<Adjoints> after;
    std::vector<BlockId> arms;
    BlockId outer = w_.at();
    for (size_t i = 0; i < b.blocks.size(); ++i) {
        adjoints_ = before;
        arms.push_back(w_.start());
        const bool opens = b.form == Form::match && active(b.args[0]);
        const size_t loans = loans_.size();
        if (Loan loan{.from = b.args[0], .pattern = opens ? &b.arms[i].pattern : nullptr}; opens && TRY(lend(loan))) loans_.push_back(loan);
        TRY(contribute(f_[b.blocks[i]].results[0], given));
        TRY(walk(b.blocks[i], 0));
        loans_.resize(loans);
        if (opens) TRY(contribute(b.args[0], pattern_adjoint(b.arms[i].pattern, plain(b.args[0]))));
        forget(b.blocks[i]);
        after.push_back(adjoints_);
    }
    adjoints_ = before;
    std::vector<Change> changed = changes(before, after);
    std::vector<TypeId> types;
    for (const Change& c : changed) types.push_back(type_of(c));
    for (size_t i = 0; i < arms.size(); ++i) {
        w_.go_to(arms[i]);
        Leaves results;
        for (const Change& c : changed) {
            const Leaves& own = after[i][c.root];
            ValueId result = own.empty() ? ValueId() : own[c.leaf];
            results.push_back(result.valid() ? result : zero(c.root, c.leaf));
        }
        w_.finish(arms[i], {w_.tuple(results)});
    }
    w_.go_to(outer);
    if (changed.empty() && !touches_cells(b)) return {};

    std::vector<std::vector<ValueId>> kept;
    std::vector<size_t> counts;
    for (size_t i = 0; i < arms.size(); ++i) {
        kept.push_back(tape_of(b.blocks[i], arms[i]));
        counts.push_back(kept[i].size());
    }
    Binding back{.form = Form::if_, .args = {b.args[0]}, .blocks = arms};
    if (b.form == Form::match || std::any_of(counts.begin(), counts.end(), [](size_t n) { return n > 0; })) {
        DeclId decl = types_.arms(counts);
        std::vector<TypeArg> args;
        for (const std::vector<ValueId>& arm : kept)
            for (ValueId v : arm) args.push_back(plain(v));
        TypeId tape = module_.types.data(decl, args);
        for (size_t i = 0; i < arms.size(); ++i) {
            ValueId y = f_[b.blocks[i]].results[0];
            ValueId both = in_forward(b.blocks[i], [&] { return w_.tuple({y, w_.construct(decl, uint32_t(i), kept[i], tape)}); });
            f_[b.blocks[i]].results = {both};
            Names to;
            std::vector<Pattern> parts;
            for (ValueId v : kept[i]) {
                ValueId own = w_.value(f_[v].name, plain(v));
                to[v] = own;
                f_[arms[i]].params.push_back(own);
                parts.push_back(names(own));
            }
            rename(arms[i], to);
            back.arms.push_back({.pattern = made_by(module_, decl, uint32_t(i), parts), .guard = {}});
        }
        back.form = Form::match;
        back.args = {hand_out(id, tape)};
    }
    ValueId all = w_.bind(std::move(back), types.size() == 1 ? types[0] : module_.types.tuple(types));
    for (size_t i = 0; i < changed.size(); ++i)
        leaf(changed[i].root, changed[i].leaf) = changed.size() == 1 ? all : w_.project(all, i);
    return {};
}

std::vector<std::pair<const Pattern*, TypeId>> Backward::fields(const Pattern& p, TypeId subject) {
    const bool tuple = p.kind == Pattern::Kind::tuple, record = p.kind == Pattern::Kind::record;
    const std::vector<TypeId> types = tuple ? types_.parts(subject) : shadows_.fields(subject, record ? 0 : p.constructor);
    std::vector<std::pair<const Pattern*, TypeId>> all;
    for (TypeId type : types) all.push_back({nullptr, type});
    for (size_t i = 0; i < p.parts.size(); ++i) {
        size_t at = i;
        if (record) {
            const std::vector<std::string>& names = module_[module_.types[subject].decl].constructors[0].field_names;
            at = size_t(std::find(names.begin(), names.end(), p.fields[i]) - names.begin());
        }
        all[at].first = &p.parts[i];
    }
    return all;
}

// What stands in the adjoint of the subject where the pattern has variables.
Leaves Backward::pattern_adjoint(const Pattern& p, TypeId subject) {
    Leaves none(types_.count(subject));
    if (none.empty()) return none;
    switch (p.kind) {
    case Pattern::Kind::wildcard: case Pattern::Kind::literal: return none;
    case Pattern::Kind::variable: return adjoint(p.variable);
    case Pattern::Kind::tuple: case Pattern::Kind::constructor: case Pattern::Kind::record: break;
    }
    std::vector<Leaves> parts;
    bool any = false;
    const auto all = fields(p, subject);
    for (auto [part, field] : all) {
        parts.push_back(part ? pattern_adjoint(*part, field) : Leaves(types_.count(field)));
        for (ValueId leaf : parts.back()) any = any || leaf.valid();
    }
    if (!any) return none;
    if (types_.is_spread(subject)) {
        Leaves flat;
        for (const Leaves& part : parts) flat.insert(flat.end(), part.begin(), part.end());
        return flat;
    }
    std::vector<ValueId> held;
    for (size_t i = 0; i < all.size(); ++i) held.push_back(structures_.held(w_, all[i].second, parts[i]));
    const uint32_t which = p.kind == Pattern::Kind::constructor ? p.constructor : 0;
    return {w_.construct(types_.decl_of(subject), which, held, types_.of_data(subject))};
}

// Accumulators go in and come back for parameters that are threaded (products.h); a value that is given twice goes in
// once. What comes back for others is added. Arguments that the callee does not keep are given again, behind all that.
Status Backward::call(BindingId id) {
    const Binding b = f_[id];
    ValueId y = b.results[0];
    std::vector<bool> mask;
    for (ValueId arg : b.args) mask.push_back(active(arg));
    const Derived d = TRY(all_.derived(b.function, mask, b.span));
    std::vector<ValueId> args;
    if (d.tape.valid()) {
        f_[id].function = d.forward;
        args.push_back(hand_out(id, d.tape));
    }
    const std::vector<Loan> suspended = TRY(suspend_loans(b));
    for (ValueId leaf : dense(y)) args.push_back(leaf);
    take(y);
    struct Returned { size_t arg, leaf; bool moved; };
    std::vector<Returned> returned;
    std::vector<TypeId> types;
    std::set<std::pair<ValueId, size_t>> gone;
    for (size_t i = 0; i < b.args.size(); ++i) {
        if (!mask[i]) continue;
        std::vector<TypeId> leaves = types_.leaves(w_.type(b.args[i]));
        Place at = place(b.args[i]);
        for (size_t j = 0; j < leaves.size(); ++j) {
            bool threaded = d.takes(i, module_.types[leaves[j]]);
            bool moved = threaded && gone.insert({at.root, at.offset + j}).second;
            ValueId now = moved ? leaf(b.args[i], j) : ValueId();
            if (threaded) args.push_back(now.valid() ? now : zero(at.root, at.offset + j));
            returned.push_back({i, j, moved});
            types.push_back(leaves[j]);
        }
    }
    for (size_t i = 0; i < b.args.size(); ++i)
        if (d.again[i]) args.push_back(b.args[i]);
    ValueId all = w_.call(d.backward, args, types.size() == 1 ? types[0] : module_.types.tuple(types));
    Leaves parts;
    for (size_t i = 0; i < returned.size(); ++i) parts.push_back(returned.size() == 1 ? all : w_.project(all, i));
    for (size_t i = 0; i < returned.size(); ++i)
        if (returned[i].moved) leaf(b.args[returned[i].arg], returned[i].leaf) = parts[i];
    for (size_t i = 0; i < returned.size(); ++i)
        if (!returned[i].moved) TRY(contribute(b.args[returned[i].arg], returned[i].leaf, parts[i]));
    return resume_loans(suspended);
}
} // namespace nereus
