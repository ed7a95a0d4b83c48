// grad/backward_loop.cpp - loops: a loop over the trips from the last to the first. It carries the adjoints of the states
// and of every value around the loop that the body reads; the tape is a Seq with a tuple per trip, what backward code
// reads of that trip. A Seq takes trips whose shapes differ, and keeps in the eyes of the shapes stage what all agree in.
#include "grad/backward.h"
#include "grad/known_functions.h"
#include <algorithm>

namespace nereus {
Status Backward::loop(BindingId id) {
    const Binding b = f_[id];
    bool counted = b.form == Form::for_;
    size_t skip = counted ? 1 : 0;
    BlockId body = b.blocks.back();
    const std::vector<ValueId> own(f_[body].params.begin() + ptrdiff_t(skip), f_[body].params.end()), ends = f_[body].results;
    ValueId y = b.results[0];
    TypeId whole = plain(y), integer = module_.types.scalar(DType::i64);
    auto offset = [&](size_t end) { return ends.size() == 1 ? 0 : types_.offset(whole, end); };
    Leaves given = adjoint(y);

    // What is carried: adjoints of active states, then of outer values.
    struct Carried { ValueId of; size_t leaf; ValueId initial, param; };
    std::vector<Carried> states, outer;
    for (size_t i = 0; i < own.size(); ++i) {
        if (!active(own[i])) continue;
        std::vector<TypeId> leaves = types_.leaves(w_.type(own[i]));
        for (size_t j = 0; j < leaves.size(); ++j) {
            ValueId last = given[offset(i) + j];
            if (!last.valid()) last = zero(y, offset(i) + j);
            states.push_back({own[i], j, last, w_.value("d_" + f_[own[i]].name, leaves[j])});
        }
    }
    take(y);
    Adjoints before = std::move(adjoints_);
    adjoints_.clear();
    std::set<ValueId> bound;
    std::vector<ValueId> free;
    free_values(f_, body, bound, free);
    for (ValueId v : free) {
        if (!active(v)) continue;
        ValueId root = place(v).root;
        if (adjoints_.contains(root)) continue;
        std::vector<TypeId> leaves = types_.leaves(w_.type(root));
        for (size_t j = 0; j < leaves.size(); ++j) {
            outer.push_back({root, j, {}, w_.value("d_" + f_[root].name, leaves[j])});
            adjoints_[root].push_back(outer.back().param);
        }
    }

    BlockId here = w_.at(), block = w_.start();
    ValueId k = w_.value("k", integer), last = w_.value("last", integer);        // last: bound when the tape is there
    ValueId t = w_.op("sub", {last, k}, {}, "t");
    for (const Carried& c : states) {
        size_t i = size_t(std::find(own.begin(), own.end(), c.of) - own.begin());
        TRY(contribute(ends[i], c.leaf, c.param));
    }
    for (size_t i = own.size(); i < ends.size(); ++i)
        if (active(ends[i]) && given[offset(i)].valid())
            TRY(contribute(ends[i], 0, w_.op("gather", {given[offset(i)], t}, {{"axis", int64_t(0)}})));
    TRY(walk(body, 0));
    std::vector<ValueId> params{k}, results;
    std::vector<TypeId> types;
    for (const Carried& c : states) {
        ValueId now = leaf(c.of, c.leaf);
        params.push_back(c.param), results.push_back(now.valid() ? now : zero(c.of, c.leaf));
        types.push_back(types_.leaves(w_.type(c.of))[c.leaf]);
    }
    std::erase_if(outer, [&](const Carried& c) { return leaf(c.of, c.leaf) == c.param; });
    for (const Carried& c : outer) {
        params.push_back(c.param), results.push_back(leaf(c.of, c.leaf));
        types.push_back(types_.leaves(w_.type(c.of))[c.leaf]);
    }
    w_.finish(block, results);
    f_[block].params = params;
    w_.go_to(here);
    adjoints_ = std::move(before);
    if (results.empty() && !touches_cells(b)) return {};

    std::vector<ValueId> kept = tape_of(body, block, 1, counted ? std::set{f_[body].params[0]} : std::set<ValueId>());
    Names to;
    if (counted) to[f_[body].params[0]] = t;
    ValueId trips = counted ? b.args[0] : ValueId();
    if (!counted || !kept.empty()) {
        ValueId tape = hand_out_steps(id, kept);
        if (!counted) trips = w_.builtin("length", {tape}, integer);
        if (!kept.empty())
            at_front(block, 1, [&] {
                ValueId item = w_.builtin("seq_get", {tape, t}, module_.types[w_.type(tape)].parts[0], "step");
                for (size_t i = 0; i < kept.size(); ++i)
                    to[kept[i]] = kept.size() == 1 ? item : w_.project(item, i, f_[kept[i]].name);
            });
    }
    to[last] = w_.op("sub", {trips, w_.number(1, DType::i64)}, {}, "last");
    rename(block, to);
    Binding back{.form = Form::for_, .args = {trips}, .blocks = {block}};
    for (const Carried& c : states) back.args.push_back(c.initial);
    for (const Carried& c : outer) {
        ValueId now = leaf(c.of, c.leaf);
        back.args.push_back(now.valid() ? now : zero(c.of, c.leaf));
    }
    ValueId all = w_.bind(std::move(back), types.size() == 1 ? types[0] : module_.types.tuple(types));
    auto part = [&](size_t i) { return types.size() == 1 ? all : w_.project(all, i); };
    for (size_t i = 0; i < outer.size(); ++i) leaf(outer[i].of, outer[i].leaf) = part(states.size() + i);
    for (size_t i = 0; i < states.size(); ++i) {
        size_t which = size_t(std::find(own.begin(), own.end(), states[i].of) - own.begin());
        TRY(contribute(b.args[skip + which], states[i].leaf, part(i)));
    }
    return {};
}
} // namespace nereus
