// grad/rewrite_op.cpp - operators in taped code: a fresh cell for each float result and one step on the tape.
#include "grad/rewrite.h"
#include "ops/registry.h"
#include <algorithm>

namespace nereus {
namespace {
// Where the rule of one operator writes its step.
class StepWriter : public Gradient {
 public:
    StepWriter(Writer& w, const Binding& binding, const std::vector<ValueId>& shadows, ValueId result, std::vector<ValueId> cells)
        : Gradient(binding), w_(w), shadows_(shadows), result_(result), cells_(std::move(cells)) {}

    DType dtype(ValueId value) const override { return w_.dtype(value); }
    bool wanted(size_t param, size_t i) const override { return cell_of(param, i).valid(); }
    ValueId result(size_t i) override { return is_tuple() ? w_.project(result_, i) : result_; }
    ValueId adjoint(size_t i) override {
        if (read_.size() <= i) read_.resize(i + 1);
        if (!read_[i].valid()) read_[i] = w_.adjoint_in(cells_[i], "g");
        return read_[i];
    }
    void contribute(size_t param, ValueId adjoint, size_t i) override {
        if (wanted(param, i)) w_.accumulate(cell_of(param, i), adjoint);
    }
    // Where a part begins is counted along the way.
    void contribute_parts(size_t param, ValueId whole, int64_t axis) override {
        if (!wanted(param, 0)) return;
        ValueId parts = arg(param), cells = cell_of(param, 0);
        Types& types = w_.module().types;
        TypeId integer = types.scalar(DType::i64);
        ValueId i = w_.value("i", integer), from = w_.value("from", integer);
        auto item = [&](ValueId of) { return w_.builtin("seq_get", {of, i}, types[w_.type(of)].parts[0]); };
        Result<BlockId> body = w_.block({i, from}, [&]() -> Result<std::vector<ValueId>> {
            ValueId to = add(from, extent(item(parts), axis));
            w_.accumulate(item(cells), op("slice", {whole, {{from}, true}, {{to}, true}}, {{"axes", std::vector<int64_t>{axis}}}));
            return std::vector<ValueId>{to};
        });
        ValueId count = w_.builtin("length", {parts}, integer);
        w_.bind(Binding{.form = Form::for_, .args = {count, w_.number(0, DType::i64)}, .blocks = {*body}}, integer);
    }
    ValueId op(std::string_view name, std::vector<Operand> operands, AttributeList attributes) override {
        return w_.op(name, operands, std::move(attributes));
    }
    ValueId number(double value, DType dtype) override { return w_.number(value, dtype); }
    ValueId project(ValueId tuple, size_t i) override { return w_.project(tuple, i); }

 private:
    bool is_tuple() const { return w_.module().types[w_.type(result_)].kind == TypeKind::tuple; }
    ValueId cell_of(size_t param, size_t i) const {
        size_t at = i;
        for (size_t p = 0; p < param; ++p) at += binding().groups[p].count;
        return shadows_[at];
    }

