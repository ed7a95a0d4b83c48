// grad/backward_tape.cpp - what backward code reads of forward values that are not in its scope: handed out by the
// forward code, which is changed for it, and renamed in the backward code.
#include "grad/backward.h"
#include "grad/known_functions.h"
#include <algorithm>

namespace nereus {
bool Backward::is_cheap(ValueId v) const {
    static constexpr std::string_view ops[] = {"shape_of", "gather", "slice", "reshape", "transpose", "broadcast_to"};
    auto it = definitions_.find(v);
    if (it == definitions_.end()) return false;
    const Binding& b = f_[it->second];
    if (b.form == Form::op) return std::find(std::begin(ops), std::end(ops), b.op->name) != std::end(ops);
    return b.form == Form::project || b.form == Form::field;
}

std::vector<ValueId> Backward::tape_of(BlockId forward, BlockId backward, size_t front, const std::set<ValueId>& there) {
    std::set<ValueId> bound;
    std::vector<ValueId> free, kept;
    free_values(f_, backward, bound, free);
    auto is_local = [&](ValueId v) {
        auto it = block_of_.find(v);
        return it != block_of_.end() && it->second == forward;
    };
    for (ValueId v : free)
        if (is_local(v) && !there.contains(v)) kept.push_back(v);
    std::set<ValueId> again;
    std::function<bool(ValueId, std::set<ValueId>&)> obtain;
    auto is_there = [&](ValueId v, std::set<ValueId>& with) {
        auto it = definitions_.find(v);
        bool immediate = it != definitions_.end() && is_immediate(f_[it->second]);
        return !is_local(v) || immediate || there.contains(v) || again.contains(v) || std::find(kept.begin(), kept.end(), v) != kept.end() ||
               obtain(v, with);
    };
    obtain = [&](ValueId v, std::set<ValueId>& with) {
        if (!is_cheap(v)) return false;
        const std::vector<ValueId>& args = f_[definitions_.at(v)].args;
        with.insert(v);
        return std::all_of(args.begin(), args.end(), [&](ValueId arg) { return is_there(arg, with); });
    };
    for (auto it = kept.begin(); it != kept.end();) {
        std::set<ValueId> with;
        if (!obtain(*it, with)) {
            ++it;
            continue;
        }
        again.insert(with.begin(), with.end());
        kept.erase(it);
        it = kept.begin();                               // what depends on it is judged once more
    }
    Names to;
    at_front(backward, front, [&] {
        for (BindingId id : std::vector<BindingId>(f_[forward].bindings)) {      // in order of definition
            if (f_[id].results.empty() || !again.contains(f_[id].results[0])) continue;
            Binding copy = f_[id];
            ValueId v = copy.results[0];
            copy.results.clear();
            for (ValueId& arg : copy.args)
                if (auto it = to.find(arg); it != to.end()) arg = it->second;
            to[v] = w_.bind(std::move(copy), plain(v), f_[v].name);
        }
    });
    rename(backward, to);
    return kept;
}

std::set<ValueId> Backward::read_by(BlockId backward) const {
    std::set<ValueId> bound;
    std::vector<ValueId> free;
    free_values(f_, backward, bound, free);
    return {free.begin(), free.end()};
}

void Backward::rename(BlockId block, const Names& to) {
    auto renamed = [&](ValueId& v) {
        if (auto it = to.find(v); it != to.end()) v = it->second;
    };
    for (ValueId& result : f_[block].results) renamed(result);
    for (BindingId id : f_[block].bindings) {
        for (ValueId& arg : f_[id].args) renamed(arg);
        for (const Arm& arm : f_[id].arms)
            if (arm.guard.valid()) rename(arm.guard, to);
        for (BlockId inner : f_[id].blocks) rename(inner, to);
    }
}

std::vector<ValueId> Backward::take_sizes(BlockId backward) {
    std::map<std::pair<Dim, DType>, ValueId> found;
    std::vector<ValueId> all;
    Names to;
    std::function<void(BlockId)> look = [&](BlockId block) {
        std::erase_if(f_[block].bindings, [&](BindingId id) {
            const Binding b = f_[id];
            if (b.form != Form::dim || module_.dims.constant_value(b.dim)) return false;
            auto [it, is_new] = found.try_emplace({b.dim, w_.dtype(b.results[0])});
            if (is_new) {
                it->second = in_forward(base_, [&] {
                    ValueId size = w_.bind(Binding{.form = Form::dim, .dim = b.dim}, module_.types.scalar(DType::i64));
                    DType dtype = w_.dtype(b.results[0]);
                    return dtype == DType::i64 ? size : w_.op("cast", {size}, {{"to", dtype}});
                });
                all.push_back(it->second);
            }
            to[b.results[0]] = it->second;
            return true;
        });
        for (BindingId id : f_[block].bindings) {
            for (const Arm& arm : f_[id].arms)
                if (arm.guard.valid()) look(arm.guard);
            for (BlockId inner : std::vector<BlockId>(f_[id].blocks)) look(inner);
        }
    };
    look(backward);
    rename(backward, to);
    return all;
}

void Backward::at_front(BlockId block, size_t behind, const std::function<void()>& write) {
    BlockId here = w_.at();
    std::vector<BindingId> rest = std::move(f_[block].bindings);
    f_[block].bindings.assign(rest.begin(), rest.begin() + ptrdiff_t(behind));
    w_.go_to(block);
    write();
    f_[block].bindings.insert(f_[block].bindings.end(), rest.begin() + ptrdiff_t(behind), rest.end());
    w_.go_to(here);
}

void Backward::beside(BindingId id, Side side, const std::function<void()>& write) {
    BlockId block = home(f_[id].results[0]);
    std::vector<BindingId>& all = f_[block].bindings;
    size_t at = size_t(std::find(all.begin(), all.end(), id) - all.begin());
    size_t first_value = f_.values.size(), first_binding = f_.bindings.size();
    at_front(block, at + (side == Side::behind ? 1 : 0), write);
    note(block, first_value, first_binding);
}

ValueId Backward::hand_out(BindingId id, TypeId tape) {
    ValueId y = f_[id].results[0], kept;
    ValueId both = w_.value("", module_.types.tuple({plain(y), tape}));
    beside(id, Side::behind, [&] {
        BindingId named = f_.add_binding(Binding{.form = Form::project, .args = {both}, .results = {y}, .span = f_[id].span});
        f_[w_.at()].bindings.push_back(named);
        kept = w_.project(both, 1, "tape");
    });
    f_[id].results = {both};
    block_of_[both] = home(y);
    return kept;
}

// The tape is one more state, behind the others.
ValueId Backward::hand_out_steps(BindingId id, const std::vector<ValueId>& kept) {
    BlockId body = f_[id].blocks.back();
    size_t states = f_[body].params.size() - (f_[id].form == Form::for_ ? 1 : 0);
    ValueId item;
    in_forward(body, [&] { return item = kept.empty() ? w_.number(0, DType::i64) : w_.tuple(kept); });
    TypeId steps = module_.types.seq(shadows_.plain(w_.type(item)));
    ValueId none, before = w_.value("steps", steps), y = f_[id].results[0], tape;
    ValueId pushed = in_forward(body, [&] { return w_.builtin("push", {before, item}, steps); });
    block_of_[before] = body;
    beside(id, Side::before, [&] { none = w_.bind(Binding{.form = Form::seq}, steps); });
    f_[body].params.push_back(before);
    f_[body].results.insert(f_[body].results.begin() + ptrdiff_t(states), pushed);
    f_[id].args.push_back(none);
    std::vector<TypeId> types;
    size_t own = f_[body].results.size() - 1;            // without the tape
    for (size_t i = 0; i < own; ++i) types.push_back(own == 1 ? plain(y) : module_.types[plain(y)].parts[i]);
    types.insert(types.begin() + ptrdiff_t(states), steps);
    if (own == 0) {                                      // there was nothing that it gave
        ValueId alone = w_.value("tape", steps);
        beside(id, Side::behind, [&] {
            Binding nothing{.form = Form::tuple, .results = {y}, .span = f_[id].span};
            f_[w_.at()].bindings.push_back(f_.add_binding(std::move(nothing)));
        });
        f_[id].results = {alone};
        block_of_[alone] = home(y);
        return alone;
    }
    ValueId all = w_.value("", module_.types.tuple(types));
    beside(id, Side::behind, [&] {
        tape = w_.project(all, states, "tape");
        std::vector<ValueId> parts;
        for (size_t i = 0; own > 1 && i < types.size(); ++i)
            if (i != states) parts.push_back(w_.project(all, i));
        Binding whole{.form = own == 1 ? Form::project : Form::tuple, .args = own == 1 ? std::vector{all} : parts, .results = {y}};
        whole.index = states == 0 ? 1 : 0;
        whole.span = f_[id].span;
        f_[w_.at()].bindings.push_back(f_.add_binding(std::move(whole)));
    });
    f_[id].results = {all};
    block_of_[all] = home(y);
    return tape;
}
} // namespace nereus
