// pass/partial_control.cpp - partial evaluation of branches and loops.
#include "pass/closure_sets.h"
#include "pass/partial_evaluator.h"
#include <algorithm>

namespace nereus {
namespace {
constexpr int64_t most_trips = 256;
} // namespace

KnownId PartialEvaluator::arm(Frame& f, const Binding& b, BlockId block, BindingList& out) {
    return stated(f, results(f, block, out)[0], f.source[b.results[0]].type, out);
}

KnownId PartialEvaluator::branch(Frame& f, const Binding& b, KnownId condition, BindingList& out) {
    if (std::optional<int64_t> truth = known_.integer(condition)) return arm(f, b, b.blocks[*truth ? 0 : 1], out);
    Binding made = b;
    const CellContents before = cells_;
    const KnownId first = known_.next();
    made.blocks[0] = block_that_stays(f, b.blocks[0], {});
    const CellContents after = std::exchange(cells_, before);
    made.blocks[1] = block_that_stays(f, b.blocks[1], {});
    std::vector<KnownId> lost;
    cells_.join(after, lost);
    cells_.forget_since(first, lost);
    for (KnownId content : lost) expose(content);
    return stays(f, std::move(made), {condition}, out);
}

// Nothing: it is not known whether it does.
std::optional<bool> PartialEvaluator::fits(const Pattern& p, KnownId subject, std::map<ValueId, KnownId>& variables) const {
    const Known& k = known_[subject];
    auto parts = [&](const std::vector<KnownId>& of) -> std::optional<bool> {
        std::optional<bool> all = true;
        for (size_t i = 0; i < p.parts.size(); ++i) {
            std::optional<bool> one = fits(p.parts[i], of[i], variables);
            if (one == false) return false;
            if (!one) all = std::nullopt;
        }
        return all;
    };
    switch (p.kind) {
    case Pattern::Kind::wildcard: return true;
    case Pattern::Kind::variable: variables[p.variable] = subject; return true;
    case Pattern::Kind::tuple:
        if (k.kind == Known::Kind::constant && p.parts.empty()) return true;
        return k.kind == Known::Kind::tuple ? parts(k.parts) : std::nullopt;
    case Pattern::Kind::constructor:
        if (k.kind != Known::Kind::construct || k.decl != p.decl) return std::nullopt;
        if (k.constructor != p.constructor) return false;
        if (!p.dims.empty()) return std::nullopt;        // sizes that only the object names
        return parts(k.parts);
    case Pattern::Kind::record: {
        if (k.kind != Known::Kind::record) return std::nullopt;
        std::vector<KnownId> named;
        for (const std::string& field : p.fields) {
            auto name = std::ranges::find(k.names, field);
            if (name == k.names.end()) return std::nullopt;
            named.push_back(k.parts[size_t(name - k.names.begin())]);
        }
        return parts(named);
    }
    case Pattern::Kind::literal: {
        std::optional<int64_t> number = known_.integer(subject);
        if (!number || p.literal.integers.size() != 1) return std::nullopt;
        return *number == p.literal.integers[0];
    }
    }
    return std::nullopt;
}

KnownId PartialEvaluator::match(Frame& f, const Binding& b, KnownId subject, BindingList& out) {
    for (size_t i = 0; i < b.arms.size(); ++i) {
        std::map<ValueId, KnownId> variables;
        std::optional<bool> takes = fits(b.arms[i].pattern, subject, variables);
        if (takes == false) continue;
        if (!takes) return match_that_stays(f, b, i, subject, out);
        const SizeNames sizes = f.sizes;
        const CellContents cells = cells_;
        const size_t mark = out.size();
        const std::vector<ValueId>& params = f.source[b.blocks[i]].params;
        std::vector<KnownId> values;
        for (ValueId param : params) values.push_back(variables.at(param));
        name_parameters(f, params, values, out);
        if (b.arms[i].guard.valid()) {
            std::optional<int64_t> truth = known_.integer(results(f, b.arms[i].guard, out)[0]);
            if (!truth) {                                // once more, as a guard
                out.resize(mark);
                f.sizes = sizes, cells_ = cells;
                return match_that_stays(f, b, i, subject, out);
            }
            if (!*truth) continue;
        }
        return arm(f, b, b.blocks[i], out);
    }
    return match_that_stays(f, b, 0, subject, out);      // none: it stands for what is never reached
}

// From an arm on; those that cannot be taken are left out.
KnownId PartialEvaluator::match_that_stays(Frame& f, const Binding& b, size_t first, KnownId subject, BindingList& out) {
    Binding made = b;
    made.arms.clear(), made.blocks.clear();
    CellContents reached = cells_;                       // when this arm is tried
    std::optional<CellContents> after;
    std::vector<KnownId> lost;
    const KnownId made_inside = known_.next();
    for (size_t i = first; i < b.arms.size(); ++i) {
        std::map<ValueId, KnownId> variables;
        if (fits(b.arms[i].pattern, subject, variables) == false) continue;
        cells_ = reached;
        std::vector<ValueId> params;
        Arm own{.pattern = renamed(f, b.arms[i].pattern, subject, params), .guard = {}};
        if (b.arms[i].guard.valid()) {
            own.guard = block_that_stays(f, b.arms[i].guard, {});
            cells_.forget_since(made_inside, lost);      // the arm does not see what its guard made
            reached.join(cells_, lost);
        }
        made.blocks.push_back(block_that_stays(f, b.blocks[i], std::move(params)));
        made.arms.push_back(std::move(own));
        if (after) after->join(cells_, lost);
        else after = cells_;
    }
    if (after) cells_ = std::move(*after);
    cells_.forget_since(made_inside, lost);
    for (KnownId content : lost) expose(content);
    return stays(f, std::move(made), {subject}, out);
}

// With variables of its own. A variable whose part is known is that part.
Pattern PartialEvaluator::renamed(Frame& f, const Pattern& p, KnownId subject, std::vector<ValueId>& variables) {
    Pattern made = p;
    for (Sym& s : made.dims) {
        f.sizes.defined.insert(s);
        s = f.sizes.image.renamed(s);
    }
    if (p.kind == Pattern::Kind::variable) {
        made.variable = new_parameters(f, {p.variable})[0];
        variables.push_back(made.variable);
        if (subject.valid() && known_[subject].kind != Known::Kind::unknown && shows(subject, out_[made.variable].type))
            f.values[p.variable] = subject;
    }
    for (size_t i = 0; i < p.parts.size(); ++i) {
        KnownId part;
        if (subject.valid()) {
            const Known& k = known_[subject];
            bool taken_apart = (p.kind == Pattern::Kind::tuple && k.kind == Known::Kind::tuple) ||
                               (p.kind == Pattern::Kind::constructor && k.kind == Known::Kind::construct);
            if (taken_apart && i < k.parts.size()) part = k.parts[i];
        }
        made.parts[i] = renamed(f, p.parts[i], part, variables);
    }
    return made;
}

// ---- loops
// A loop is worth its trips one by one if something that it carries or mentions can be taken apart.
bool PartialEvaluator::tells(Frame& f, BlockId body, const std::vector<KnownId>& states) const {
    auto telling = [&](KnownId id) { return known_.is_telling(id); };
    if (std::ranges::any_of(states, telling)) return true;
    for (ValueId v : free_values_of(f.source, body))
        if (auto it = f.values.find(v); it != f.values.end() && telling(it->second)) return true;
    return false;
}

KnownId PartialEvaluator::counted_loop(Frame& f, const Binding& b, const std::vector<KnownId>& args, BindingList& out) {
    const BlockId body = b.blocks[0];
    const std::optional<int64_t> trips = known_.integer(args[0]);
    std::vector<KnownId> states(args.begin() + 1, args.end());
    const bool yields = f.source[body].results.size() > states.size();
    if (!trips || *trips > most_trips || yields || !tells(f, body, states)) return loop_that_stays(f, b, args, out);
    if (std::max<int64_t>(*trips, 0) * size_of_block(f.source, body).bindings > fuel_) return loop_that_stays(f, b, args, out);
    const std::vector<ValueId>& params = f.source[body].params;
    const SizeNames around = f.sizes;
    for (int64_t i = 0; i < *trips; ++i) {
        states.insert(states.begin(), integer(i, f.source[params[0]].type));
        name_parameters(f, params, states, out);
        states = results(f, body, out);
        f.sizes = around;
    }
    return loop_result(f, b, states, out);
}

KnownId PartialEvaluator::while_loop(Frame& f, const Binding& b, std::vector<KnownId> states, BindingList& out) {
    const BlockId condition = b.blocks[0], body = b.blocks[1];
    const bool yields = f.source[body].results.size() > states.size();
    const SizeNames around = f.sizes;
    while (!yields && fuel_ > 0 && tells(f, body, states)) {
        const CellContents cells = cells_;
        const size_t mark = out.size();
        name_parameters(f, f.source[body].params, states, out);
        std::optional<int64_t> goes_on = known_.integer(results(f, condition, out)[0]);
        if (goes_on == 0) {
            f.sizes = around;
            return loop_result(f, b, states, out);
        }
        if (!goes_on) {
            out.resize(mark);
            f.sizes = around, cells_ = cells;
            break;
        }
        states = results(f, body, out);
        f.sizes = around;
    }
    return loop_that_stays(f, b, states, out);
}

KnownId PartialEvaluator::loop_result(Frame& f, const Binding& b, const std::vector<KnownId>& states, BindingList& out) {
    const TypeId type = f.source[b.results[0]].type;
    if (states.size() == 1) return stated(f, states[0], type, out);
    if (states.empty()) return unit();
    Binding tuple{.form = Form::tuple, .results = b.results, .defines = b.defines, .span = b.span};
    Known about{.kind = Known::Kind::tuple};
    about.parts = states;
    return stays(f, std::move(tuple), states, out, std::move(about));
}

KnownId PartialEvaluator::loop_that_stays(Frame& f, const Binding& b, const std::vector<KnownId>& args, BindingList& out) {
    for (KnownId arg : args) expose(arg);
    bool writes = false;
    for (BlockId block : b.blocks) writes |= effects_.of(f.source, block).effect >= Effect::writes;
    const SizeNames around = f.sizes;
    std::vector<KnownId> lost;
    if (writes) cells_.forget_all(lost);                 // a trip finds what another one left
    for (KnownId content : lost) expose(content);
    const CellContents before = cells_;
    cells_.expose_before(CellId(next_cell_));
    Binding made = b;
    std::vector<ValueId> params = new_parameters(f, f.source[b.blocks.back()].params);
    if (b.form == Form::while_) made.blocks[0] = block_that_stays(f, b.blocks[0], {});
    made.blocks.back() = block_that_stays(f, b.blocks.back(), std::move(params));
    const CellContents inside = std::exchange(cells_, before);
    cells_.leave(inside);
    f.sizes = around;
    return stays(f, std::move(made), args, out);
}
} // namespace nereus
