#include "grad/backward.h"
#include "ops/shape_rules.h"
#include <algorithm>

namespace nereus {
Backward::Backward(Products& all, Writer& w)
    : all_(all), w_(w), f_(w.function()), module_(w.module()), shadows_(w.shadows()), types_(all.types),
      structures_(all.structures), cells_(all.cells), activity_(shadows_, cells_, f_) {}

void Backward::read(BlockId block, size_t first, const std::vector<ValueId>& inputs) {
    base_ = block, first_ = first;
    for (ValueId param : f_.params)
        if (block == f_.body) block_of_[param] = block;
    for (size_t i = first; i < f_[block].bindings.size(); ++i) {
        BindingId id = f_[block].bindings[i];
        for (ValueId result : f_[id].results) block_of_[result] = block, definitions_[result] = id;
        for (BlockId inner : f_[id].blocks) enter(inner);
    }
    activity_.run(block, first, inputs);
    read_in_parts_ = all_.partial_reads.in(f_);
    first_own_ = uint32_t(f_.values.size());
}

void Backward::enter(BlockId block) {
    for (ValueId param : f_[block].params) block_of_[param] = block;
    for (BindingId id : f_[block].bindings) {
        for (ValueId result : f_[id].results) block_of_[result] = block, definitions_[result] = id;
        for (BlockId inner : f_[id].blocks) enter(inner);
    }
}

Status Backward::walk() { return walk(base_, first_); }

// What was there when the walk began: tapes and shapes are added on the way.
Status Backward::walk(BlockId block, size_t first) {
    std::vector<BindingId> all(f_[block].bindings.begin() + ptrdiff_t(first), f_[block].bindings.end());
    const std::multimap<size_t, BindingId> lent = elements_to_lend(all);
    for (size_t i = all.size(); i-- > 0;) {
        Span outer = std::exchange(w_.span, f_[all[i]].span);
        for (auto [at, end] = lent.equal_range(i); at != end; ++at) {
            const Loan loan{.from = f_[at->second].args[0], .element = f_[at->second]};
            if (TRY(lend(loan))) loans_.push_back(loan);
        }
        std::erase_if(loans_, [&](const Loan& loan) { return !loan.pattern && loan.element.results == f_[all[i]].results; });
        TRY(step(all[i]));
        w_.span = outer;
    }
    return {};
}

Status Backward::step(BindingId id) {
    const Binding b = f_[id];                            // a copy: writing moves the table
    ValueId result = b.results[0];
    if (touches_cells(b)) {
        if (b.form == Form::op) return cell(b);
    } else {
        if (!active(result) || place(result).root != result) return {};
        Leaves all = adjoint(result);
        if (std::none_of(all.begin(), all.end(), [](ValueId leaf) { return leaf.valid(); })) return {};
    }
    switch (b.form) {
    case Form::literal: case Form::dim: return {};
    case Form::op: return b.op->builtin == Builtin::none ? op(b) : sequence(b);
    case Form::seq: return sequence(b);
    case Form::tuple: case Form::record: case Form::update: case Form::field: return structure(b);
    case Form::construct: return construct(b);
    case Form::call: return call(id);
    case Form::if_: case Form::match: return branch(id);
    case Form::for_: case Form::while_: return loop(id);
    case Form::project: case Form::apply: case Form::function: case Form::index: case Form::lambda:
    case Form::closure: case Form::check: break;
    }
    return Error{Code::internal, "grad: the product form does not know this form", b.span};
}

Backward::Place Backward::place(ValueId v) {
    auto it = definitions_.find(v);
    if (it == definitions_.end()) return {v, 0};
    const Binding& b = f_[it->second];
    bool part = b.form == Form::project || b.form == Form::field;
    if (!part || !active(b.args[0]) || !types_.is_spread(w_.type(b.args[0]))) return {v, 0};
    ValueId whole = b.args[0];
    size_t index = b.index;
    Place outer = place(whole);
    outer.offset += types_.offset(w_.type(whole), index);
    return outer;
}

ValueId& Backward::leaf(ValueId v, size_t i) {
    Place at = place(v);
    Leaves& all = adjoints_[at.root];
    if (all.empty()) all.resize(types_.count(w_.type(at.root)));
    return all[at.offset + i];
}
Leaves Backward::adjoint(ValueId v) {
    Leaves all(types_.count(w_.type(v)));
    if (active(v))
        for (size_t i = 0; i < all.size(); ++i) all[i] = leaf(v, i);
    return all;
}
Leaves Backward::take(ValueId result) {
    Leaves all = adjoint(result);
    adjoints_.erase(result);
    return all;
}
Leaves Backward::dense(ValueId v) {
    Leaves all = adjoint(v);
    Place at = place(v);
    for (size_t i = 0; i < all.size(); ++i)
        if (!all[i].valid()) all[i] = zero(at.root, at.offset + i);
    return all;
}

Status Backward::contribute(ValueId v, const Leaves& adjoint) {
    for (size_t i = 0; i < adjoint.size(); ++i)
        if (adjoint[i].valid()) TRY(contribute(v, i, adjoint[i]));
    return {};
}
Status Backward::contribute(ValueId v, size_t i, ValueId adjoint) {
    if (!active(v)) return {};
    ValueId before = leaf(v, i);
    ValueId sum = before.valid() ? TRY(structures_.add(w_, before, adjoint)) : adjoint;
    leaf(v, i) = sum;
    return {};
}

BlockId Backward::home(ValueId v) const {
    auto it = block_of_.find(v);
    return it == block_of_.end() ? base_ : it->second;
}
void Backward::note(BlockId block, size_t first_value, size_t first_binding) {
    for (size_t i = first_value; i < f_.values.size(); ++i) block_of_[ValueId(i)] = block;
    for (size_t i = first_binding; i < f_.bindings.size(); ++i) definitions_.try_emplace(f_.bindings[i].results[0], BindingId(i));
}
ValueId Backward::in_forward(BlockId block, const std::function<ValueId()>& write) {
    BlockId here = w_.at();
    size_t first_value = f_.values.size(), first_binding = f_.bindings.size();
    w_.go_to(block);
    ValueId made = write();
    w_.go_to(here);
    note(block, first_value, first_binding);
    return made;
}
ValueId Backward::behind(ValueId v, const std::function<ValueId()>& write) {
    BlockId block = home(v);
    const std::vector<BindingId>& all = f_[block].bindings;
    auto defines = [&](BindingId id) { return std::find(f_[id].results.begin(), f_[id].results.end(), v) != f_[id].results.end(); };
    auto it = std::find_if(all.begin(), all.end(), defines);
    size_t at = it == all.end() ? (block == base_ ? first_ : 0) : size_t(it - all.begin()) + 1;
    size_t first_value = f_.values.size(), first_binding = f_.bindings.size();
    ValueId made;
    at_front(block, at, [&] { made = write(); });
    note(block, first_value, first_binding);
    return made;
}

ValueId Backward::shape(ValueId x) {
    if (!is_forward(x)) return w_.shape_of(x);
    if (auto it = shapes_.find(x); it != shapes_.end()) return it->second;
    ValueId made = behind(x, [&] { return w_.shape_of(x); });
    return shapes_[x] = made;
}

ValueId Backward::primal(ValueId root, size_t i) {
    if (auto it = primals_.find({root, i}); it != primals_.end()) return it->second;
    ValueId made = behind(root, [&] {
        ValueId at = root;
        for (size_t left = i; types_.is_spread(w_.type(at));) {
            std::vector<TypeId> parts = types_.parts(w_.type(at));
            size_t part = 0;
            for (; left >= types_.count(parts[part]); ++part) left -= types_.count(parts[part]);
            at = w_.part(at, part);
        }
        return at;
    });
    return primals_[{root, i}] = made;
}

ValueId Backward::zero(ValueId root, size_t i) {
    TypeId type = types_.leaves(w_.type(root))[i];
    if (module_.types[type].kind != TypeKind::tensor) return structures_.zero(w_, type);
    DType dtype = *module_.types[type].element.dtype;
    return w_.op("full", {shape(primal(root, i)), w_.number(0, dtype)});
}

bool Backward::is_constant_scalar(ValueId v) const {
    auto it = definitions_.find(v);
    return it != definitions_.end() && f_[it->second].form == Form::literal && !f_[it->second].literal.is_tensor;
}
} // namespace nereus
