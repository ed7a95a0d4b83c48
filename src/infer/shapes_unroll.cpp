// infer/shapes_unroll.cpp - a `for` of a few trips whose counter picks from a known list: every trip is walked in
// place, so that each element is the number it is. Sizes made in such a loop are polynomials; from the stacked form
// none come back.
//
// Not with yields: gradients keep tapes of them (K21). Muted rounds do the same as the walk that speaks.
#include "infer/shapes_walk.h"
#include <algorithm>

namespace nereus {
namespace {
constexpr int64_t most_trips = 8;
constexpr size_t most_bindings = 50;

size_t bindings_in(const Function& f, BlockId block) {
    size_t count = 0;
    for (BindingId id : f[block].bindings) {
        ++count;
        for (BlockId inner : f[id].blocks) count += bindings_in(f, inner);
    }
    return count;
}
} // namespace

// Values that are made of the counter, as far as operators and indexing make them, and what is indexed by one of them.
bool Walk::picks_known(BlockId block, std::set<ValueId>& counted) {
    for (BindingId id : in_[block].bindings) {
        const Binding& b = in_[id];
        for (ValueId made : b.results) env_[made.index] = abstracts_.bottom(); // not what an earlier walk has left
        const auto by = std::ranges::find_if(b.args, [&](ValueId arg) { return counted.contains(arg); });
        if (by != b.args.end() && b.form == Form::index && by != b.args.begin()) {
            const Abs& list = abstracts_[abs(b.args[0])];
            const bool known =
                list.kind == AbsKind::tensor && list.tensor.ranked() &&
                (list.tensor.known.kind == Known::Kind::list || list.tensor.known.kind == Known::Kind::grid);
            if (known) return true;
        }
        if (by != b.args.end() && b.form == Form::op) counted.insert(b.results.begin(), b.results.end());
        if (std::ranges::any_of(b.blocks, [&](BlockId inner) { return picks_known(inner, counted); })) return true;
    }
    return false;
}

std::optional<int64_t> Walk::trips_in_place(const Binding& b) {
    if (b.form != Form::for_) return std::nullopt;
    const Block& body = in_[b.blocks.back()];
    const Abs& count = abstracts_[abs(b.args[0])];
    const Dim number = count.kind == AbsKind::tensor ? number_of(count.tensor) : Dim();
    const std::optional<int64_t> trips = number.valid() ? module_.dims.constant_value(number) : std::nullopt;
    const bool yields = body.results.size() + 1 != body.params.size();
    if (!trips || *trips < 1 || *trips > most_trips || yields || unreached_ > 0) return std::nullopt;
    if (bindings_in(in_, b.blocks.back()) > most_bindings) return std::nullopt;
    for (ValueId state : body.params) env_[state.index] = abstracts_.bottom();
    std::set<ValueId> counted{body.params[0]};
    return picks_known(b.blocks.back(), counted) ? trips : std::nullopt;
}

Result<Walk::Made> Walk::unrolled(const Binding& b, int64_t trips) {
    const BlockId body = b.blocks.back();
    const std::vector<ValueId>& params = in_[body].params;
    std::vector<Made> states;
    for (size_t i = 1; i < b.args.size(); ++i) states.push_back(made(b.args[i]));
    const std::map<ValueId, Settled> loops = loops_;
    const Names names = names_;
    for (int64_t trip = 0; trip < trips; ++trip) {
        bind(params[0], TRY(shared(constant(trip, b.span), in_[params[0]].type, in_[params[0]].name, b.span)));
        for (size_t i = 0; i < states.size(); ++i) {
            const ValueInfo& param = in_[params[i + 1]];
            bind(params[i + 1], TRY(shared(states[i], param.type, param.name, b.span)));
        }
        loops_ = loops;                                  // another trip's loops say nothing of this one's
        if (!TRY(block(body))) return Made{abstracts_.bottom(), {}};
        names_ = names;
        for (size_t i = 0; i < states.size(); ++i) states[i] = made(in_[body].results[i]);
    }
    if (states.size() == 1) return shared(states[0], skeleton_of(b), in_[b.results[0]].name, b.span);
    Binding all{.form = Form::tuple};
    std::vector<AbsId> parts;
    for (const Made& state : states) {
        parts.push_back(state.abs);
        if (audible_) all.args.push_back(state.value);
    }
    return emit_for(b, std::move(all), abstracts_.tuple(std::move(parts)));
}
} // namespace nereus
