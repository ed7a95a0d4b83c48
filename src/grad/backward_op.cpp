// grad/backward_op.cpp - operators: their rules (ops/gradients.h) write contributions to adjoint values.
//
// What a rule computes from forward values alone is put off until it is used. Used by backward code it is written there,
// so that a tape keeps operands rather than what can be had from them; used for its shape it is written in forward code,
// where the shapes stage makes that shape known and dead code removes the rest.
#include "grad/backward.h"
#include "ops/registry.h"
#include "ops/shape_rules.h"
#include <algorithm>

namespace nereus {
class OpBackward : public Gradient {
 public:
    OpBackward(Backward& back, const Binding& binding, Leaves adjoint)
        : Gradient(binding), b_(back), w_(back.w_), result_(binding.results[0]), adjoint_(std::move(adjoint)) {}
    Status status;

    DType dtype(ValueId v) const override {
        return put_off(v) ? *w_.module().types[later_[v.index - first].type].element.dtype : w_.dtype(v);
    }
    bool wanted(size_t param, size_t i) const override { return b_.active(operand(param, i)); }
    ValueId result(size_t i) override { return is_tuple() ? project(result_, i) : result_; }
    ValueId adjoint(size_t i) override {
        size_t leaf = is_tuple() ? b_.types_.offset(w_.type(result_), i) : 0;
        if (!adjoint_[leaf].valid()) adjoint_[leaf] = b_.zero(result_, leaf);
        return adjoint_[leaf];
    }
    void contribute(size_t param, ValueId adjoint, size_t i) override {
        ValueId x = operand(param, i);
        if (!status || !b_.active(x)) return;
        ValueId g = here(adjoint);
        if (may_have_grown(x)) g = w_.op("sum_to", {g, b_.shape(x)});
        status = b_.contribute(x, 0, g);
    }
    void contribute_part(size_t param, const AddTo& add) override {
        ValueId x = arg(param);
        if (!status || !b_.active(x)) return;
        ValueId so_far = b_.leaf(x, 0);
        if (!so_far.valid()) return Gradient::contribute_part(param, add);
        ValueId made = here(add(so_far, false));
        b_.leaf(x, 0) = made;
    }
    // Where a part begins is counted along the way.
    void contribute_parts(size_t param, ValueId whole, int64_t axis) override {
        ValueId parts = arg(param);
        if (!status || !b_.active(parts)) return;
        whole = here(whole);
        Types& types = w_.module().types;
        TypeId integer = types.scalar(DType::i64), element = types[b_.plain(parts)].parts[0], all = b_.types_.held(b_.plain(parts));
        ValueId i = w_.value("i", integer), from = w_.value("from", integer), done = w_.value("done", all);
        const Written outside = here_;
        Result<BlockId> body = w_.block({i, from, done}, [&]() -> Result<std::vector<ValueId>> {
            ValueId to = add(from, extent(w_.builtin("seq_get", {parts, i}, element), axis));
            ValueId part = op("slice", {whole, {{from}, true}, {{to}, true}}, {{"axes", std::vector<int64_t>{axis}}});
            ValueId held = b_.structures_.held(w_, element, Leaves{part});
            return std::vector<ValueId>{to, w_.builtin("push", {done, held}, all)};
        });
        here_ = outside;
        ValueId count = w_.builtin("length", {parts}, integer), none = b_.structures_.zero(w_, all);
        Binding loop{.form = Form::for_, .args = {count, w_.number(0, DType::i64), none}, .blocks = {*body}};
        ValueId made = w_.bind(std::move(loop), types.tuple({integer, all}));
        status = b_.contribute(parts, 0, w_.project(made, 1));
    }

