// infer/shapes_call.cpp - calls: the signature is matched and checked in the caller, the instance is found by its key,
// and its summary is read in the caller's terms.
#include "infer/shapes_walk.h"
#include "ir/shown_names.h"
#include <algorithm>

namespace nereus {
namespace {
// Sizes as the facts know them; by outer symbols alone if it can be said so. A symbol that a signature wrote stays
// itself: of two that are equal here, facts choose now one and now the other, and the result of a recursion would never
// settle.
class Normal : public LeafMap {
 public:
    Normal(Abstracts& abstracts, Facts& facts, std::span<const Sym> outer, bool written)
        : abstracts_(abstracts), facts_(facts), outer_(outer), written_(written) {}
    Dim extent(Dim d, uint32_t) override {
        if (abstracts_.has_unknown(d)) return d;
        const Dim known = facts_.normalise(d);
        const bool stays = is_outer(d) && (!is_outer(known) || (written_ && abstracts_.dims().as_symbol(d) && !abstracts_.dims().constant_value(known)));
        return stays ? d : known;
    }
    bool keeps_hints() const override { return false; }
    bool keeps_decisions() const override { return true; }

 private:
    bool is_outer(Dim d) const {
        const std::vector<Sym> symbols = abstracts_.dims().symbols_of(d);
        return std::all_of(symbols.begin(), symbols.end(), [&](Sym s) { return std::find(outer_.begin(), outer_.end(), s) != outer_.end(); });
    }
    Abstracts& abstracts_;
    Facts& facts_;
    std::span<const Sym> outer_;
    bool written_;
};
} // namespace

AbsId Walk::normalised(AbsId value, std::span<const Sym> outer, bool written) {
    Normal normal(abstracts_, know_.facts, outer, written);
    return map_leaves(abstracts_, value, normal);
}

Range Walk::range_of(Dim d, bool is_extent) {
    if (!is_extent && !know_.exact(d, DType::i64)) return {};
    bool positive = know_.facts.less_equal(module_.dims.constant(1), d) == Answer::yes;
    Sign sign = positive ? Sign::positive : is_extent || know_.natural(d) ? Sign::natural : Sign::any;
    const bool bounded = is_extent || (sign != Sign::any && know_.bounded(d));
    return {sign, bounded, bounded || know_.small(d)};
}

// The parameters of a callee, and the sizes that a lambda took from where it was made.
Walk::Signature Walk::signature_of(uint32_t code, const std::vector<Made>& args, Names& names) {
    const Callable& callee = program_.codes[code];
    const Function& function = module_[callee.function];
    if (!callee.lambda.valid()) return {shown_function(function.name), function, function.params, 0};
    for (size_t i = 0; i < callee.captured_dims.size(); ++i)
        if (Dim size = number_of(abstracts_[args[callee.captures.size() + i].abs].tensor); size.valid())
            names.dims[callee.captured_dims[i]] = size;
    return {"fn", function, function[function[callee.lambda].blocks[0]].params, callee.captures.size() + callee.captured_dims.size()};
}

bool Walk::fits_signature(uint32_t code, const std::vector<Made>& args) {
    Names names;
    auto [name, function, params, skip] = signature_of(code, args, names);
    Matching matching(module_, abstracts_, names);
    for (size_t i = 0; i < params.size(); ++i) matching.collect(function[params[i]].type, args[skip + i].abs, "");
    matching.solve();
    auto holds = [&](const Equation& e) {
        return !matching.unsolved(e) && !abstracts_.has_unknown(e.found) &&
               know_.equal(matching.image(e), e.found);
    };
    return !matching.must_look && std::all_of(matching.equations.begin(), matching.equations.end(), holds) &&
           (program_.codes[code].lambda.valid() || function.where.empty());
}

// What no size can mend.
std::optional<std::string> Walk::rank_error(uint32_t code, const std::vector<Made>& args) {
    Names names;
    auto [name, function, params, skip] = signature_of(code, args, names);
    Matching matching(module_, abstracts_, names);
    for (size_t i = 0; i < params.size(); ++i) matching.collect(function[params[i]].type, args[skip + i].abs, "%" + function[params[i]].name);
    return matching.rank_errors.empty() ? std::nullopt : std::optional(name + ": " + matching.rank_errors[0]);
}

Status Walk::match_signature(uint32_t code, std::vector<Made>& args, Names& names) {
    auto [name, function, params, skip] = signature_of(code, args, names);
    const bool lambda = program_.codes[code].lambda.valid();
    Matching matching(module_, abstracts_, names);
    for (size_t i = 0; i < params.size(); ++i)
        matching.collect(function[params[i]].type, args[skip + i].abs, shown_parameter(function, params, i));
    matching.solve();
    std::string of = name + ": ";
    for (const Equation& e : matching.equations)
        if (e.depth == 0 && !matching.unsolved(e))
            TRY(require(matching.image(e), Relation::equal, e.found, of + e.where));
    // Elements whose sizes are not proved, or values of unknown rank: one look at the argument.
    for (size_t i = 0; i < params.size(); ++i) {
        TypeId written = function[params[i]].type;
        if (!states_sizes(module_, written)) continue;
        Made& arg = args[skip + i];
        Matching own(module_, abstracts_, names);
        own.collect(written, arg.abs, "");
        bool look = own.must_look;
        for (const Equation& e : own.equations)
            look = look || (e.depth > 0 && (abstracts_.has_unknown(e.found) || own.unsolved(e) ||
                                            !know_.equal(own.image(e), e.found)));
        if (look) { arg = TRY(narrow(arg, written, names, of, shown_parameter(function, params, i))); continue; }
        // No element will ever tell a name that is in no value: any size will do. One that the closure knows, and
        // nobody here, is not to be guessed: there are no elements to say anything about.
        std::set<Sym> unknown;
        collect_names(module_, written, unknown);
        std::erase_if(unknown, [&](Sym s) { return names.dims.contains(s); });
        const std::vector<Sym>& captured = program_.codes[code].captured_dims;
        if (std::any_of(captured.begin(), captured.end(), [&](Sym s) { return unknown.contains(s); })) continue;
        for (Sym s : unknown) names.dims.emplace(s, module_.dims.constant(0));
        auto nothing = [&](Sym s) { return names.dims.try_emplace(s, module_.dims.constant(0)).first->second; };
        arg.abs = refine(module_, abstracts_, written, arg.abs, names, nothing, [&] { return unknown_shape().tail; });
    }
    if (lambda) return {};
    for (const DimFact& fact : function.where)
        TRY(require(names.image(module_.dims, fact.left), fact.relation, names.image(module_.dims, fact.right), of + "where"));
    return {};
}

Result<Walk::Callee> Walk::call_code(uint32_t code, std::vector<Made>& args, Span span, bool certain) {
    Names names;
    const std::optional<std::string> refuted = rank_error(code, args);
    if (refuted && audible_ && certain && is_certain()) return error(*refuted);
    const bool checks = refuted || (!certain && !fits_signature(code, args));        // the callee does, if it is called
    if (!checks) TRY(match_signature(code, args, names));
    std::vector<AbsId> values;
    for (const Made& arg : args) values.push_back(normalised(arg.abs));
    Program::Target target = TRY(program_.resolve(
        self_, code, checks, values, [&](Dim d, bool is_extent) { return range_of(d, is_extent); },
        [&](Dim a, Dim b) { return know_.equal(a, b); }));
    const Summary summary = *TRY(program_.summary(target.instance));
    Callee callee{.instance = target.instance, .plan = std::move(target.plan), .result = summary.result};
    if (summary.refused) refused_ = summary.refused;
    const bool settled = program_.instances[target.instance].state == Instance::State::final;
    if (certain && settled && summary.refuted) refuted_ = true;
    if (abstracts_.is_bottom(summary.result)) return callee;

    Dims& dims = module_.dims;
    std::map<Sym, Dim> image;
    std::map<VarId, Shape> tails;
    for (size_t i = 0; i < callee.plan.symbols.size(); ++i) image[callee.plan.symbols[i]] = callee.plan.actuals[i];
    for (size_t i = 0; i < callee.plan.tails.size(); ++i) tails[callee.plan.tails[i]] = callee.plan.tail_actuals[i];
    for (size_t i = 0; i < summary.extent.size(); ++i) {
        Sym own = fresh(summary.names[i], summary.extent[i] ? SymKind::fresh : SymKind::host);
        if (summary.extent[i]) know_.add_extent(own);
        callee.chosen.push_back(dims.of(own));
        image[program_.pool.result(i, summary.extent[i])] = dims.of(own);
    }
    for (size_t i = 0; i < summary.tails; ++i) tails[program_.pool.result_tail(i)] = unknown_shape();
    callee.result = substitute(
        abstracts_, summary.result,
        [&](Sym s) -> std::optional<Dim> {
            auto it = image.find(s);
            return it == image.end() ? std::nullopt : std::optional(it->second);
        },
        [&](VarId v) -> std::optional<Shape> {
            auto it = tails.find(v);
            return it == tails.end() ? std::nullopt : std::optional(it->second);
        });
    (void)span;
    return callee;
}

Result<Walk::Made> Walk::call(const Binding& b) {
    std::vector<Made> args;
    for (ValueId arg : b.args) args.push_back(made(arg));
    Callee callee = TRY(call_code(program_.code_of(b.function), args, b.span, true));
    Binding out = copy(b);
    if (audible_) {
        for (size_t i = 0; i < args.size(); ++i) out.args[i] = args[i].value;
        out.function = program_.output_of(callee.instance, self_, b.span, unreached_ == 0);
        out.dims = callee.plan.actuals;
        for (Dim d : callee.chosen) out.defines.push_back(*module_.dims.as_symbol(d));
    }
    return emit_for(b, std::move(out), callee.result);
}

Result<Walk::Made> Walk::make_closure(const Binding& b) {
    Binding out{.form = Form::closure};
    Closure closure;
    if (b.form == Form::function) {
        closure.code = program_.code_of(b.function);
    } else {
        BindingId id(size_t(&b - in_.bindings.data()));
        closure.code = program_.code_of(code_.function, id, names_.dims);
        const Callable code = program_.codes[closure.code];
        for (ValueId capture : code.captures) {
            closure.env.push_back(close(abs(capture)));
            if (audible_) out.args.push_back(new_of_[capture.index]);
        }
        for (Sym s : code.captured_dims) {               // nobody else would carry the number to the call
            Dim number = image(module_.dims.of(s));
            AbsId value = abstracts_.number(number, DType::i64);
            closure.env.push_back(value);
            ValueId held = emit({.form = Form::dim, .dim = number}, value, module_.types.scalar(DType::i64), "", b.span);
            if (audible_) out.args.push_back(held);
        }
        closure.code = program_.code_for(closure.code, closure.env);
    }
    out.lambda = closure.code;
    return emit_for(b, std::move(out), tie_knot(std::move(closure)));
}

namespace {
// The environments that a lambda has inside a value, itself not opened further.
void collect_envs(const Abstracts& abstracts, AbsId value, uint32_t code, std::vector<std::vector<AbsId>>& out) {
    const Abs& a = abstracts[value];
    for (AbsId part : a.parts) collect_envs(abstracts, part, code, out);
    for (const AbsArg& arg : a.args)
        if (const AbsId* part = std::get_if<AbsId>(&arg)) collect_envs(abstracts, *part, code, out);
    for (const Closure& c : a.closures) {
        if (c.code == code && !c.env.empty()) out.push_back(c.env);
        for (AbsId part : c.env) collect_envs(abstracts, part, code, out);
    }
}
} // namespace

// Every place where the lambda itself stands, replaced: by a back reference (to tie the knot) or by the whole (to
// undo).
AbsId Walk::replace_closure(AbsId value, uint32_t code, const Abs* whole) {
    Abs a = abstracts_[value];
    bool changed = false;
    auto inner = [&](AbsId& part) {
        AbsId replaced = replace_closure(part, code, whole);
        changed = changed || replaced != part;
        part = replaced;
    };
    for (AbsId& part : a.parts) inner(part);
    for (AbsArg& arg : a.args)
        if (AbsId* part = std::get_if<AbsId>(&arg)) inner(*part);
    for (Closure& c : a.closures) {
        if (c.code == code) {
            bool is_reference = c.env.empty() && !program_.codes[code].captures.empty();
            if (whole ? !is_reference : is_reference) continue;
            c.env = whole ? whole->closures[0].env : std::vector<AbsId>();
            changed = true;
            continue;
        }
        for (AbsId& part : c.env) inner(part);
    }
    return changed ? abstracts_.intern(std::move(a)) : value;
}

// A lambda inside its own environment would grow without end: the inner environments are joined into the outer one and
// stand there as an empty environment, which apply() reads as "the same as around it".
AbsId Walk::tie_knot(Closure closure) {
    std::vector<std::vector<AbsId>> inner;
    for (AbsId part : closure.env) collect_envs(abstracts_, part, closure.code, inner);
    if (!inner.empty()) {
        std::vector<std::vector<AbsId>> rows{closure.env};
        rows.insert(rows.end(), inner.begin(), inner.end());
        for (size_t i = 0; i < closure.env.size(); ++i) {
            std::vector<AbsId> column;
            for (const std::vector<AbsId>& row : rows) column.push_back(replace_closure(row[i], closure.code, nullptr));
            closure.env[i] = join_all(column);
        }
    }
    return abstracts_.intern({.kind = AbsKind::closures, .closures = {std::move(closure)}});
}

Result<Walk::Made> Walk::apply(const Binding& b) {
    const Abs f = abstracts_[abs(b.args[0])];
    Binding out = copy(b);
    if (f.kind == AbsKind::outside) return apply_outside(b, f.declared);
    bool gradient = f.kind == AbsKind::gradient;
    const std::vector<Closure> closures = gradient ? abstracts_[f.parts[0]].closures : f.closures;
    std::vector<ArmEnd> ends;
    std::vector<Callee> callees;
    uint32_t scope = now();
    std::vector<Made> args;
    for (size_t i = 1; i < b.args.size(); ++i) args.push_back(made(b.args[i]));
    for (const Closure& c : closures) {
        ApplyTarget target{.lambda = c.code};
        std::vector<Made> all;
        Abs alone{.kind = AbsKind::closures, .closures = {c}};
        auto opened = [&] {
            Sym s = fresh("n", SymKind::late);
            know_.add_extent(s);
            target.opened.push_back(s);
            return module_.dims.of(s);
        };
        for (AbsId part : c.env) {
            AbsId value = replace_closure(part, c.code, &alone);
            all.push_back({open_element(abstracts_, value, opened, [&] { return unknown_shape().tail; }), {}});
        }
        all.insert(all.end(), args.begin(), args.end());
        std::vector<Sym> outer = std::move(defines_);
        defines_.clear();
        Callee callee = TRY(call_code(c.code, all, b.span, closures.size() == 1));
        defines_ = std::move(outer);
        if (closures.size() == 1) std::copy(all.end() - ptrdiff_t(args.size()), all.end(), args.begin());    // else each has its own view
        if (audible_) {
            target.function = program_.output_of(callee.instance, self_, b.span, closures.size() == 1 && unreached_ == 0);
            target.dims = callee.plan.actuals;
            out.targets.push_back(std::move(target));
        }
        ends.push_back({.abs = callee.result});
        callees.push_back(std::move(callee));
    }
    if (audible_)
        for (size_t i = 0; i < args.size(); ++i) out.args[i + 1] = args[i].value;
    if (callees.empty()) return emit_for(b, std::move(out), abstracts_.bottom());
    if (gradient) return emit_for(b, std::move(out), adjoints(f, args));
    if (callees.size() == 1) {
        for (Dim d : callees[0].chosen) out.defines.push_back(*module_.dims.as_symbol(d));
        return emit_for(b, std::move(out), callees[0].result);
    }
    std::vector<std::vector<Dim>> handed;
    AbsId joined = join_values(ends, scope, b.span, out.defines, handed);
    for (size_t j = 0; audible_ && j < callees.size(); ++j) {
        for (Dim d : callees[j].chosen) out.targets[j].chosen.push_back(*module_.dims.as_symbol(d));
        out.targets[j].results = handed[j];
    }
    return emit_for(b, std::move(out), joined);
}

// What a gradient gives back has the shapes of the parameters it is taken for.
AbsId Walk::adjoints(const Abs& g, const std::vector<Made>& args) {
    std::vector<uint32_t> wrt = g.cells;
    for (uint32_t i = 0; g.cells.empty() && i < args.size(); ++i) wrt.push_back(i);
    struct Forget : LeafMap {
        Dim extent(Dim d, uint32_t) override { return d; }
        Dim number(Dim, uint32_t) override { return {}; }
        bool keeps_hints() const override { return false; }
    } forget;
    std::vector<AbsId> parts;
    for (uint32_t i : wrt) parts.push_back(map_leaves(abstracts_, args[i].abs, forget));
    return parts.size() == 1 ? parts[0] : abstracts_.tuple(parts);
}

// A function that came through the door is believed to have its declared type; what it says of results is checked by
// whoever calls it.
Result<Walk::Made> Walk::apply_outside(const Binding& b, TypeId declared) {
    const Type f = module_.types[declared];
    Names names = names_;
    Matching matching(module_, abstracts_, names);
    for (size_t i = 1; i < b.args.size(); ++i)
        matching.collect(f.parts[i - 1], abs(b.args[i]), "argument " + std::to_string(i));
    matching.solve();
    if (audible_ && !matching.rank_errors.empty()) return error(matching.rank_errors[0]);
    for (const Equation& e : matching.equations)
        if (e.depth == 0 && !matching.unsolved(e))
            TRY(require(matching.image(e), Relation::equal, e.found, e.where));
    auto fresh_dim = [&](Sym s) {
        Dim d = late(s.valid() ? std::string_view(module_.dims.symbol(s).name) : "n", {});
        if (s.valid() && module_.dims.symbol(s).kind != SymKind::unknown) names.dims.try_emplace(s, d);
        return d;
    };
    AbsId result = instantiate(module_, abstracts_, f.parts.back(), names, fresh_dim, [&] { return unknown_shape().tail; });
    return emit_for(b, copy(b), result);
}
} // namespace nereus