    Writer& w_;
    const std::vector<ValueId>& shadows_;
    ValueId result_;
    std::vector<ValueId> cells_, read_;
};
} // namespace

void Rewrite::push_step(ValueId step) {
    TypeId steps = shadows_.list_of(shadows_.step());
    w_.write(tape_, w_.construct(shadows_.list_decl(), 1, {step, w_.read(tape_)}, steps));
}

Result<Twin> Rewrite::operate(const Binding& b) {
    Operation operation{.binding = with_new_args(b), .shadows = {}, .type = type(b), .name = name(b)};
    for (ValueId arg : b.args) operation.shadows.push_back(twin(arg).shadow);
    return tape_op(std::move(operation));
}

Result<Twin> Rewrite::tape_op(Operation o) {
    const Binding b = o.binding;
    Twin y{w_.bind(std::move(o.binding), o.type, o.name), {}};
    bool active = false;
    for (ValueId shadow : o.shadows) active = active || shadow.valid();
    if (!active || shadows_.inert(o.type)) return y;
    std::optional<NamedGradient> row = gradient_rule(*b.op);
    if (!row) return Error{Code::internal, "grad: no rule for " + std::string(b.op->name), b.span};
    if (!row->rule) return y;
    y.shadow = TRY(all_.structures.fresh_shadow(w_, y.value));
    std::vector<ValueId> cells{y.shadow};
    const Type result = module_.types[o.type];
    bool tuple = result.kind == TypeKind::tuple;
    BlockId step = TRY(w_.block({}, [&]() -> Result<std::vector<ValueId>> {
        if (tuple) cells.assign(result.parts.size(), ValueId());
        for (size_t i = 0; tuple && i < result.parts.size(); ++i)
            if (!shadows_.inert(result.parts[i])) cells[i] = w_.project(y.shadow, i);
        ValueId touched;                                 // of nothing comes nothing, not even of 0 * inf
        for (ValueId cell : cells)
            if (cell.valid()) touched = touched.valid() ? w_.op("or", {touched, w_.is_touched(cell)}) : w_.is_touched(cell);
        Binding choice{.form = Form::if_, .args = {touched}};
        choice.blocks.push_back(TRY(w_.block({}, [&]() -> Result<std::vector<ValueId>> {
            StepWriter rule(w_, b, o.shadows, y.value, cells);
            row->rule(rule);
            if (rule.refusal) return Error{Code::unsupported, "the gradient of '" + std::string(b.op->name) + "': " + *rule.refusal, b.span};
            return std::vector<ValueId>{w_.unit()};
        })));
        choice.blocks.push_back(TRY(w_.block({}, [&]() -> Result<std::vector<ValueId>> { return std::vector<ValueId>{w_.unit()}; })));
        w_.bind(std::move(choice), module_.types.unit());
        return std::vector<ValueId>{w_.unit()};
    }));
    push_step(w_.lambda({}, step, module_.types.unit(), "step"));
    return y;
}

Result<Twin> Rewrite::builtin(const Binding& b) {
    ValueId done = w_.bind(with_new_args(b), type(b), name(b));
    auto beside = [&]() -> Result<Twin> {                // the same done to the shadows; indices stay what they are
        if (shadows_.inert(type(b))) return Twin{done, {}};
        Binding made = with_new_args(b);
        size_t arg = 0;
        for (const OpParam& param : b.op->params) {
            if (is_attribute(param.kind)) continue;
            if (param.kind == ParamKind::value) made.args[arg] = TRY(shadow(b.args[arg]));
            ++arg;
        }
        return Twin{done, w_.bind(std::move(made), shadows_.of(type(b)), "s_" + name(b))};
    };
    switch (b.op->builtin) {
    case Builtin::ref: case Builtin::read: case Builtin::push: case Builtin::set: case Builtin::seq_get: {
        bool constant = !shadows_.holds_cell(type(b)) && !shadows_.holds_function(type(b));
        for (ValueId arg : b.args) constant = constant && !twin(arg).shadow.valid() && !shadows_.holds_cell(type(arg));
        return constant ? Twin{done, {}} : beside();
    }
    case Builtin::write:
        if (!shadows_.inert(type(b.args[1]))) w_.write(TRY(shadow(b.args[0])), TRY(shadow(b.args[1])));
        return Twin{done, {}};
    case Builtin::length: case Builtin::print: case Builtin::assert_: case Builtin::equal: case Builtin::stop_gradient:
        return Twin{done, {}};
    case Builtin::none: case Builtin::grad: case Builtin::leaves: break;
    }
    return Error{Code::internal, "grad: a gradient inside is expanded first", b.span};
}

// x[i, a:b], one axis after the other: an index drops its axis, a range keeps it. `write` gets each operator with its
// first operand left open.
Result<Twin> Rewrite::index(const Binding& b, const std::function<Result<Twin>(Binding, Twin)>& write) {
    Twin x = twin(b.args[0]);
    size_t next = 1;
    int64_t axis = 0;
    auto number = [&]() { return value(b.args[next++]); };
    for (const IndexPart& part : b.parts) {
        IndexPart::Kind kind = part.kind;
        Binding made{.form = Form::op, .args = {x.value}, .span = b.span};
        if (kind == IndexPart::Kind::all) {
            ++axis;
            continue;
        }
        if (kind == IndexPart::Kind::at) {
            made.op = all_ops().find("gather");
            made.args.push_back(number());
            made.groups = {{1, false}, {1, false}};
            made.attributes = {{"axis", axis}};
        } else {
            bool has_from = kind == IndexPart::Kind::from_to || kind == IndexPart::Kind::from;
            bool has_to = kind == IndexPart::Kind::from_to || kind == IndexPart::Kind::to;
            ValueId from = has_from ? number() : w_.number(0, DType::i64);
            ValueId at = w_.number(double(axis), DType::i64);
            ValueId to = has_to ? number() : w_.op("gather", {w_.shape_of(x.value), at}, {{"axis", int64_t(0)}});
            made.op = all_ops().find("slice");
            made.args.push_back(from), made.args.push_back(to);
            made.groups = {{1, false}, {1, true}, {1, true}};
            made.attributes = {{"axes", std::vector<int64_t>{axis++}}};
        }
        x = TRY(write(std::move(made), x));
    }
    return x;
}
Result<Twin> Rewrite::taped_index(const Binding& b) {
    return index(b, [&](Binding made, Twin x) {
        Operation o{.binding = std::move(made), .shadows = {x.shadow}, .type = shadows_.tensor(*module_.types[type(b)].element.dtype), .name = name(b)};
        o.shadows.resize(o.binding.args.size());
        return tape_op(std::move(o));
    });
}
Result<ValueId> Rewrite::plain_index(const Binding& b) {
    auto is_step = [](const IndexPart& part) { return part.kind != IndexPart::Kind::all; };
    auto left = std::count_if(b.parts.begin(), b.parts.end(), is_step);
    return TRY(index(b, [&](Binding made, Twin) -> Result<Twin> {        // a written type is that of the last step
        TypeId of = --left == 0 ? type(b) : shadows_.tensor(*module_.types[type(b)].element.dtype);
        return Twin{w_.bind(std::move(made), of, name(b)), {}};
    })).value;
}
} // namespace nereus
