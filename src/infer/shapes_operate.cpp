// infer/shapes_operate.cpp - operators: arguments as their shape rules see them, and indexing spelled out in operators.
#include "infer/shapes_walk.h"
#include "ops/fractions.h"
#include "ops/registry.h"
#include "ops/shape_rules.h"

namespace nereus {
Result<Walk::Made> Walk::operate(const Binding& b) {
    if (b.op->builtin != Builtin::none) return builtin(b);
    std::vector<Made> args;
    for (ValueId arg : b.args) args.push_back(made(arg));
    return run_rule(copy(b), std::move(args), skeleton_of(b), in_[b.results[0]].name, b.span);
}

Result<Walk::Made> Walk::run_rule(Binding binding, std::vector<Made> args, TypeId skeleton, std::string_view name, Span span) {
    const OpDef& op = *binding.op;
    ShapeRule rule = shape_rule(op);
    if (!rule) return Error{.code = Code::internal, .message = std::string(op.name) + " has no shape rule", .where = span};
    size_t count = op.params.size();
    ShapeArgs seen{.op = op, .tensors = {}, .sizes = {}, .sizes_known = std::vector<bool>(count, true),
                   .present = std::vector<bool>(count, false), .is_seq = std::vector<bool>(count, false),
                   .attributes = binding.attributes};
    seen.tensors.resize(count), seen.sizes.resize(count);
    size_t at = 0, group = 0;
    for (size_t p = 0; p < count; ++p) {
        ParamKind kind = op.params[p].kind;
        bool attribute = kind != ParamKind::value && kind != ParamKind::values && kind != ParamKind::size && kind != ParamKind::sizes;
        if (attribute || group >= binding.groups.size()) continue;
        ArgGroup g = binding.groups[group++];
        seen.present[p] = g.count > 0 || g.list;
        for (uint32_t i = 0; i < g.count; ++i, ++at) {
            if (kind == ParamKind::value && op.params[p].name == scalar_param(op)) {
                bool differentiated = find_attribute(binding, "as");     // only grad writes operators for others
                args[at] = TRY(differentiated ? scalar(args[at], "the value", "a gradient is that of one number: sum the result")
                                              : scalar(args[at], "the value"));
                if (abstracts_.is_bottom(args[at].abs)) return args[at];
            }
            const Abs a = abstracts_[args[at].abs];
            if (kind == ParamKind::value || (kind == ParamKind::values && g.list)) {
                seen.tensors[p].push_back(a.tensor);
                if (knows_fractions(op) && is_float(a.tensor.dtype)) seen.tensors[p].back().known = args[at].fractions;
            }
            if (kind == ParamKind::values && !g.list) {
                seen.is_seq[p] = true;
                AbsId element = open(a.parts[0]);
                if (abstracts_.is_bottom(element)) return Made{abstracts_.bottom(), {}};
                seen.tensors[p].push_back(abstracts_[element].tensor);
            }
            if (kind == ParamKind::size || (kind == ParamKind::sizes && g.list)) {
                std::string what = (g.list ? "each of " : "") + std::string(op.params[p].name);
                seen.sizes[p].push_back(TRY(number(args[at], what, span)));
                if (!seen.sizes[p].back().valid()) return Made{abstracts_.bottom(), {}};
            }
            if (kind == ParamKind::sizes && !g.list) {
                args[at] = TRY(vector(args[at], op.params[p].name));
                if (abstracts_.is_bottom(args[at].abs)) return args[at];
                bool known = true;
                seen.sizes[p] = TRY(elements(args[at], span, known));
                seen.sizes_known[p] = known;
            }
        }
    }
    if (audible_)
        for (size_t i = 0; i < args.size(); ++i) binding.args[i] = args[i].value;
    Result<std::vector<ShapedTensor>> said = with_elements(rule, seen);
    if (!said && (audible_ || said.error().code != Code::shape)) return std::move(said).error();
    if (!said) {                                         // it would fail here: nothing comes out
        refuse(std::move(said).error());
        return Made{abstracts_.bottom(), {}};
    }
    if (audible_) spell_sizes(binding, seen, span);
    std::vector<ShapedTensor> results = std::move(said).take();
    std::vector<AbsId> parts;
    Known fractions;
    for (ShapedTensor& t : results) {
        if (is_float(t.dtype)) fractions = std::exchange(t.known, {});
        parts.push_back(abstracts_.tensor(std::move(t)));
    }
    bool tuple = module_.types[skeleton].kind == TypeKind::tuple;
    Made made = with_number({tuple ? abstracts_.tuple(parts) : parts[0], {}}, name);
    made.value = emit(std::move(binding), made.abs, skeleton, name, span);
    if (!tuple) made.fractions = std::move(fractions);
    return made;
}

// Rules know of numbers and lists; what stands in grids is followed from outside.
Result<std::vector<ShapedTensor>> Walk::with_elements(ShapeRule rule, ShapeArgs& args) {
    std::vector<std::pair<ShapedTensor*, Known>> grids;
    for (std::vector<ShapedTensor>& param : args.tensors)
        for (ShapedTensor& t : param)
            if (t.known.kind == Known::Kind::grid) grids.push_back({&t, std::exchange(t.known, {})});
    std::vector<ShapedTensor> results = TRY(rule(args, *this));
    for (auto& [tensor, known] : grids) tensor->known = std::move(known);
    follow_elements(args, *this, results);
    return results;
}

// A vector of sizes whose elements are known is written out in dims: what computed it is then needed no more.
void Walk::spell_sizes(Binding& binding, const ShapeArgs& seen, Span span) {
    std::vector<Sym> outer = std::exchange(defines_, {});        // of the operator, not of its sizes
    std::vector<ValueId> args;
    size_t at = 0, group = 0;
    for (size_t p = 0; p < seen.op.params.size() && group < binding.groups.size(); ++p) {
        ParamKind kind = seen.op.params[p].kind;
        bool sizes = kind == ParamKind::sizes;
        if (!sizes && kind != ParamKind::value && kind != ParamKind::values && kind != ParamKind::size) continue;
        ArgGroup& g = binding.groups[group++];
        bool known = sizes && !g.list && g.count == 1 && seen.sizes_known[p];
        for (Dim d : seen.sizes[p]) known = known && exact(d, DType::i64);
        auto own = [&](Dim d) {                          // read off this very value: its name says more
            std::optional<Sym> symbol = module_.dims.as_symbol(d);
            return symbol && module_.dims.symbol(*symbol).kind != SymKind::size;
        };
        if (known) {
            for (Dim d : seen.sizes[p]) args.push_back(dim_value(d, span).value);
        } else if ((sizes && g.list) || kind == ParamKind::size) {
            for (size_t i = 0; i < g.count; ++i) {
                Dim d = seen.sizes[p][i];
                args.push_back(own(d) || !exact(d, DType::i64) ? binding.args[at + i] : dim_value(d, span).value);
            }
        } else {
            args.insert(args.end(), binding.args.begin() + ptrdiff_t(at), binding.args.begin() + ptrdiff_t(at + g.count));
        }
        at += g.count;
        if (known) g = {uint32_t(seen.sizes[p].size()), true};
    }
    binding.args = std::move(args);
    defines_ = std::move(outer);
}

Result<Walk::Made> Walk::apply_op(std::string_view op, std::vector<Argument> arguments, AttributeList attributes,
                                  TypeId skeleton, std::string_view name, Span span) {
    Binding binding{.form = Form::op, .op = all_ops().find(op), .attributes = std::move(attributes)};
    std::vector<Made> args;
    for (Argument& a : arguments) {
        binding.groups.push_back({uint32_t(a.values.size()), a.list});
        args.insert(args.end(), a.values.begin(), a.values.end());
    }
    binding.args.resize(audible_ ? args.size() : 0);
    return run_rule(std::move(binding), std::move(args), skeleton, name, span);
}

Walk::Made Walk::constant(int64_t value, Span span) {
    Literal literal{.kind = Literal::Kind::integer, .integers = {value}};
    AbsId abs = abstracts_.number(module_.dims.constant(value), DType::i64);
    return {abs, emit({.form = Form::literal, .literal = literal}, abs, module_.types.scalar(DType::i64), "", span)};
}
Walk::Made Walk::dim_value(Dim d, Span span) {
    if (std::optional<int64_t> value = module_.dims.constant_value(d)) return constant(*value, span);
    AbsId abs = abstracts_.number(d, DType::i64);
    return {abs, emit({.form = Form::dim, .dim = d}, abs, module_.types.scalar(DType::i64), "", span)};
}

Result<Dim> Walk::number(Made& made, std::string_view what, Span span) {
    if (Dim d = number_of(abstracts_[made.abs].tensor); d.valid()) return d;
    made = TRY(scalar(made, what));
    if (abstracts_.is_bottom(made.abs)) return Dim();
    made = TRY(exact_number(made, span));
    return number_of(abstracts_[made.abs].tensor);
}

// A copy of the scalar defines the symbol: reading it gives the integer, whatever polynomial it wrapped around.
Result<Walk::Made> Walk::exact_number(Made made, Span span) {
    ShapedTensor t = abstracts_[made.abs].tensor;
    if (Dim d = number_of(t); d.valid() && exact(d, t.dtype)) return made;
    std::vector<Sym> outer = std::move(defines_);
    defines_.clear();
    t.known = known_number(host("k"));
    if (t.low.valid()) know_.assume(t.low, Relation::less_equal, t.known.numbers[0]);
    if (t.high.valid()) know_.assume(t.known.numbers[0], Relation::less, t.high);
    Made out{abstracts_.tensor(t), {}};
    Binding same{.form = Form::op, .op = all_ops().find("reshape"), .groups = {{1, false}, {0, true}}};
    if (audible_) same.args = {made.value};
    out.value = emit(std::move(same), out.abs, module_.types.scalar(t.dtype), "", span);
    defines_ = std::move(outer);
    return out;
}

// A vector of sizes whose elements nothing tells: they are read, one by one.
Result<std::vector<Dim>> Walk::elements(Made made, Span span, bool& out_known) {
    const ShapedTensor t = abstracts_[made.abs].tensor;
    if (t.known.kind == Known::Kind::list) return t.known.numbers;
    std::optional<int64_t> length = t.ranked() && t.rank() == 1 ? module_.dims.constant_value(t.shape.dims[0]) : std::nullopt;
    out_known = length && *length <= 16;
    std::vector<Dim> out;
    if (!out_known) return out;
    for (int64_t i = 0; i < *length; ++i) {
        if (t.known.kind == Known::Kind::grid && t.known.numbers[size_t(i)].valid()) {
            out.push_back(t.known.numbers[size_t(i)]);
            continue;
        }
        std::vector<Sym> outer = std::move(defines_);
        defines_.clear();
        Made element = TRY(apply_op("gather", {{{made}}, {{constant(i, span)}}}, {{"axis", int64_t(0)}},
                                    module_.types.scalar(t.dtype), "", span));
        defines_ = std::move(outer);
        out.push_back(TRY(number(element, "an element", span)));
    }
    return out;
}

Result<Walk::Made> Walk::builtin(const Binding& b) {
    auto arg = [&](size_t i) { return abstracts_[abs(b.args[i])]; };
    switch (b.op->builtin) {
    case Builtin::none: break;
    case Builtin::ref: return make_cell(b);
    case Builtin::read: return emit_for(b, copy(b), open(arg(0).parts[0]));
    case Builtin::write: return write_cell(b);
    case Builtin::push: return emit_for(b, copy(b), abstracts_.seq(join_all({arg(0).parts[0], close(abs(b.args[1]))})));
    case Builtin::set: case Builtin::seq_get: {
        Made at = TRY(scalar(made(b.args[1]), "an index"));
        if (abstracts_.is_bottom(at.abs)) return at;
        Binding out = copy(b);
        if (audible_) out.args[1] = at.value;
        if (b.op->builtin == Builtin::seq_get) return emit_for(b, std::move(out), open(arg(0).parts[0]));
        AbsId element = close(abs(b.args.back()));
        return emit_for(b, std::move(out), abstracts_.seq(join_all({arg(0).parts[0], element})));
    }
    case Builtin::length: {
        if (arg(0).kind == AbsKind::tensor && arg(0).tensor.ranked() && arg(0).tensor.rank() > 0)
            return emit_for(b, copy(b), abstracts_.number(arg(0).tensor.shape.dims[0], DType::i64));
        Dim length = host(in_[b.results[0]].name);
        know_.assume(module_.dims.constant(0), Relation::less_equal, length);
        know_.add_extent(*module_.dims.as_symbol(length));
        return emit_for(b, copy(b), abstracts_.number(length, DType::i64));
    }
    case Builtin::print: return emit_for(b, copy(b), abstracts_.unit());
    case Builtin::assert_: {
        Made tested = TRY(condition_at(made(b.args[0]), place_of(b.args[0], b.span)));
        if (abstracts_.is_bottom(tested.abs)) return tested;
        Binding out = copy(b);
        if (audible_) out.args[0] = tested.value;
        Made done = emit_for(b, std::move(out), abstracts_.unit());
        const ShapedTensor c = arg(0).tensor;
        if (c.known.kind == Known::Kind::condition) know_.assume(c.known.condition);
        return done;
    }
    case Builtin::equal: return emit_for(b, copy(b), abstracts_.tensor({.dtype = DType::boolean}));
    case Builtin::stop_gradient: return emit_for(b, copy(b), abs(b.args[0]));
    case Builtin::grad: return gradient(b);
    case Builtin::leaves: break;
    }
    return Error{.code = Code::internal, .message = "a builtin without a shape", .where = b.span};
}

// grad(f) is a function of its own kind; `cells` hold the parameters it is taken with respect to.
Result<Walk::Made> Walk::gradient(const Binding& b) {
    Abs g{.kind = AbsKind::gradient, .parts = {abs(b.args[0])}};
    if (const Attribute* wrt = find_attribute(b, "wrt"))
        if (const std::vector<int64_t>* list = std::get_if<std::vector<int64_t>>(&wrt->value))
            for (int64_t i : *list) g.cells.push_back(uint32_t(i));
    return emit_for(b, copy(b), abstracts_.intern(std::move(g)));
}

// A number below 0 is no place counted from the end: says what to write for it.
Status Walk::not_from_the_end(Made at, Dim size, bool range) {
    const Known& known = abstracts_[at.abs].tensor.known;
    std::optional<int64_t> number = known.numbers.size() == 1 ? module_.dims.constant_value(known.numbers[0]) : std::nullopt;
    if (!audible_ || !number || *number >= 0) return {};
    Error refused = error((range ? "an end of a range is " : "index ") + std::to_string(*number) + (range ? ", below 0" : " is negative"));
    refused.hint = "indices count from 0 at the front";
    if (size.valid()) refused.hint += ": write " + text(module_.dims.add(size, module_.dims.constant(*number))) + ", not " + std::to_string(*number);
    return refused;
}

// e[i, a:b]: an integer drops its axis (gather by a scalar), a range keeps it (slice).
Result<Walk::Made> Walk::index(const Binding& b) {
    TypeId skeleton = skeleton_of(b);
    std::string_view name = in_[b.results[0]].name;
    Made x = made(b.args[0]);
    if (abstracts_[x.abs].kind == AbsKind::seq) {
        Made id = TRY(scalar(made(b.args[1]), "an index"));
        if (abstracts_.is_bottom(id.abs)) return id;
        Binding get{.form = Form::op, .op = all_ops().find("seq_get"), .args = new_ids(b.args), .groups = {{1, false}, {1, false}}};
        if (audible_) get.args[1] = id.value;
        return emit_for(b, std::move(get), open(abstracts_[x.abs].parts[0]));
    }
    size_t at = 1;
    int64_t axis = 0;
    size_t dropped = 0;                                  // axes that x had
    auto extent = [&]() -> Dim {
        const ShapedTensor& t = abstracts_[x.abs].tensor;
        return size_t(axis) < t.rank() ? t.shape.dims[size_t(axis)] : Dim();
    };
    TypeId partial = module_.types.tensor(Shape{{}, false, {}}, abstracts_[x.abs].tensor.dtype);
    for (size_t i = 0; i < b.parts.size(); ++i) {
        bool last = i + 1 == b.parts.size();
        IndexPart::Kind kind = b.parts[i].kind;
        if (kind == IndexPart::Kind::all) {
            ++axis;
            continue;
        }
        const ShapedTensor t = abstracts_[x.abs].tensor;
        if (t.ranked() && size_t(axis) >= t.rank()) {
            Error refused = error(std::to_string(b.parts.size()) + (b.parts.size() == 1 ? " index" : " indices") +
                                  " for a tensor of rank " + std::to_string(t.rank() + dropped));
            if (audible_) return refused;
            refuse(std::move(refused));
            return Made{abstracts_.bottom(), {}};
        }
        if (kind == IndexPart::Kind::at) {
            Made id = TRY(scalar(made(b.args[at++]), "an index"));
            if (abstracts_.is_bottom(id.abs)) return id;
            TRY(not_from_the_end(id, extent(), false));
            ++dropped;
            x = TRY(apply_op("gather", {{{x}}, {{id}}}, {{"axis", axis}}, last ? skeleton : partial, last ? name : "", b.span));
            continue;
        }
        bool has_from = kind == IndexPart::Kind::from_to || kind == IndexPart::Kind::from;
        bool has_to = kind == IndexPart::Kind::from_to || kind == IndexPart::Kind::to;
        Made from = has_from ? TRY(scalar(made(b.args[at++]), "the start of a range")) : constant(0, b.span);
        if (!has_to && !extent().valid()) return error("an open range needs a value of known rank");
        Made to = has_to ? TRY(scalar(made(b.args[at++]), "the end of a range")) : dim_value(extent(), b.span);
        if (abstracts_.is_bottom(from.abs) || abstracts_.is_bottom(to.abs)) return Made{abstracts_.bottom(), {}};
        TRY(not_from_the_end(from, extent(), true));
        TRY(not_from_the_end(to, extent(), true));
        x = TRY(apply_op("slice", {{{x}}, {{from}, true}, {{to}, true}}, {{"axes", std::vector<int64_t>{axis}}},
                         last ? skeleton : partial, last ? name : "", b.span));
        ++axis;
    }
    return x;
}
} // namespace nereus
