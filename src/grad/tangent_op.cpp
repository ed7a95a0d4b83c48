// grad/tangent_op.cpp - operators in forward mode. What an operator's gradient rule (ops/gradients.h) says of its adjoints says
// how it changes too:
//   elementwise    the matrix of its derivatives is diagonal, its own transpose: the rule is applied to changes
//   linear         the change is the operator's own result, of changes
//   matmul         one product per factor that changes
//   others         transposed: the vjp of their vjp (products_of_products.cpp), of a function that is this operator alone
#include "grad/gradients.h"
#include "grad/tangents.h"
#include "ops/shape_rules.h"

namespace nereus {
// The rule of an elementwise operator, with the change of one operand for the adjoint: what it would add to that operand.
class OpTangent : public Gradient {
 public:
    OpTangent(TangentCode& code, const Binding& binding, size_t arg) : Gradient(binding), code_(code), w_(code.w_), arg_(arg) {}
    ValueId found;

    DType dtype(ValueId v) const override { return w_.dtype(v); }
    bool wanted(size_t param, size_t i) const override { return place(param, i) == arg_; }
    ValueId result(size_t) override { return binding().results[0]; }
    ValueId adjoint(size_t) override { return code_.change_.at(binding().args[arg_]); }
    void contribute(size_t param, ValueId adjoint, size_t i) override {
        if (wanted(param, i)) found = found.valid() ? add(found, adjoint) : adjoint;
    }
    void contribute_parts(size_t, ValueId, int64_t) override {}
    ValueId op(std::string_view name, std::vector<Operand> operands, AttributeList attributes) override { return w_.op(name, operands, attributes); }
    ValueId number(double value, DType dtype) override { return w_.number(value, dtype); }
    ValueId project(ValueId tuple, size_t i) override { return w_.project(tuple, i); }

 private:
    size_t place(size_t param, size_t i) const { return size_t(args(param).data() - binding().args.data()) + i; }
    TangentCode& code_;
    Writer& w_;
    size_t arg_;
};

Status TangentCode::op(const Binding& b) {
    const ValueId y = b.results[0];
    auto with = [&](const Values& args) {
        Binding made = b;
        made.args = args, made.results.clear();
        return w_.bind(std::move(made), plain(y));
    };
    std::vector<size_t> changing;
    for (size_t i = 0; i < b.args.size(); ++i)
        if (active(b.args[i])) changing.push_back(i);
    auto sum = [&](const std::function<Result<ValueId>(size_t)>& term) -> Status {
        ValueId total;
        for (size_t i : changing) {
            const ValueId one = TRY(term(i));
            if (one.valid()) total = total.valid() ? w_.op("add", {total, one}) : one;
        }
        change_[y] = total.valid() ? total : TRY(all_.structures_.adjoint(w_, y, {}));
        return {};
    };
    const NamedGradient row = *gradient_rule(*b.op);
    if (row.linear) {
        Values args;
        for (ValueId arg : b.args) args.push_back(shadows_.has_adjoint(w_.type(arg)) ? TRY(change(arg)) : arg);
        change_[y] = with(args);
        return {};
    }
    if (b.op->name == "matmul")
        return sum([&](size_t i) -> Result<ValueId> {
            Values args = b.args;
            args[i] = change_.at(args[i]);
            return with(args);
        });
    if (is_elementwise(*b.op) && module_.types[plain(y)].kind == TypeKind::tensor) {
        TRY(sum([&](size_t i) -> Result<ValueId> {
            OpTangent tangent(*this, b, i);
            row.rule(tangent);
            return tangent.found;
        }));
        if (b.args.size() > 1) change_[y] = w_.op("broadcast_to", {change_[y], w_.shape_of(y)});     // an operand may be smaller
        return {};
    }
    // as a function of its own
    FunctionId alone = all_.structures_.new_function(std::string(b.op->name) + ".alone", b.span);
    Function f;
    f.name = module_[alone].name, f.span = b.span;
    Writer w(module_, shadows_, f);
    w.span = b.span;
    Binding made = b;
    made.results.clear(), made.args.clear();
    for (ValueId arg : b.args) made.args.push_back(w.param(f_[arg].name, plain(arg)));
    f.result = plain(y);
    w.finish(f.body, {w.bind(std::move(made), plain(y))});
    module_[alone] = std::move(f);
    GradientForm form{.op = "jvp", .wrt = {}};
    Values args = b.args;
    for (size_t i : changing) form.wrt.push_back(int64_t(i)), args.push_back(change_.at(b.args[i]));
    const FunctionId pushed = TRY(all_.all_.transposed(alone, form, b.span));
    change_[y] = w_.project(w_.call(pushed, args, module_.types.tuple({plain(y), plain(y)})), 1);
    return {};
}
} // namespace nereus
