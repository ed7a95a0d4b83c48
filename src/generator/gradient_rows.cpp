// Gradients of closures, in the midst of other code. What they give is compared between the ways to run a program;
// comparing with differences needs a program that is smooth throughout (Options::smooth).
#include "generator/generator.h"
#include "generator/known_bugs.h"
#include <algorithm>

namespace nereus::gen {
namespace {
bool has_unknown_record(const Type& type) {
    return (type.kind == Kind::data && !type.dims.empty() && has_any(type)) || std::any_of(type.parts.begin(), type.parts.end(), has_unknown_record);
}
bool has_mixed_seq(const Type& type) {
    return (type.kind == Kind::seq && has_any(type)) || std::any_of(type.parts.begin(), type.parts.end(), has_mixed_seq);
}
} // namespace

bool is_differentiable(const Type& type) {
    if (holds(type, Kind::ref) || holds(type, Kind::fn) || holds(type, Kind::param)) return false;
    if (known::no_gradient_of_unknown_record_sizes && has_unknown_record(type)) return false;
    if (known::no_gradient_of_seq_with_mixed_sizes && has_mixed_seq(type)) return false;
    return type.ranked && holds_float(type) && forget_variables(type) == type;
}

namespace {
bool has_adjoint(const Generator& g, const Type& want) { return g.can_bind() && is_differentiable(want); }
bool is_value_and_adjoint(const Generator& g, const Type& want) {
    return g.can_bind() && want.kind == Kind::tuple && want.parts.size() == 2 && want.parts[0].is_scalar(DType::f64) && is_differentiable(want.parts[1]);
}

Expr differentiated(Generator& g, const Type& argument, const Type& result, int depth, const char* op, const char* form, Construct what, const Type& want) {
    Var x{g.new_name("a"), argument};
    std::string head = "fn(" + x.name + ": " + to_text(argument) + ") #0";
    std::vector<Expr> args = {g.expr(argument, depth)};
    x.type = g.with_known_dims(argument, x.name);
    if (what == Construct::vjp) args.push_back(g.expr(result, depth));
    Block body = g.differentiated_block(result, depth, std::vector{x});
    return make(what, want, std::string(op) + "(" + head + ")" + form, std::move(args), {std::move(body)});
}
Expr gradient(Generator& g, const Type& want, int depth) {
    return differentiated(g, want, scalar(DType::f64), depth, "grad", "($0)", Construct::gradient, want);
}
Expr value_and_gradient(Generator& g, const Type& want, int depth) {
    return differentiated(g, want.parts[1], scalar(DType::f64), depth, "value_and_grad", "($0)", Construct::gradient, want);
}
Expr pulled_back(Generator& g, const Type& want, int depth) {
    Type result = forget_variables(g.some_tensor(DType::f64, true));
    for (Dim& d : result.dims)
        if (d.any()) d = Dim{.number = 2};
    return differentiated(g, want, result, depth, "vjp", "($0, $1)", Construct::vjp, want);
}
Expr stopped(Generator& g, const Type& want, int depth) {
    Expr a = g.expr(want, depth);
    Type type = a.type;
    return make(Construct::gradient, type, "stop_gradient($0)", {std::move(a)});
}
} // namespace

std::span<const Row> gradient_rows() {
    static constexpr Row rows[] = {
    //   construct            weight  smooth  can                   make
        {Construct::gradient, 2,      true,   has_adjoint,          gradient},
        {Construct::gradient, 4,      true,   is_value_and_adjoint, value_and_gradient},
        {Construct::vjp,      1,      true,   has_adjoint,          pulled_back},
        {Construct::gradient, 1,      false,  has_adjoint,          stopped},
    };
    return rows;
}
} // namespace nereus::gen
