// pass/partial_calls.cpp - partial evaluation of calls and closures.
//
// A function is gone through where it is called if something that can be taken apart is handed to it; a closure that is
// known, where it is applied. In code that may not run a function does not enter itself once more: nothing would end that
// but fuel. Where all was decided so far, recursion on known data goes on.
#include "pass/closure_sets.h"
#include "pass/partial_evaluator.h"
#include <algorithm>

namespace nereus {
namespace {
constexpr int deepest = 200;                 // calls inside calls
} // namespace

bool PartialEvaluator::can_enter(FunctionId function, BindingId lambda) const {
    if (fuel_ <= 0 || activations_[at_.index].depth >= deepest) return false;
    for (ActivationId at = at_; at.valid(); at = activations_[at.index].caller) {
        const Activation& a = activations_[at.index];
        if (a.function == function && a.lambda == lambda) return a.branches == branches_;
    }
    return true;
}
ActivationId PartialEvaluator::enter(FunctionId function, BindingId lambda) {
    int depth = at_.valid() ? activations_[at_.index].depth + 1 : 0;
    activations_.push_back({function, lambda, branches_, depth, at_});
    return ActivationId(activations_.size() - 1);
}

// Shape variables have one meaning in all of a function.
bool PartialEvaluator::can_be_put_elsewhere(const Function& function, BlockId block) const {
    for (ValueId param : function[block].params)
        if (mentions_shape_variable(source_, function[param].type)) return false;
    for (BindingId id : function[block].bindings) {
        const Binding& b = function[id];
        if (b.form == Form::check || b.form == Form::closure) return false;
        for (ValueId result : b.results)
            if (mentions_shape_variable(source_, function[result].type)) return false;
        for (BlockId nested : blocks_of(b))
            if (!can_be_put_elsewhere(function, nested)) return false;
    }
    return true;
}

KnownId PartialEvaluator::call(Frame& f, const Binding& b, const std::vector<KnownId>& args, BindingList& out) {
    const Function& callee = source_[b.function];
    auto tells = [&](KnownId arg) { return known_.is_telling(arg) || known_.integer(arg); };
    bool good = std::ranges::any_of(args, tells) && can_enter(b.function, {}) && callee.where.empty() && !callee.vjp_forward.valid() &&
                can_be_put_elsewhere(callee, callee.body) && !mentions_shape_variable(source_, callee.result);
    for (ValueId param : callee.params) good = good && !mentions_shape_variable(source_, callee[param].type);
    if (!good) {
        KnownId made = stays(f, b, args, out);
        if (effects_.of(b.function).effect >= Effect::writes) cells_.forget_exposed();
        return made;
    }
    const ActivationId caller = std::exchange(at_, enter(b.function, {}));
    Frame inner{callee, b.function, {}, {SymbolImage(module_), {}}};
    name_parameters(inner, callee.params, args, out);
    KnownId result = results(inner, callee.body, out)[0];
    if (callee.result.valid()) result = stated(inner, result, callee.result, out);
    at_ = caller;
    return stated(f, result, f.source[b.results[0]].type, out);
}

KnownId PartialEvaluator::apply(Frame& f, const Binding& b, const std::vector<KnownId>& args, BindingList& out) {
    const Known target = known_[args[0]];
    if (target.kind == Known::Kind::function) {
        Binding direct = b;
        direct.form = Form::call, direct.function = target.function;
        direct.args.erase(direct.args.begin());
        return call(f, direct, {args.begin() + 1, args.end()}, out);
    }
    const bool known = target.kind == Known::Kind::closure;
    const Function& source = known ? source_[target.function] : f.source;
    const BlockId body = known ? source[target.lambda].blocks[0] : BlockId();
    if (!known || !can_enter(target.function, target.lambda) || !can_be_put_elsewhere(source, body)) {
        KnownId made = stays(f, b, args, out);
        cells_.forget_exposed();
        return made;
    }
    const ActivationId caller = std::exchange(at_, enter(target.function, target.lambda));
    Frame inner{source, target.function, {}, known_.sizes[target.sizes]};
    for (size_t i = 0; i < target.captured.size(); ++i) inner.values[target.captured[i]] = target.parts[i];
    name_parameters(inner, source[body].params, {args.begin() + 1, args.end()}, out);
    KnownId result = results(inner, body, out)[0];
    at_ = caller;
    return stated(f, result, f.source[b.results[0]].type, out);
}

KnownId PartialEvaluator::lambda(Frame& f, const Binding& b, BindingId at, BindingList& out) {
    Known about{.kind = Known::Kind::closure};
    about.function = f.id, about.lambda = at, about.made_in = at_, about.branches = branches_;
    about.captured = free_values_of(f.source, b.blocks[0]);
    for (ValueId v : about.captured) about.parts.push_back(f.values.at(v));
    about.sizes = uint32_t(known_.sizes.size());
    known_.sizes.push_back(f.sizes);
    Binding made = b;
    made.blocks = {out_.add_block()};
    KnownId closure = stays(f, std::move(made), {}, out, std::move(about));
    unwritten_[edit_->definition_id(known_[closure].value)] = closure;
    return closure;
}

// Runs at a time of which nothing is known.
void PartialEvaluator::write_lambda(BindingId lambda, KnownId closure) {
    const Known k = known_[closure];
    const Function& source = source_[k.function];
    const BlockId from = source[k.lambda].blocks[0];
    Frame f{source, k.function, {}, known_.sizes[k.sizes]};
    for (size_t i = 0; i < k.captured.size(); ++i) f.values[k.captured[i]] = k.parts[i];
    cells_ = {};
    cells_.expose_before(CellId(next_cell_));
    at_ = k.made_in, branches_ = k.branches;
    BlockId made = block_that_stays(f, from, new_parameters(f, source[from].params));
    const BlockId place = out_[lambda].blocks[0];
    out_[place] = std::exchange(out_[made], {});
}

void PartialEvaluator::write_live_lambdas() {
    for (bool more = true; more;) {
        more = false;
        const std::set<ValueId> needed = needed_values(module_, out_);
        for (auto [lambda, closure] : std::map<BindingId, KnownId>(unwritten_)) {
            if (!needed.contains(out_[lambda].results[0])) continue;
            unwritten_.erase(lambda);
            write_lambda(lambda, closure);
            more = true;
        }
    }
}
} // namespace nereus
