// Operators: on numbers alone they stay host operations; else the operator's own `lower` writes launches.
#include "lower/lower_function.h"
#include "ops/speaker.h"
#include "ops/unranked.h"
#include <algorithm>

namespace nereus {
// Hands an operator its lowered operands and takes what it writes.
class LowerOp final : public OpLowering {
 public:
    LowerOp(LowerFunction& function, const Binding& binding)
        : OpLowering(function.out_.module, function.to_, binding), in_(function) {}

    bool is_number(ValueId v) const override {
        auto it = in_.made_by_.find(v);
        const Binding* made_by = it == in_.made_by_.end() ? nullptr : &in_.to_[it->second];
        return !in_memory(v) && held(in_.out_.module.types, made_by, in_.to_[v]) == Held::number;
    }
    const Literal* literal(ValueId v) const override {
        const Binding* b = immediate(v, Form::literal);
        if (!b) return nullptr;
        const bool is_one_real = b->literal.kind == Literal::Kind::real && !b->literal.is_tensor;
        return is_one_real && !in_.kernels_.takes_constant(*binding_.op, b->literal.reals[0]) ? nullptr : &b->literal;
    }
    Dim immediate_dim(ValueId v) const override {
        const Binding* b = immediate(v, Form::dim);
        return b ? b->dim : Dim{};
    }

    Status launch(LaunchSpec spec) override {
        Binding b{.form = Form::op, .op = &low_op(LowOp::launch), .span = binding_.span};
        bool changes = false;
        for (size_t i = 0; i < spec.buffers.size(); ++i) {           // written before: this launch changes parts of it
            const bool out = spec.kernel.buffers[i].out, first = out && !in_.made_by_.contains(spec.buffers[i]);
            (first ? b.results : b.args).push_back(spec.buffers[i]);
            changes = changes || (out && !first);
        }
        for (const LaunchSpec::Scalar& scalar : spec.scalars)
            if (scalar.value.valid()) b.args.push_back(scalar.value);
        b.args.insert(b.args.end(), spec.after.begin(), spec.after.end());
        b.defines = spec.late;
        b.groups = {ArgGroup{uint32_t(b.args.size()), true}};
        if (changes && !b.results.empty()) b.attributes.push_back({"changes", true});
        b.attributes.push_back({"launch", int64_t(in_.out_.launches.size())});
        in_.out_.launch_kernel.push_back(in_.kernels_.add(std::move(spec.kernel), spec.library));
        spec.kernel = {};
        in_.out_.launches.push_back(std::move(spec));
        in_.emit(std::move(b));
        return {};
    }
    void view(ValueId result, ValueId source) override {
        Binding b{.form = Form::op, .op = &low_op(LowOp::view), .args = {source}, .groups = {{}}, .results = {result}, .span = binding_.span};
        in_.emit(std::move(b));
    }
    void copy(ValueId result, ValueId source) override {
        Binding b{.form = Form::op, .op = &low_op(LowOp::copy), .args = {source}, .groups = {{}}, .span = binding_.span};
        (in_.made_by_.contains(result) ? b.args : b.results).push_back(result);
        b.groups = {ArgGroup{uint32_t(b.args.size()), true}};
        in_.emit(std::move(b));
    }
    void reads_as(ValueId result, StridedView view) override { in_.strided_[result] = std::move(view); }
    StridedView strided(ValueId v) override {
        if (auto it = in_.strided_.find(v); it != in_.strided_.end() && !opened_.contains(v)) return it->second;
        StridedView dense{.source = v};
        const std::vector<Dim> extents = shape(v);
        const std::vector<Stride> strides = dense_strides(dims(), extents);
        for (size_t i = 0; i < extents.size(); ++i) dense.axes.push_back({{extents[i]}, {strides[i]}});
        return dense;
    }
    void numbers(ValueId result, std::vector<Dim> values) override {
        Binding b{.form = Form::op, .op = &low_op(LowOp::numbers), .results = {result}, .span = binding_.span};
        for (Dim value : values) {
            Binding number{.form = Form::dim};
            number.dim = value;
            b.args.push_back(in_.emit_number(std::move(number), DType::i64, binding_.span));
        }
        b.groups = {ArgGroup{uint32_t(b.args.size()), true}};
        in_.emit(std::move(b));
    }
    void concat_seq(ValueId result, ValueId seq, int64_t axis) override {
        Binding b{.form = Form::op, .op = &low_op(LowOp::concat_seq), .args = {seq}, .groups = {{}}, .results = {result}, .span = binding_.span};
        b.attributes.push_back({"axis", axis});
        in_.emit(std::move(b));
    }
    void check(Dim a, Relation relation, Dim b, std::string what) override {
        std::optional<int64_t> left = dims().constant_value(a), right = dims().constant_value(b);
        if (left && right && holds(relation, *left, *right)) return;
        Binding made{.form = Form::check, .span = binding_.span};
        made.fact = DimFact{a, relation, b, binding_.span};
        made.attributes.push_back({"what", speaks_for(binding_) + what});
        in_.emit(std::move(made));
    }

