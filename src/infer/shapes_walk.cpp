#include "infer/shapes_walk.h"
#include "ir/check_text.h"
#include "ir/shown_names.h"
#include "ops/fractions.h"
#include "ops/shape_rules.h"
#include "ops/speaker.h"
#include <algorithm>

namespace nereus {
Walk::Walk(Program& program, uint32_t instance, bool audible)
    : program_(program), module_(program.module), abstracts_(program.abstracts), self_(instance),
      code_(program.codes[program.instances[instance].plan.key.code]), in_(module_[code_.function]), audible_(audible),
      is_entry_(instance == 0), know_(module_.dims), env_(in_.values.size(), abstracts_.bottom()), fractions_(in_.values.size()) {
    if (audible_) new_of_.resize(in_.values.size());
}

// The key's symbols with what is known of their signs; the names that the signature gives them; `where`.
// False: no argument of such a rank can be taken.
Result<bool> Walk::enter() {
    const KeyPlan& plan = program_.instances[self_].plan;
    Dims& dims = module_.dims;
    for (size_t i = 0; i < plan.symbols.size(); ++i) {
        Range range = plan.key.ranges[i];
        if (range.like_extent()) know_.add_extent(plan.symbols[i]);
        else if (range.small) know_.add_small(plan.symbols[i]);
        if (range.sign != Sign::any)
            know_.assume(dims.constant(range.sign == Sign::positive ? 1 : 0), Relation::less_equal, dims.of(plan.symbols[i]));
    }
    bool lifted = code_.lambda.valid();
    std::vector<ValueId> params = lifted ? code_.captures : in_.params;
    size_t numbers = lifted ? code_.captured_dims.size() : 0;
    BlockId body = lifted ? in_[code_.lambda].blocks[0] : in_.body;
    std::vector<ValueId> written = lifted ? in_[body].params : in_.params;
    if (audible_) {
        out_.span = lifted ? in_[code_.lambda].span : in_.span;
        out_.from_prelude = in_.from_prelude;
        out_.symbols = plan.symbols;
        at_ = out_.body = out_.add_block();
    }
    auto param = [&](std::string_view name, AbsId abs, TypeId skeleton, Span span) {
        if (!audible_) return ValueId();
        ValueId value = add_value(name, type(abs, skeleton), span);
        if (abstracts_[abs].kind == AbsKind::tensor && abstracts_[abs].tensor.dtype == DType::i64)
            out_[value].known = number_of(abstracts_[abs].tensor);
        out_.params.push_back(value);
        return value;
    };
    size_t at = 0;
    auto take = [&](ValueId in) {
        AbsId value = plan.key.args[at++];
        env_[in.index] = value;
        ValueId out = param(in_[in].name, value, in_[in].type, in_[in].span);
        if (audible_) new_of_[in.index] = out;
        show_tail({value, out});
    };
    for (ValueId in : params) take(in);
    std::vector<Made> sizes;
    bool read_sizes = false;                             // of a closure that was in a container with others
    for (size_t i = 0; i < numbers; ++i) {
        const Sym captured = code_.captured_dims[i];
        Made size{plan.key.args[at++], {}};
        size.value = param(dims.symbol(captured).name, size.abs, module_.types.scalar(DType::i64), out_.span);
        if (!number_of(abstracts_[size.abs].tensor).valid()) {
            size = TRY(exact_number(size, out_.span));
            read_sizes = true;
            know_.assume(dims.constant(0), Relation::less_equal, number_of(abstracts_[size.abs].tensor));
        }
        names_.dims[captured] = number_of(abstracts_[size.abs].tensor);
        sizes.push_back(size);
    }
    if (lifted)
        for (ValueId in : written) take(in);
    for (ValueId in : params)                            // a capture may have lost its number; no direct scalar is without
        if (lifted && lacks_number(abs(in))) bind(in, TRY(exact_number(made(in), in_[in].span)));

    if (plan.key.checks || read_sizes) {                 // no caller could
        std::vector<Made> args;
        if (lifted)
            for (ValueId in : params) args.push_back(made(in));
        args.insert(args.end(), sizes.begin(), sizes.end());
        for (ValueId in : written) args.push_back(made(in));
        if (std::optional<std::string> refuted = rank_error(plan.key.code, args)) {
            TRY(require(dims.constant(0), Relation::equal, dims.constant(1), *refuted + "{}"));      // if it is this one that is called
            return false;
        }
        TRY(match_signature(plan.key.code, args, names_));
        for (size_t i = 0; i < written.size(); ++i) bind(written[i], args[args.size() - written.size() + i]);
    }
    Matching matching(module_, abstracts_, names_);      // as the caller did: same names, nothing left to check
    for (ValueId in : written) matching.collect(in_[in].type, abs(in), "%" + in_[in].name);
    matching.solve();
    for (const Equation& e : matching.equations) {
        if (e.depth > 0 || !matching.unsolved(e)) continue;
        Error hidden{Code::shape, "no argument tells the sizes in " + module_.dims.to_string(e.written), out_.span,
                     "a size must stand alone in some argument, or be the only unknown of a*n + b"};
        hidden.where = lifted ? in_[code_.lambda].span : in_.span;
        return hidden;
    }
    for (const Equation& e : matching.equations) {
        if (!matching.unsolved(e)) know_.assume(matching.image(e), Relation::equal, e.found);
    }
    if (!lifted)
        for (const DimFact& fact : in_.where) {
            DimFact own{image(fact.left), fact.relation, image(fact.right), fact.span};
            know_.assume(own.left, own.relation, own.right);
            if (audible_ && is_entry_) out_.where.push_back(own);    // the door checks it; callers did for others
        }
    return true;
}

namespace {
// Sizes are called by the parameter they come from and their axis.
void name_sizes(const Module& module, TypeId id, const std::string& param, SymbolNames& out) {
    const Type& t = module.types[id];
    if (t.kind == TypeKind::function) return;
    for (size_t i = 0; i < t.shape.dims.size(); ++i)
        if (std::optional<Sym> s = module.dims.as_symbol(t.shape.dims[i])) out.dims.try_emplace(*s, param + std::to_string(i));
    for (TypeId part : t.parts) name_sizes(module, part, param, out);
    for (const TypeArg& arg : t.args) {
        if (const TypeId* inner = std::get_if<TypeId>(&arg)) name_sizes(module, *inner, param, out);
        const Dim* d = std::get_if<Dim>(&arg);
        if (std::optional<Sym> s = d && d->valid() ? module.dims.as_symbol(*d) : std::nullopt) out.dims.try_emplace(*s, param);
    }
}
} // namespace

SymbolNames Walk::symbol_names() const {
    SymbolNames out;
    Dims& dims = module_.dims;
    for (const auto& [written, value] : names_.dims)
        if (std::optional<Sym> s = dims.as_symbol(value)) out.dims.try_emplace(*s, dims.symbol(written).name);
    for (const auto& [written, shape] : names_.tails)
        if (shape.tail.valid() && shape.dims.empty()) out.tails.try_emplace(shape.tail, module_.vars[written.index].name);
    for (ValueId param : out_.params) {
        name_sizes(module_, out_[param].type, out_[param].name, out);
        std::optional<Sym> s = out_[param].known.valid() ? dims.as_symbol(out_[param].known) : std::nullopt;
        if (s) out.dims.try_emplace(*s, out_[param].name);
    }
    return out;
}

Result<Summary> Walk::run() {
    const bool enters = TRY(enter());
    bool lifted = code_.lambda.valid();
    BlockId body = lifted ? in_[code_.lambda].blocks[0] : in_.body;
    bool ends = enters && TRY(block(body));
    ValueId last = in_[body].results[0];
    if (!ends) {
        if (audible_) {
            ValueId nothing = dead_end(abstracts_.bottom(), in_[last].type);
            out_[out_.body].results = {nothing};
            out_.result = out_[nothing].type;
        }
        return Summary{.result = abstracts_.bottom(), .refused = refused_};
    }
    Made result = made(last);
    if (!lifted) {
        current_ = nullptr;
        result = TRY(annotated(result, in_.result, "the result of " + shown_function(in_.name)));
    }
    TypeId skeleton = in_[last].type;
    if (audible_) out_[out_.body].results = {result.value};
    return leave(result.abs, skeleton);
}

// Symbols that are not the key's are sizes this instance chose: the caller gets them as hidden results.
Result<Summary> Walk::leave(AbsId result, TypeId skeleton) {
    const KeyPlan& plan = program_.instances[self_].plan;
    Dims& dims = module_.dims;
    Summary summary;
    std::map<Sym, Dim> exported;
    AbsId given = result;
    result = normalised(result, plan.symbols, !code_.lambda.valid() && states_sizes(module_, in_.result));
    for (const Leaf& leaf : leaves_of(abstracts_, result))
        for (Sym s : dims.symbols_of(leaf.dim)) {
            bool own = std::find(plan.symbols.begin(), plan.symbols.end(), s) == plan.symbols.end();
            if (!own || exported.contains(s) || abstracts_.as_unknown(dims.of(s))) continue;
            bool extent = know_.bounded(dims.of(s)) && know_.natural(dims.of(s));
            exported[s] = dims.of(program_.pool.result(exported.size(), extent));
            summary.extent.push_back(extent);
            summary.names.push_back(dims.symbol(s).name);
            if (audible_) out_.result_dims.push_back(dims.of(s));
        }
    std::map<VarId, Shape> tails;
    auto tail = [&](VarId v) -> std::optional<Shape> {
        if (std::find(plan.tails.begin(), plan.tails.end(), v) != plan.tails.end()) return std::nullopt;
        auto [it, is_new] = tails.try_emplace(v);
        if (is_new) it->second = Shape{{}, false, program_.pool.result_tail(tails.size() - 1)};
        return it->second;
    };
    auto image = [&](Sym s) -> std::optional<Dim> {
        auto it = exported.find(s);
        return it == exported.end() ? std::nullopt : std::optional(it->second);
    };
    summary.result = substitute(abstracts_, result, image, tail);
    summary.tails = tails.size();
    if (const AbsId covered = program_.instances[self_].covered; !abstracts_.is_bottom(covered)) {
        summary.result = cover_containers(abstracts_, covered, summary.result, [&](const std::vector<uint32_t>& cells, AbsId content) {
            for (uint32_t cell : cells) program_.widen_cell(cell, content);
        });
        std::map<Sym, Dim> own;
        for (const auto& [s, there] : exported) own[*dims.as_symbol(there)] = dims.of(s);
        auto back = [&](Sym s) { return own.contains(s) ? std::optional(own[s]) : std::nullopt; };
        given = substitute(abstracts_, summary.result, back, [](VarId) { return std::nullopt; });
    }
    if (audible_) out_.result = type(given, skeleton);
    summary.refuted = refuted_, summary.refused = refused_;
    return summary;
}

Result<bool> Walk::block(BlockId in) {
    const Place around = place_;
    const std::vector<BindingId>& bindings = in_[in].bindings;
    for (size_t i = 0; i < bindings.size(); ++i) {
        place_ = {in, i + 1};
        TRY(binding(bindings[i]));
        for (ValueId result : in_[bindings[i]].results)
            if (abstracts_.is_bottom(abs(result))) return place_ = around, false;
    }
    place_ = around;
    for (ValueId result : in_[in].results)
        if (abstracts_.is_bottom(abs(result))) return false;
    return true;
}

Status Walk::binding(BindingId id) {
    const Binding& b = in_[id];
    const Binding* outer = current_;
    current_ = &b;
    Made result = TRY(evaluate(b));
    current_ = &b;
    if (!abstracts_.is_bottom(result.abs)) result = TRY(annotated(result, skeleton_of(b), shown_value(in_[b.results[0]].name)));
    current_ = outer;
    if (b.form == Form::if_ || b.form == Form::match)
        result = TRY(shared(result, skeleton_of(b), in_[b.results[0]].name, b.span));
    bind(b.results[0], result);
    return {};
}

// A branch that is decided may come to a constant of its arm, a state of an unrolled loop be one: constants have one
// use.
Result<Walk::Made> Walk::shared(Made made, TypeId skeleton, std::string_view name, Span span) {
    if (!audible_ || !made.value.valid() || abstracts_[made.abs].kind != AbsKind::tensor) return made;
    auto defines = [&](const Binding& out) {
        return is_immediate(out) && std::find(out.results.begin(), out.results.end(), made.value) != out.results.end();
    };
    if (std::none_of(out_.bindings.begin(), out_.bindings.end(), defines)) return made;
    Argument sizes{{}, true};
    for (Dim d : abstracts_[made.abs].tensor.shape.dims) sizes.values.push_back(dim_value(d, span));
    AbsId abs = made.abs;
    made = TRY(apply_op("reshape", {{{made}}, std::move(sizes)}, {}, skeleton, name, span));
    made.abs = abs;
    return made;
}

void Walk::bind(ValueId in, Made made) {
    env_[in.index] = made.abs;
    fractions_[in.index] = made.fractions;
    if (audible_) new_of_[in.index] = made.value;
    show_tail(made);
    if (const Abs& a = abstracts_[made.abs]; a.kind == AbsKind::tensor)
        for (Dim extent : a.tensor.shape.dims) know_.add_extent(extent);
}
void Walk::show_tail(const Made& made) {
    const Abs& a = abstracts_[made.abs];
    if (a.kind == AbsKind::tensor && a.tensor.shape.tail.valid())
        names_.shown_by.try_emplace(a.tensor.shape.tail, made.value, a.tensor.shape.dims.size());
}

ValueId Walk::bind_param(ValueId in) {
    if (!audible_) return show_tail({abs(in), {}}), ValueId();
    ValueId value = add_value(in_[in].name, type(abs(in), in_[in].type), in_[in].span);
    const Abs& a = abstracts_[abs(in)];
    if (a.kind == AbsKind::tensor && a.tensor.dtype == DType::i64) out_[value].known = number_of(a.tensor);
    new_of_[in.index] = value;
    show_tail({abs(in), value});
    out_[at_].params.push_back(value);
    return value;
}

Result<Walk::Made> Walk::evaluate(const Binding& b) {
    switch (b.form) {
    case Form::op: return operate(b);
    case Form::literal: return literal(b);
    case Form::dim: {
        for (Sym s : module_.dims.symbols_of(b.dim))     // named by the type of a function alone
            if (audible_ && !names_.dims.contains(s)) return error("the size " + module_.dims.symbol(s).name + " has no value");
        Binding out = copy(b);
        out.dim = image(b.dim);
        if (audible_ && module_.dims.of_shape(out.dim)) return unknown_shape_error();
        const Type& t = module_.types[skeleton_of(b)];
        return emit_for(b, out, abstracts_.number(out.dim, t.element.dtype.value_or(DType::i64)));
    }
    case Form::call: return call(b);
    case Form::apply: return apply(b);
    case Form::function: case Form::lambda: return make_closure(b);
    case Form::construct: return construct(b, b.decl, b.index, b.args);
    case Form::tuple: {
        std::vector<AbsId> parts;
        for (ValueId arg : b.args) parts.push_back(abs(arg));
        return emit_for(b, copy(b), abstracts_.tuple(std::move(parts)));
    }
    case Form::project: return emit_for(b, copy(b), abstracts_[abs(b.args[0])].parts[b.index]);
    case Form::field: return field(b);
    case Form::record: return record(b);
    case Form::update: return update(b);
    case Form::index: return index(b);
    case Form::seq: return sequence(b);
    case Form::if_: return branch(b);
    case Form::match: return match(b);
    case Form::for_: case Form::while_: return loop(b);
    case Form::closure: case Form::check: break;
    }
    return Error{.code = Code::internal, .message = "shapes met a form that only it may produce", .where = b.span};
}

Result<Walk::Made> Walk::literal(const Binding& b) {
    const Literal& l = b.literal;
    const Type& t = module_.types[skeleton_of(b)];
    if (l.kind == Literal::Kind::unit) return emit_for(b, copy(b), abstracts_.unit());
    Dims& dims = module_.dims;
    ShapedTensor out{.dtype = t.element.dtype.value_or(DType::i64)};
    for (int64_t extent : l.shape) out.shape.dims.push_back(dims.constant(extent));
    bool numbers = is_integer(out.dtype) && l.kind == Literal::Kind::integer;
    if (numbers && l.integers.size() <= 16) {
        out.known.kind = l.shape.empty()       ? Known::Kind::number
                         : l.shape.size() == 1 ? Known::Kind::list
                                               : Known::Kind::grid;
        for (int64_t value : l.integers) out.known.numbers.push_back(dims.constant(value));
    }
    if (numbers && !l.integers.empty()) {
        auto [low, high] = std::minmax_element(l.integers.begin(), l.integers.end());
        out.low = dims.constant(*low);
        if (*high < INT64_MAX) out.high = dims.constant(*high + 1);
    }
    if (l.kind == Literal::Kind::boolean && l.shape.empty()) {
        out.known.kind = Known::Kind::condition;
        out.known.condition.kind = l.integers[0] ? Condition::Kind::always : Condition::Kind::never;
    }
    Known fractions = literal_fractions(l, out);
    Made made = emit_for(b, copy(b), abstracts_.tensor(std::move(out)));
    made.fractions = std::move(fractions);
    return made;
}

Known Walk::literal_fractions(const Literal& l, const ShapedTensor& t) {
    if (!has_fractions(t.dtype) || t.rank() > 1) return {};
    std::vector<double> numbers = l.reals;
    if (l.kind == Literal::Kind::integer) numbers.assign(l.integers.begin(), l.integers.end());
    if (l.kind == Literal::Kind::given && l.given->count() <= 16)
        for (int64_t i = 0; i < l.given->count(); ++i) numbers.push_back(l.given->as_f64(i));
    if (numbers.empty() || numbers.size() > 16) return {};
    std::vector<Dim> known;
    for (double number : numbers) known.push_back(fraction(module_.dims, t.dtype == DType::f32 ? double(float(number)) : number));
    return known_elements(std::move(known), t.rank());
}

// A written type on a binding or a result: proved, or checked here.
Result<Walk::Made> Walk::annotated(Made made, TypeId written, const std::string& name) {
    if (!states_sizes(module_, written)) return made;
    Matching matching(module_, abstracts_, names_);
    matching.collect(written, made.abs, name);
    matching.solve();
    TRY(settle(matching, {}));
    bool look = matching.must_look;
    for (const Equation& e : matching.equations)
        look = look || (e.depth > 0 && (abstracts_.has_unknown(e.found) || matching.unsolved(e) ||
                                        !know_.equal(matching.image(e), e.found)));
    if (look) return narrow(made, written, names_, "", name);
    auto no_name = [&](Sym s) { return module_.dims.of(s); };
    made.abs = refine(module_, abstracts_, written, made.abs, names_, no_name, [&] { return unknown_shape().tail; });
    if (audible_) out_[made.value].type = type(made.abs, written);
    return made;
}

// Equations between sizes that are there: checks. Those inside containers are left to narrow().
Status Walk::settle(Matching& matching, const std::string& callee) {
    std::string of = callee.empty() ? "" : callee + ": ";
    if (!matching.rank_errors.empty()) {
        Error refused = error(of + matching.rank_errors[0]);
        if (audible_) return refused;
        refuted_ = true, refuse(std::move(refused));
    }
    for (const Equation& e : matching.equations)
        if (e.depth == 0 && !matching.unsolved(e)) TRY(require(matching.image(e), Relation::equal, e.found, of + e.where));
    return {};
}

// Looks at a value: fails unless it has the written type, and is that value with the sizes it turned out to have.
// `what`: the rule that a value which does not fit breaks, where it is not a declaration.
Result<Walk::Made> Walk::narrow(Made made, TypeId written, Names& solved, const std::string& owner, const std::string& who, std::string what) {
    auto fresh_dim = [&](Sym s) {
        bool named = s.valid() && module_.dims.symbol(s).kind != SymKind::unknown;
        Sym own = fresh(named ? module_.dims.symbol(s).name : "n", SymKind::late);
        defines_.push_back(own);
        Dim d = module_.dims.of(own);
        if (named) solved.dims.try_emplace(s, d);
        return d;
    };
    Matching matching(module_, abstracts_, solved);
    matching.collect(written, made.abs, "");
    for (const Equation& e : matching.equations)         // names that only elements know
        if (!e.in_values)
            for (Sym s : module_.dims.symbols_of(e.written))
            if (!solved.dims.contains(s) && module_.dims.symbol(s).kind != SymKind::unknown) fresh_dim(s);
    // A tail that another value shows: the two are compared.
    const Type type = module_.types[written];
    auto named = type.kind == TypeKind::tensor && !type.shape.ranked ? solved.tails.find(type.shape.tail) : solved.tails.end();
    auto like = named == solved.tails.end() ? names_.shown_by.end() : names_.shown_by.find(named->second.tail);
    bool compares = like != names_.shown_by.end() && abstracts_[made.abs].tensor.shape.tail != like->first;
    bool tails_too = compares || (named != solved.tails.end() && named->second.ranked);
    made.abs = refine(module_, abstracts_, written, made.abs, solved, fresh_dim, [&] { return unknown_shape().tail; },
                      tails_too);
    std::string name = audible_ ? out_[made.value].name : "";
    made = with_number(made, name);
    Binding check{.form = Form::check};
    if (audible_) ++checks_, check.args = {made.value};
    if (audible_ && compares) {
        check.args.push_back(like->second.first);
        check.attributes.push_back({"axes", int64_t(abstracts_[made.abs].tensor.shape.dims.size() + 256 * like->second.second)});
        if (what.empty()) what = (who.empty() ? "this value" : owner + who) + " does not have the shape that .." + module_.vars[type.shape.tail.index].name + " stands for";
    }
    if (!what.empty()) check.attributes.push_back({"what", std::move(what)});
    const bool whole = module_.types[written].kind == TypeKind::tensor;
    if (!who.empty()) check.attributes.push_back({"who", owner + (whole ? "" : "an element of ") + who});
    made.value = emit(std::move(check), made.abs, written, name, current_ ? current_->span : out_.span);
    return made;
}

Error Walk::unknown_shape_error() {
    Error refused = error("the rank or size of a shape that is known only when the program runs");
    refused.hint = "shape_of(%x) gives the sizes as a vector";
    return refused;
}

Error Walk::refutation(Dim a, Relation relation, Dim b, std::string_view what) {
    if (is_message(what)) return error(fill_message(std::string(what), text(a), text(b)));
    if (relation == Relation::equal) return error(std::string(what) + ": " + text(a) + " and " + text(b) + " differ");
    if (relation == Relation::compatible)
        return error(std::string(what) + ": " + text(a) + " and " + text(b) + " do not fit");
    return error(std::string(what) + ": expected " + text(a) + " " + std::string(sign_of(relation)) + " " + text(b) +
                 ", which never holds");
}

Status Walk::require(Dim a, Relation relation, Dim b, std::string_view what) {
    Answer answer = know_.ask(a, relation, b);
    if (answer == Answer::yes) return {};
    if (answer == Answer::no) refuted_ = true, refuse(refutation(a, relation, b, what));
    if (answer == Answer::no && !audible_) return {};
    if (answer == Answer::unknown && audible_ && (module_.dims.of_shape(a) || module_.dims.of_shape(b))) return unknown_shape_error();
    if (answer == Answer::no && is_certain() && know_.refutes_unsupposed(a, relation, b)) return *refused_;
    if (audible_) {
        ++checks_;
        Span span = current_ ? current_->span : out_.span;
        Binding check{.form = Form::check, .fact = {a, relation, b, span}};
        check.attributes.push_back({"what", (current_ ? speaks_for(*current_) : "") + std::string(what)});
        std::vector<Sym> outer = std::move(defines_);    // of the operator that asks
        defines_.clear();
        emit(std::move(check), abstracts_.unit(), module_.types.unit(), "", span);
        defines_ = std::move(outer);
    }
    know_.assume(a, relation, b);
    return {};
}

// In the user's words: sizes of a parameter by the name the signature or the parameter gives them.
std::string Walk::text(Dim d) const {
    SymbolNames names = symbol_names();
    return module_.dims.to_string(d, [&](Sym s) {
        auto it = names.dims.find(s);
        return it == names.dims.end() ? module_.dims.symbol(s).name : it->second;
    });
}

std::string Walk::prefix() const {
    bool named = current_ && current_->form == Form::op && current_->op->builtin != Builtin::seq_get;      // that is e[i]
    return named ? speaker(*current_) + ": " : "";
}
Error Walk::error(std::string what) {
    return Error{.code = Code::shape, .message = prefix() + what, .where = current_ ? current_->span : out_.span,
                 .notes = program_.call_path(self_, current_ ? current_->span : out_.span)};
}

Sym Walk::fresh(std::string_view name, SymKind kind) { return module_.dims.new_symbol(std::string(name), kind); }
Dim Walk::late(std::string_view name, Dim upper) {
    Sym s = fresh(name, SymKind::late);
    defines_.push_back(s);
    know_.add_extent(s);
    Dim d = module_.dims.of(s);
    if (upper.valid()) know_.assume(d, Relation::less_equal, upper);
    return d;
}
Dim Walk::host(std::string_view name) {
    Sym s = fresh(name, SymKind::host);
    defines_.push_back(s);
    return module_.dims.of(s);
}
Shape Walk::unknown_shape() { return Shape{{}, false, module_.add_var("s", VarKind::shape)}; }
bool Walk::visible(Dim d, uint32_t scope) const {
    for (Sym s : module_.dims.symbols_of(d))
        if (s.index >= scope) return false;
    return true;
}

bool Walk::lacks_number(AbsId value) const {
    const Abs& a = abstracts_[value];
    return a.kind == AbsKind::tensor && a.tensor.dtype == DType::i64 && a.tensor.ranked() && a.tensor.rank() == 0 &&
           a.tensor.known.kind != Known::Kind::number;
}
Walk::Made Walk::with_number(Made made, std::string_view name) {
    if (!lacks_number(made.abs)) return made;
    ShapedTensor t = abstracts_[made.abs].tensor;
    Dim number = host(name);
    if (t.low.valid()) know_.assume(t.low, Relation::less_equal, number);
    if (t.high.valid()) know_.assume(number, Relation::less, t.high);
    t.known = known_number(number);
    made.abs = abstracts_.tensor(std::move(t));
    return made;
}

ValueId Walk::add_value(std::string_view name, TypeId type, Span span) {
    const std::string base(name.empty() ? "t" : name);
    std::string unique = base;
    for (bool free = used_names_.try_emplace(base, 1).second; !free; free = used_names_.try_emplace(unique, 1).second)
        unique = base + "_" + std::to_string(used_names_[base]++);
    return out_.add_value(unique, type, span);
}
ValueId Walk::emit(Binding binding, AbsId abs, TypeId skeleton, std::string_view name, Span span) {
    std::vector<Sym> defines = std::move(defines_);
    defines_.clear();
    if (!audible_) return {};
    binding.defines.insert(binding.defines.end(), defines.begin(), defines.end());
    ValueId value = add_value(name, type(abs, skeleton), span);
    const Abs& a = abstracts_[abs];
    if (a.kind == AbsKind::tensor && a.tensor.dtype == DType::i64) out_[value].known = number_of(a.tensor);
    binding.results = {value};
    binding.span = span;
    out_[at_].bindings.push_back(out_.add_binding(std::move(binding)));
    return value;
}
Walk::Made Walk::emit_for(const Binding& in, Binding binding, AbsId abs) {
    const ValueInfo& result = in_[in.results[0]];
    Made made = with_number({abs, {}}, result.name);
    made.value = emit(std::move(binding), made.abs, result.type, result.name, in.span);
    return made;
}
Binding Walk::copy(const Binding& in) const {
    Binding out{.form = in.form, .op = in.op, .args = new_ids(in.args), .groups = in.groups, .attributes = in.attributes};
    out.decl = in.decl, out.index = in.index, out.names = in.names, out.literal = in.literal, out.span = in.span;
    return out;
}
std::vector<ValueId> Walk::new_ids(const std::vector<ValueId>& in) const {
    std::vector<ValueId> out;
    if (audible_)
        for (ValueId id : in) out.push_back(new_of_[id.index]);
    return out;
}
BlockId Walk::open_block() {
    BlockId outer = at_;
    if (audible_) at_ = out_.add_block();
    return outer;
}
} // namespace nereus
