// infer/shapes_future.cpp - a branch whose arms have different ranks, where one of them leads to an error: the other
// one takes its place behind a check, and sizes stay polynomials.
//
// The rest of the block is walked muted, once with the value and the facts of each arm. If it gets to its end with one
// of them only, the other arm has no future. The check speaks in the words and at the place of what would have failed:
// its error may come earlier than in the program as written, never where that would have succeeded. So nothing that
// acts may lie between, and neither a loop, which may have no trip, nor an inner arm decides. All that a probe learns
// is forgotten (K2), and nothing is kept from round to round: what a recursion gives later may let an arm live.
#include "infer/shapes_walk.h"
#include <algorithm>

namespace nereus {
namespace {
constexpr size_t most_probed = 4; // branches of one function: each costs two walks of what follows
}

BindingId Walk::id_of(const Binding& b) const { return BindingId(size_t(&b - in_.bindings.data())); }

bool Walk::has_future_to_see(const Binding& b, const std::vector<ArmEnd>& arms) {
    if (probing_ || know_.facts.contradictory()) return false;
    if (std::ranges::any_of(arms, [&](const ArmEnd& arm) { return abstracts_.is_bottom(arm.abs); })) return false;
    if (rank_skeleton(abstracts_, {arms[0].abs}) == rank_skeleton(abstracts_, {arms[1].abs})) return false;
    program_.instances[self_].unlike_arms.insert(id_of(b));
    if (probed_.size() == most_probed && !probed_.contains(id_of(b))) return false;
    return std::ranges::none_of(b.blocks, [&](BlockId arm) { return program_.acts.block(in_, arm); });
}

// Of arms that were walked muted. Nothing: both may go on, or neither does.
std::optional<Walk::OnlyArm> Walk::only_arm(const Binding& b, const std::vector<ArmEnd>& arms) {
    if (!has_future_to_see(b, arms)) return std::nullopt;
    probed_.insert(id_of(b));
    std::optional<Error> refused[2] = {refusal_after(b, arms[0]), refusal_after(b, arms[1])};
    if (bool(refused[0]) == bool(refused[1])) return std::nullopt;
    const size_t arm = refused[0] ? 1 : 0;
    return OnlyArm{arm, std::move(*refused[1 - arm])};
}

// Why nothing comes of the rest of the block after this arm.
std::optional<Error> Walk::refusal_after(const Binding& b, const ArmEnd& arm) {
    const std::map<ValueId, Settled> loops = loops_;
    const Names names = names_;
    const Place place = place_;
    const Binding* current = current_;
    const bool refuted = std::exchange(refuted_, false);
    probing_ = true;
    know_.push();
    know_.assume(arm.log);
    const Result<bool> ends = rest_of_block(b, arm.abs);
    know_.pop();
    probing_ = false;
    std::optional<Error> why;
    if (ends && (!*ends || refuted_)) why = refused_;
    loops_ = loops, names_ = names, place_ = place, current_ = current, refuted_ = refuted;
    defines_.clear();
    return why;
}

Result<bool> Walk::rest_of_block(const Binding& b, AbsId value) {
    refused_.reset();
    bind(b.results[0], TRY(annotated({value, {}}, skeleton_of(b), in_[b.results[0]].name)));
    const Block& block = in_[place_.block];
    const size_t first = place_.next;
    for (size_t i = first; i < block.bindings.size() && !refuted_; ++i) {
        const Binding& next = in_[block.bindings[i]];
        if (program_.acts.binding(in_, next)) return true;
        place_.next = i + 1;
        TRY(binding(block.bindings[i]));
        if (std::ranges::any_of(next.results, [&](ValueId result) { return abstracts_.is_bottom(abs(result)); }))
            return false;
    }
    return true;
}

// That the arm which is left is the one that runs. A condition that is no relation is read as a number.
Status Walk::demand(const Binding& b, const Made& chosen_by, const Condition& c, const OnlyArm& only) {
    Dims& dims = module_.dims;
    Condition holds = only.arm == 0 ? c : negate(c);
    if (holds.kind != Condition::Kind::relation) {
        know_.assume(holds);
        Made truth =
            TRY(apply_op("cast", {{{chosen_by}}}, {{"to", DType::i64}}, module_.types.scalar(DType::i64), "", b.span));
        const Dim number = number_of(abstracts_[truth.abs].tensor);
        holds = {.kind = Condition::Kind::relation, .left = number, .right = dims.constant(only.arm == 0 ? 1 : 0)};
    }
    know_.assume(holds);
    if (!audible_) return {};
    ++checks_;
    const Span span = only.refused.where.known() ? only.refused.where : b.span;
    Binding check{.form = Form::check, .fact = {holds.left, holds.relation, holds.right, span}};
    check.attributes.push_back({"what", only.refused.message + "{}"});
    emit(std::move(check), abstracts_.unit(), module_.types.unit(), "", span);
    return {};
}
} // namespace nereus
