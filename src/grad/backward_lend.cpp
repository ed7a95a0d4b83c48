// grad/backward_lend.cpp - a part of a structure that is read in parts itself: while backward code goes through those reads it
// has the accumulator of the part, taken out of that of the structure. What is taken out is zero there meanwhile, and is
// added where the part came from, as any adjoint is. Without that each read would make a whole of zeros but for one part.
//
// A call that is given the structure must find the whole: the loan is *suspended* around it.
#include "grad/backward.h"
#include "grad/known_functions.h"
#include "grad/patterns.h"
#include <algorithm>

namespace nereus {
namespace {
bool reads_cell(const Binding& b) { return b.form == Form::op && b.op->builtin == Builtin::read; }
bool takes_element(const Binding& b) { return b.form == Form::op && b.op->builtin == Builtin::seq_get; }
} // namespace

bool Backward::wants_loan(const Pattern& p) const {
    if (p.kind == Pattern::Kind::variable) return active(p.variable) && read_in_parts_.contains(p.variable);
    return std::any_of(p.parts.begin(), p.parts.end(), [&](const Pattern& part) { return wants_loan(part); });
}

// True: something was lent.
Result<bool> Backward::lend(const Loan& loan) {
    if (loan.pattern) return lend_parts(*loan.pattern, loan.from, 0, plain(loan.from));
    const ValueId element = loan.element.results[0];
    Leaves leaves;
    auto none = [&](size_t i) { return zero(element, i); };
    if (takes_element(loan.element)) {
        const ValueId all = leaf(loan.from, 0), at = loan.element.args[1];
        if (!all.valid()) return false;
        const ValueId held = TRY(structures_.item(w_, all, at)), rest = TRY(structures_.without(w_, all, at));
        leaf(loan.from, 0) = rest;
        TRY(structures_.release(w_, plain(element), held, none, leaves));
    } else {
        const TypeId content = module_.types[plain(element)].parts[0];
        const ValueId now = read_plain(loan.from), held = w_.project(now, 1), value = w_.project(now, 0);
        w_.write(loan.from, w_.tuple({value, structures_.zero_held(w_, content)}));
        TRY(structures_.release(w_, content, held, none, leaves));
    }
    TRY(contribute(element, leaves));
    return true;
}

// Leaves of the subject that stand for data, where the pattern opens them.
Result<bool> Backward::lend_parts(const Pattern& p, ValueId subject, size_t at, TypeId type) {
    if (!wants_loan(p) || p.kind == Pattern::Kind::variable) return false;
    if (types_.is_spread(type)) {
        bool any = false;
        for (auto [part, field] : fields(p, type)) {
            if (part) any = TRY(lend_parts(*part, subject, at, field)) || any;
            at += types_.count(field);
        }
        return any;
    }
    const ValueId whole = leaf(subject, at);
    if (!whole.valid()) return false;
    const ValueId rest = TRY(lent_out(p, type, whole));
    leaf(subject, at) = rest;
    return true;
}

// What is left of an adjoint, held.
Result<ValueId> Backward::lent_out(const Pattern& p, TypeId type, ValueId held) {
    if (!wants_loan(p)) return held;
    if (p.kind == Pattern::Kind::variable) {
        Leaves leaves;
        TRY(structures_.release(w_, type, held, [&](size_t i) { return zero(p.variable, i); }, leaves));
        TRY(contribute(p.variable, leaves));
        return structures_.zero_held(w_, type);
    }
    const auto parts = fields(p, type);
    const uint32_t which = p.kind == Pattern::Kind::constructor ? p.constructor : 0;
    if (!types_.is_spread(type)) {
        std::vector<TypeId> types;
        std::vector<ValueId> variables;
        std::vector<Pattern> named;
        for (auto [part, field] : parts) {
            types.push_back(types_.held(field));
            variables.push_back(w_.value("a", types.back()));
            named.push_back(names(variables.back()));
        }
        auto same = [&]() -> Result<std::vector<ValueId>> { return std::vector{w_.tuple(variables)}; };
        auto none = [&]() -> Result<std::vector<ValueId>> {
            std::vector<ValueId> zeros;
            for (auto [part, field] : parts) zeros.push_back(structures_.zero_held(w_, field));
            return std::vector{w_.tuple(zeros)};
        };
        held = TRY(w_.match(held, types.size() == 1 ? types[0] : module_.types.tuple(types), {
            {made_by(module_, types_.decl_of(type), which, named), variables, same},
            {anything(), {}, none},
        }));
    }
    std::vector<ValueId> left;
    for (size_t i = 0; i < parts.size(); ++i) left.push_back(parts.size() == 1 ? held : w_.project(held, i));
    for (size_t i = 0; i < parts.size(); ++i)
        if (parts[i].first) left[i] = TRY(lent_out(*parts[i].first, parts[i].second, left[i]));
    return types_.is_spread(type) ? w_.tuple(left) : w_.construct(types_.decl_of(type), which, left, types_.of_data(type));
}

Status Backward::put_back(const Loan& loan) {
    if (!loan.pattern) return takes_element(loan.element) ? sequence(loan.element) : cell(loan.element);
    TRY(contribute(loan.from, pattern_adjoint(*loan.pattern, plain(loan.from))));
    std::vector<ValueId> variables;
    variables_of(*loan.pattern, variables);
    for (ValueId v : variables) adjoints_.erase(v);
    return {};
}

// Of loans that the call is concerned by, and of loans out of what those lent: the last one first.
Result<std::vector<Backward::Loan>> Backward::suspend_loans(const Binding& call) {
    std::set<ValueId> wanted;
    for (ValueId arg : call.args) wanted.insert(place(arg).root);
    std::vector<Loan> concerned;
    for (const Loan& loan : loans_) {
        if (!wanted.contains(place(loan.from).root)) continue;
        concerned.push_back(loan);
        std::vector<ValueId> lent = loan.element.results;
        if (loan.pattern) variables_of(*loan.pattern, lent);
        wanted.insert(lent.begin(), lent.end());
    }
    for (size_t i = concerned.size(); i-- > 0;) TRY(put_back(concerned[i]));
    return concerned;
}
Status Backward::resume_loans(const std::vector<Loan>& suspended) {
    for (const Loan& loan : suspended) TRY(lend(loan));
    return {};
}

bool Backward::keeps_cells(const Binding& b) {
    if (!touches_cells(b)) return true;
    if (b.form == Form::op) return b.op->builtin != Builtin::write;
    return b.form != Form::call && std::none_of(b.blocks.begin(), b.blocks.end(), [&](BlockId inner) { return cells_.changes(f_, inner); });
}

// An element is needed from its last use on, which may be one of a part of it. A cell must not be written to between that
// and the read: what is in its adjoint then belongs to what was written.
std::multimap<size_t, BindingId> Backward::elements_to_lend(const std::vector<BindingId>& all) {
    std::map<ValueId, size_t> elements;                  // and where they are taken
    for (size_t i = 0; i < all.size(); ++i) {
        const Binding& b = f_[all[i]];
        if (!takes_element(b) && !(reads_cell(b) && touches_cells(b))) continue;
        if (read_in_parts_.contains(b.results[0]) && active(b.results[0])) elements[b.results[0]] = i;
    }
    if (elements.empty()) return {};
    std::map<ValueId, size_t> last;
    for (size_t i = 0; i < all.size(); ++i) {
        const Binding& b = f_[all[i]];
        if (b.form == Form::project || b.form == Form::field) continue;
        std::vector<ValueId> used = b.args;
        std::set<ValueId> bound;
        for (BlockId inner : b.blocks) free_values(f_, inner, bound, used);
        for (ValueId v : used)
            if (ValueId root = place(v).root; elements.contains(root)) last[root] = i;
    }
    std::multimap<size_t, BindingId> found;
    for (auto [element, use] : last) {
        const size_t taken = elements[element];
        bool kept = true;
        for (size_t i = taken + 1; reads_cell(f_[all[taken]]) && i <= use; ++i) kept = kept && keeps_cells(f_[all[i]]);
        if (kept) found.insert({use, all[taken]});
    }
    return found;
}
} // namespace nereus
