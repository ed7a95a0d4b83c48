// pass/partial_calls.cpp - partial evaluation of calls and closures.
//
// A function is gone through where it is called if something that can be taken apart is handed to it or if it makes a function;
// a closure that is known, where it is applied. In code that may not run a function does not enter itself once more: nothing would end that
// but fuel. Where all was decided so far, recursion on known data goes on.
#include "pass/closure_sets.h"
#include "pass/partial_evaluator.h"
#include <algorithm>

namespace nereus {
namespace {
constexpr int deepest = 200;                 // calls inside calls
} // namespace

// A closure of the same lambda that was made before the one that is being run is no recursion: `twice(twice(f))`.
bool PartialEvaluator::can_enter(FunctionId function, BindingId lambda, uint32_t made) const {
    if (fuel_ <= 0 || activations_[at_.index].depth >= deepest) return false;
    for (ActivationId at = at_; at.valid(); at = activations_[at.index].caller) {
        const Activation& a = activations_[at.index];
        if (a.function == function && a.lambda == lambda) return a.branches == branches_ || (lambda.valid() && made < a.made);
    }
    return true;
}
ActivationId PartialEvaluator::enter(FunctionId function, BindingId lambda, uint32_t made) {
    int depth = at_.valid() ? activations_[at_.index].depth + 1 : 0;
    activations_.push_back({function, lambda, made, branches_, depth, at_});
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

namespace {
void tensor_sizes(const Module& m, TypeId id, std::set<Sym>& out) {
    const Type& type = m.types[id];
    if (type.kind == TypeKind::tuple)
        for (TypeId part : type.parts) tensor_sizes(m, part, out);
    if (type.kind == TypeKind::tensor)
        for (Dim d : type.shape.dims)
            if (std::optional<Sym> s = m.dims.as_symbol(d)) out.insert(*s);
}
} // namespace

// Every size that the parameters name is one of a tensor: there is one whatever is handed over. In an empty container
// there is none, and only a call knows what to do then.
bool PartialEvaluator::tell_their_sizes(const Frame& f, const std::vector<ValueId>& params, const std::vector<KnownId>& args) const {
    std::vector<Sym> named;
    std::set<Sym> told;
    std::unordered_map<Sym, Dim> found;
    for (ValueId param : params) {
        collect_type_symbols(module_, f.source[param].type, named);
        tensor_sizes(module_, f.source[param].type, told);
    }
    for (size_t i = 0; i < params.size(); ++i) match_symbols(module_, f.source[params[i]].type, known_[args[i]].type, named, found);
    return std::ranges::all_of(named, [&](Sym s) {
        if (f.sizes.defined.contains(s) || told.contains(s) || module_.dims.symbol(s).kind == SymKind::unknown) return true;
        auto it = found.find(s);
        return it != found.end() && std::ranges::none_of(module_.dims.symbols_of(it->second), [&](Sym inner) {
                   return module_.dims.symbol(inner).kind == SymKind::unknown;
               });
    });
}

KnownId PartialEvaluator::call(Frame& f, const Binding& b, const std::vector<KnownId>& args, BindingList& out) {
    const Function& callee = source_[b.function];
    auto tells = [&](KnownId arg) { return known_.is_telling(arg) || known_.integer(arg); };
    const bool makes_function = callee.result.valid() && source_.types[callee.result].kind == TypeKind::function;
    bool good = (makes_function || std::ranges::any_of(args, tells)) && can_enter(b.function, {}) && callee.where.empty() && !callee.vjp_forward.valid() &&
                can_be_put_elsewhere(callee, callee.body) && !mentions_shape_variable(source_, callee.result);
    for (ValueId param : callee.params) good = good && !mentions_shape_variable(source_, callee[param].type);
    Frame inner{callee, b.function, {}, {SymbolImage(module_), {}}};
    if (!good || !tell_their_sizes(inner, callee.params, args)) {
        KnownId made = stays(f, b, args, out);
        if (effects_.of(b.function).effect >= Effect::writes) cells_.forget_exposed();
        return made;
    }
    const ActivationId caller = std::exchange(at_, enter(b.function, {}));
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
    auto unknown_code = [&] {
        KnownId made = stays(f, b, args, out);
        cells_.forget_exposed();
        return made;
    };
    if (target.kind != Known::Kind::closure) return unknown_code();
    const Function& source = source_[target.function];
    const BlockId body = source[target.lambda].blocks[0];
    const std::vector<KnownId> given(args.begin() + 1, args.end());
    Frame inner{source, target.function, {}, known_.sizes[target.sizes]};
    if (!can_enter(target.function, target.lambda, target.sizes) || !can_be_put_elsewhere(source, body) ||
        !tell_their_sizes(inner, source[body].params, given))
        return unknown_code();
    const ActivationId caller = std::exchange(at_, enter(target.function, target.lambda, target.sizes));
    for (size_t i = 0; i < target.captured.size(); ++i) inner.values[target.captured[i]] = target.parts[i];
    name_parameters(inner, source[body].params, given, out);
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
        const std::set<ValueId> needed = needed_values(module_, out_, sure_);
        for (auto [lambda, closure] : std::map<BindingId, KnownId>(unwritten_)) {
            if (!needed.contains(out_[lambda].results[0])) continue;
            unwritten_.erase(lambda);
            write_lambda(lambda, closure);
            more = true;
        }
    }
}
} // namespace nereus
