// Operators: on numbers alone they stay host operations; else the operator's own `lower` writes launches.
#include "lower/lower_function.h"
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
        return b ? &b->literal : nullptr;
    }
    Dim immediate_dim(ValueId v) const override {
        const Binding* b = immediate(v, Form::dim);
        return b ? b->dim : Dim{};
    }

    Status launch(LaunchSpec spec) override {
        Binding b{.form = Form::op, .op = &low_op(LowOp::launch), .span = binding_.span};
        for (size_t i = 0; i < spec.buffers.size(); ++i) {           // written before: this launch changes parts of it
            bool first = spec.kernel.buffers[i].out && !in_.made_by_.contains(spec.buffers[i]);
            (first ? b.results : b.args).push_back(spec.buffers[i]);
        }
        for (const LaunchSpec::Scalar& scalar : spec.scalars)
            if (scalar.value.valid()) b.args.push_back(scalar.value);
        b.defines = spec.late;
        b.groups = {ArgGroup{uint32_t(b.args.size()), true}};
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
    void check(Dim a, Relation relation, Dim b, std::string what) override {
        std::optional<int64_t> left = dims().constant_value(a), right = dims().constant_value(b);
        if (left && right && holds(relation, *left, *right)) return;
        Binding made{.form = Form::check, .span = binding_.span};
        made.fact = DimFact{a, relation, b, binding_.span};
        made.attributes.push_back({"what", std::move(what)});
        in_.emit(std::move(made));
    }

    // Results of the operator that are numbers but come out of a kernel.
    std::vector<std::pair<ValueId, ValueId>> written_numbers;

 private:
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

    auto is_number = [&](ValueId v) { return is_number_type(type_of(to_[v].type)); };
    bool on_host = b.op->host != HostOp::none && std::all_of(lowered.args.begin(), lowered.args.end(), is_number) &&
                   std::all_of(lowered.results.begin(), lowered.results.end(), is_number);
    if (on_host) {
        emit(std::move(lowered));
        return {};
    }
    if (!b.op->lower) return Error{Code::internal, "lower: operator '" + std::string(b.op->name) + "' has no lowering", b.span};

    // a number that a kernel computes is written to memory first, then read
    std::vector<std::pair<ValueId, ValueId>> written;
    for (ValueId& result : lowered.results)
        if (is_number(result)) {
            ValueId memory = add_leaf("", to_[result].type, b.span);
            written.emplace_back(result, memory);
            result = memory;
        }
    // what the operator defines late is defined by its launch, what is read off numbers by the read below
    std::vector<Sym> defines = std::exchange(lowered.defines, {});
    LowerOp op(*this, lowered);
    op.written_numbers = written;
    lowered.defines = defines;
    TRY(b.op->lower(op));
    for (auto [number, memory] : written) {
        Binding read{.form = Form::op, .op = &low_op(LowOp::read), .args = {memory}, .groups = {{}}, .results = {number}, .span = b.span};
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
    case Builtin::grad: return Error{Code::internal, "lower: a gradient is expanded before this stage", b.span};
    case Builtin::none: break;
    }
    return Error{Code::internal, "lower: unknown builtin", b.span};
}
} // namespace nereus