    Dim rank(ValueId v) override {
        if (ranked(v)) return dims().constant(int64_t(type(v).shape.dims.size()));
        Sym symbol = dims().new_symbol("rank", SymKind::late);
        in_.emit(on(LowOp::rank, {v}, {symbol}));
        return dims().of(symbol);
    }
    void open(ValueId v, Opened how, size_t count) override {
        std::vector<Dim> extents;
        const std::vector<Dim> known = type(v).shape.dims;
        if (ranked(v)) {                                 // nothing to look at, but the same forms
            Dim all = dims().product(known);
            size_t missing = count - std::min(count, known.size());
            if (how == Opened::flat) extents = {all};
            if (how == Opened::padded) {
                extents.assign(missing, dims().constant(1));
                extents.insert(extents.end(), known.begin(), known.end());
            }
            auto middle = how == Opened::front ? known.begin() + int64_t(std::min(count, known.size()))
                                               : known.end() - int64_t(std::min(count, known.size()));
            if (how == Opened::front) {
                extents.assign(known.begin(), middle);
                extents.push_back(dims().product(std::vector<Dim>(middle, known.end())));
            }
            if (how == Opened::back) {
                extents = {dims().product(std::vector<Dim>(known.begin(), middle))};
                extents.insert(extents.end(), middle, known.end());
            }
        } else {
            std::vector<Sym> symbols;
            size_t all = how == Opened::flat ? 1 : how == Opened::padded ? count : count + 1;
            for (size_t i = 0; i < all; ++i) {
                symbols.push_back(dims().new_symbol("d" + std::to_string(i), SymKind::late));
                extents.push_back(dims().of(symbols.back()));
            }
            Binding b = on(LowOp::open, {v}, std::move(symbols));
            b.attributes = {{"count", int64_t(count)}, {"how", int64_t(how)}};
            in_.emit(std::move(b));
        }
        open_as(v, std::move(extents));
    }
    void make(ValueId result, std::vector<ShapePart> parts) override {
        Binding b = on(LowOp::make, {}, {});
        std::vector<int64_t> codes;
        for (const ShapePart& part : parts) {
            codes.push_back(int64_t(part.kind));
            if (part.value.valid()) b.args.push_back(part.value);
            if (part.kind == ShapePart::Kind::tail || part.kind == ShapePart::Kind::head) codes.push_back(part.from);
            else if (!names_axes(part.kind)) b.dims.push_back(part.number.valid() ? part.number : dims().constant(-1));
            if (part.kind == ShapePart::Kind::unless) b.dims.push_back(part.flag);
        }
        b.attributes = {{"parts", std::move(codes)}};
        b.groups = {ArgGroup{uint32_t(b.args.size()), true}};
        b.results = {result};
        in_.emit(std::move(b));
    }
    void check_tails(ValueId x, int64_t from_x, ValueId y, int64_t from_y, std::string what) override {
        compare_extents(LowOp::same_tails, x, y, from_x + 256 * from_y, std::move(what));
    }
    void check_same_but(ValueId x, ValueId y, int64_t axis, std::string what) override {
        compare_extents(LowOp::same_but, x, y, axis, std::move(what));
    }
    void compare_extents(LowOp op, ValueId x, ValueId y, int64_t axes, std::string what) {
        Binding b = on(op, {x, y}, {});
        b.groups = {ArgGroup{2, true}};
        b.attributes = {{"axes", axes}};
        Sym symbol = dims().new_symbol("same", SymKind::host);
        ValueId same = in_.emit_number(std::move(b), DType::i64, binding_.span);
        in_.to_[same].known = dims().of(symbol);
        check(dims().of(symbol), Relation::equal, dims().constant(1), std::move(what));
    }
    void shape_vector(ValueId result, ValueId x) override {
        Binding b = on(LowOp::shape_vector, {x}, {});
        b.results = {result};
        in_.emit(std::move(b));
    }
    Dim element(ValueId vector, Dim index, Dim otherwise) override {
        Sym symbol = dims().new_symbol("element", SymKind::host);
        Binding b = on(LowOp::element, {vector}, {symbol});
        b.dims = {index, otherwise};
        in_.emit(std::move(b));
        return dims().of(symbol);
    }
    ValueId temporary(DType dtype, std::vector<Dim> shape) override {
        return in_.add_leaf("", types().tensor(Shape{std::move(shape)}, dtype), binding_.span);
    }
    ValueId unranked_temporary(DType dtype) override {
        return in_.add_leaf("", types().tensor(Shape{.ranked = false}, dtype), binding_.span);
    }
    void define(Sym symbol, Dim value) override {
        Binding b{.form = Form::dim};
        b.dim = value;
        ValueId number = in_.emit_number(std::move(b), DType::i64, binding_.span);
        in_.to_[number].known = dims().of(symbol);
    }

    // Results of the operator that are numbers but come out of a kernel.
    std::vector<std::pair<ValueId, ValueId>> written_numbers;