    ValueId op(std::string_view name, std::vector<Operand> operands, AttributeList attributes) override {
        bool forward = std::all_of(operands.begin(), operands.end(), [&](const Operand& o) {
            return std::all_of(o.values.begin(), o.values.end(), [&](ValueId v) { return put_off(v) || b_.is_forward(v); });
        });
        Later made{.name = std::string(name), .operands = std::move(operands), .attributes = std::move(attributes)};
        if (!forward) return write(made, here_);
        if (name == "shape_of") {
            ValueId x = made.operands[0].values[0];
            return put_off(x) ? in_forward(made) : b_.shape(x);
        }
        return put_off(std::move(made));
    }
    ValueId number(double value, DType dtype) override {
        return put_off(Later{.kind = Later::Kind::number, .number = value, .type = w_.shadows().tensor(dtype)});
    }
    ValueId project(ValueId tuple, size_t i) override {
        Later made{.kind = Later::Kind::part, .operands = {tuple}, .part = i};
        bool forward = put_off(tuple) || b_.is_forward(tuple);
        return forward ? put_off(std::move(made)) : write(made, here_);
    }

 private:
    struct Later {
        enum class Kind : uint8_t { op, number, part } kind = Kind::op;
        std::string name = {};
        std::vector<Operand> operands = {};
        AttributeList attributes = {};
        double number = 0;
        size_t part = 0;
        TypeId type = {};
    };
    using Written = std::map<ValueId, ValueId>;

    // Names of what is put off lie beyond those of the function.
    static constexpr uint32_t first = 1u << 30;
    static bool put_off(ValueId v) { return v.index >= first; }
    ValueId put_off(Later later) {
        if (!later.type.valid()) later.type = type_of(later);
        later_.push_back(std::move(later));
        return ValueId(first + later_.size() - 1);
    }
    // As the writer would give it, without leaving anything behind.
    TypeId type_of(const Later& later) {
        if (later.kind == Later::Kind::part) {
            ValueId tuple = later.operands[0].values[0];
            TypeId whole = put_off(tuple) ? later_[tuple.index - first].type : w_.type(tuple);
            return w_.module().types[whole].parts[later.part];
        }
        auto type = [&](ValueId v) { return put_off(v) ? later_[v.index - first].type : w_.type(v); };
        return w_.type_of_op(later.name, later.operands, later.attributes, type);
    }
    ValueId write(const Later& later, Written& written) {
        if (later.kind == Later::Kind::number) return w_.number(later.number, dtype_of(later));
        std::vector<Operand> operands = later.operands;
        for (Operand& o : operands)
            for (ValueId& v : o.values) v = placed(v, written);
        if (later.kind == Later::Kind::part) return w_.project(operands[0].values[0], later.part);
        return w_.op(later.name, operands, later.attributes);
    }
    ValueId placed(ValueId v, Written& written) {
        if (!put_off(v)) return v;
        if (auto it = written.find(v); it != written.end()) return it->second;
        const Later later = later_[v.index - first];
        ValueId made = write(later, written);
        if (later.kind != Later::Kind::number) written[v] = made;
        return made;
    }
    ValueId here(ValueId v) { return placed(v, here_); }
    ValueId in_forward(const Later& later) {
        return b_.in_forward(b_.home(result_), [&] { return write(later, forward_); });
    }
    DType dtype_of(const Later& later) const { return *w_.module().types[later.type].element.dtype; }

    ValueId operand(size_t param, size_t i) const { return args(param)[i]; }
    bool is_tuple() const { return w_.module().types[w_.type(result_)].kind == TypeKind::tuple; }
    // Contributions of elementwise operators have the result's shape, which may be larger than the operand's.
    bool may_have_grown(ValueId x) const {
        if (!is_elementwise(*binding().op)) return false;
        return std::any_of(binding().args.begin(), binding().args.end(),
                           [&](ValueId other) { return other != x && !b_.is_constant_scalar(other); });
    }

    Backward& b_;
    Writer& w_;
    ValueId result_;
    Leaves adjoint_;
    std::vector<Later> later_;
    Written here_, forward_;
};

Status Backward::op(const Binding& b) {
    std::optional<NamedGradient> row = gradient_rule(*b.op);
    if (!row || !row->rule) return Error{Code::internal, "grad: no rule for " + std::string(b.op->name), b.span};
    OpBackward rule(*this, b, take(b.results[0]));
    row->rule(rule);
    if (rule.refusal) return Error{Code::unsupported, "the gradient of '" + std::string(b.op->name) + "': " + *rule.refusal, b.span};
    return std::move(rule.status);
}
} // namespace nereus