 private:
    static bool names_axes(ShapePart::Kind kind) { return kind == ShapePart::Kind::ones || kind == ShapePart::Kind::without; }
    Binding on(LowOp op, std::vector<ValueId> args, std::vector<Sym> defines) {
        Binding b{.form = Form::op, .op = &low_op(op), .args = std::move(args), .groups = {{}}, .span = binding_.span};
        b.defines = std::move(defines);
        return b;
    }
    bool in_memory(ValueId v) const {
        return std::any_of(written_numbers.begin(), written_numbers.end(), [&](auto& pair) { return pair.second == v; });
    }
    const Binding* immediate(ValueId v, Form form) const {
        auto it = in_.made_by_.find(v);
        return it != in_.made_by_.end() && in_.to_[it->second].form == form ? &in_.to_[it->second] : nullptr;
    }
    LowerFunction& in_;
};

Status LowerFunction::op(const Binding& b) {
    if (b.op->builtin != Builtin::none) return builtin(b);
    Binding lowered = b;
    lowered.args.clear();
    for (ValueId arg : b.args) lowered.args.push_back(one(arg));
    lowered.results.clear();
    for (ValueId result : b.results)
        for (ValueId leaf : add_leaves(result)) lowered.results.push_back(leaf);
    return op_of_leaves(std::move(lowered));
}

Status LowerFunction::op_of_leaves(Binding lowered) {
    const OpDef& written_op = *lowered.op;
    const Span span = lowered.span;
    auto is_number = [&](ValueId v) { return is_number_type(type_of(to_[v].type)); };
    bool on_host = written_op.host != HostOp::none && std::all_of(lowered.args.begin(), lowered.args.end(), is_number) &&
                   std::all_of(lowered.results.begin(), lowered.results.end(), is_number);
    if (on_host) {
        emit(std::move(lowered));
        return {};
    }
    if (!written_op.lower) return Error{Code::internal, "lower: operator '" + std::string(written_op.name) + "' has no lowering", span};

    // a number that a kernel computes is written to memory first, then read
    std::vector<std::pair<ValueId, ValueId>> written;
    for (ValueId& result : lowered.results)
        if (is_number(result)) {
            ValueId memory = add_leaf("", to_[result].type, span);
            written.emplace_back(result, memory);
            result = memory;
        }
    // what the operator defines late is defined by its launch, what is read off numbers by the read below
    std::vector<Sym> defines = std::exchange(lowered.defines, {});
    LowerOp op(*this, lowered);
    op.written_numbers = written;
    lowered.defines = defines;
    auto unranked = [&](ValueId v) { return type_of(to_[v].type).kind == TypeKind::tensor && !type_of(to_[v].type).shape.ranked; };
    bool any = std::any_of(lowered.args.begin(), lowered.args.end(), unranked) ||
               std::any_of(lowered.results.begin(), lowered.results.end(), unranked);
    TRY(any ? lower_unranked(op) : written_op.lower(op));
    for (auto [number, memory] : written) {
        Binding read{.form = Form::op, .op = &low_op(LowOp::read), .args = {memory}, .groups = {{}}, .results = {number}, .span = span};
        if (Dim known = to_[number].known; known.valid())
            if (std::optional<Sym> symbol = module().dims.as_symbol(known))
                if (std::find(defines.begin(), defines.end(), *symbol) != defines.end()) read.defines = {*symbol};
        emit(std::move(read));
    }
    return {};
}

Status LowerFunction::builtin(const Binding& b) {
    switch (b.op->builtin) {
    case Builtin::stop_gradient: leaves_[b.results[0]] = leaves(b.args[0]); return {};
    case Builtin::read: case Builtin::seq_get: {
        // the item comes out as one object, tuples are taken apart after that
        Binding made = b;
        made.args = gather(b.args);
        TypeId type = from_[b.results[0]].type;
        made.results = {add_leaf(type_of(type).kind == TypeKind::tuple ? "" : from_[b.results[0]].name, type, b.span, from_[b.results[0]].known)};
        leaves_[b.results[0]] = unpack(type, emit(std::move(made)).results[0], b.span);
        return {};
    }
    case Builtin::ref: case Builtin::write: case Builtin::push: case Builtin::set: case Builtin::length: case Builtin::print:
    case Builtin::assert_: case Builtin::equal: {
        Binding made = b;
        made.args.clear();
        for (ValueId arg : b.args) {
            const Leaves& parts = leaves(arg);
            if (parts.empty() && type_of(from_[arg].type).kind != TypeKind::tuple) continue;       // a text
            made.args.push_back(pack(from_[arg].type, parts, b.span));
        }
        made.results = add_leaves(b.results[0]);
        emit(std::move(made));
        return {};
    }
    case Builtin::grad: case Builtin::leaves: return Error{Code::internal, "lower: what is expanded before this stage", b.span};
    case Builtin::none: break;
    }
    return Error{Code::internal, "lower: unknown builtin", b.span};
}
} // namespace nereus
