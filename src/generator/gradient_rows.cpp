// Gradients of closures, in the midst of other code. What they give is compared between the ways to run a program;
// comparing with differences needs a program that is smooth throughout (Options::smooth).
#include "generator/generator.h"
#include <algorithm>

namespace nereus::gen {
bool is_differentiable(const Type& type) {
    if (holds(type, Kind::ref) || holds(type, Kind::fn) || holds(type, Kind::param)) return false;
    return type.ranked && holds_float(type) && forget_variables(type) == type;
}

namespace {
bool can_nest(const Generator& g) { return g.can_bind() && g.can_differentiate(); }
bool has_adjoint(const Generator& g, const Type& want) { return can_nest(g) && is_differentiable(want); }
bool is_value_and_adjoint(const Generator& g, const Type& want) {
    return can_nest(g) && want.kind == Kind::tuple && want.parts.size() == 2 && want.parts[0].is_scalar(DType::f64) && is_differentiable(want.parts[1]);
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
// Of two parameters: with respect to both, or to one of them while the other is anything.
Expr gradient_of_two(Generator& g, const Type& want, int depth) {
    Var x{g.new_name("a"), want.parts[0]}, y{g.new_name("a"), want.parts[1]};
    std::string head = "fn(" + x.name + ": " + to_text(x.type) + ", " + y.name + ": " + to_text(y.type) + ") #0";
    std::vector<Expr> args = {g.expr(x.type, depth), g.expr(y.type, depth)};
    x.type = g.with_known_dims(x.type, x.name);
    y.type = g.with_known_dims(y.type, y.name);
    Block body = g.differentiated_block(real(), depth, std::vector{x, y});
    return make(Construct::gradient, want, "grad(" + head + ")($0, $1)", std::move(args), {std::move(body)});
}
Expr gradient_of_one(Generator& g, const Type& want, int depth) {
    Var x{g.new_name("a"), want}, y{g.new_name("a"), forget_variables(g.some_type(1))};
    bool second = g.chance(50);
    std::vector<Expr> args = {g.expr(x.type, depth), g.expr(y.type, depth)};
    std::string first = x.name + ": " + to_text(x.type), other = y.name + ": " + to_text(y.type);
    std::string head = "fn(" + (second ? other + ", " + first : first + ", " + other) + ") #0";
    x.type = g.with_known_dims(x.type, x.name);
    y.type = g.with_known_dims(y.type, y.name);
    Block body = g.differentiated_block(real(), depth, std::vector{x, y});
    return make(Construct::gradient, want, "grad(" + head + (second ? ", wrt=[1])($1, $0)" : ", wrt=[0])($0, $1)"), std::move(args), {std::move(body)});
}
bool are_both_adjoints(const Generator& g, const Type& want) {
    return can_nest(g) && want.kind == Kind::tuple && want.parts.size() == 2 && is_differentiable(want.parts[0]) && is_differentiable(want.parts[1]);
}
Expr stopped(Generator& g, const Type& want, int depth) {
    Expr a = g.expr(want, depth);
    Type type = a.type;
    return make(Construct::stop, type, "stop_gradient($0)", {std::move(a)});
}
// Along a direction that has the sizes of the argument.
Expr pushed_forward(Generator& g, const Type& want, int depth) {
    Type argument = g.some_tensor(DType::f64, true);
    if (g.chance(30)) argument = tuple({argument, g.some_tensor(DType::f64, true)});
    Var x{g.new_name("a"), forget_names(argument)};
    std::string head = "fn(" + x.name + ": " + to_text(x.type) + ") #0";
    std::vector<Expr> args = {g.expr(argument, depth), g.expr(argument, depth)};
    x.type = g.with_known_dims(x.type, x.name);
    Block body = g.own_block(want, depth, std::vector{x}, 2);          // the transpose of a gradient
    return make(Construct::jvp, want, "jvp(" + head + ")($0, $1)." + std::to_string(g.chance(80)), std::move(args), {std::move(body)});
}
bool has_change(const Generator& g, const Type& want) { return can_nest(g) && g.gradients_around() < 2 && want.ranked && want.is_tensor(DType::f64) && forget_names(want) == want; }
// Functions with rules of their own: written in function_rows.cpp.
Expr by_rule(Generator& g, const Type& want, int depth) {
    Type type = want;
    for (Dim& d : type.dims)
        if (d.any()) d = g.known_dim();
    if (g.chance(50)) return make(Construct::custom, type, "@cubed(tanh($0))", {g.expr(type, depth)});
    return make(Construct::custom, type, "@damped($0, $1)", {g.expr(type, depth), g.expr(type, depth)});
}
bool is_by_rule(const Generator&, const Type& want) { return want.ranked && want.is_tensor(DType::f64); }
Expr run_again(Generator& g, const Type& want, int depth) {
    Type argument = g.chance(60) ? g.some_tensor(DType::f64, true) : forget_variables(g.some_type(1));
    argument = forget_names(argument);
    if (holds(argument, Kind::ref) || holds(argument, Kind::fn)) argument = real();
    Var x{g.new_name("a"), argument};
    std::string head = "fn(" + x.name + ": " + to_text(argument) + ") #0";
    std::vector<Expr> args = {g.expr(argument, depth)};
    x.type = g.with_known_dims(argument, x.name);
    return make(Construct::checkpoint, want, "checkpoint(" + head + ")($0)", std::move(args), {g.own_block(want, depth, std::vector{x}, 0)});
}
bool can_run_again(const Generator& g, const Type& want) {
    return g.can_bind() && want.ranked && forget_names(want) == want && !holds(want, Kind::ref) && !holds(want, Kind::fn) && !holds(want, Kind::param);
}
} // namespace

std::span<const Row> gradient_rows() {
    static constexpr Row rows[] = {
    //   construct            weight  smooth  can                   make
        {Construct::gradient, 2,      true,   has_adjoint,          gradient},
        {Construct::gradient, 4,      true,   is_value_and_adjoint, value_and_gradient},
        {Construct::gradient, 3,      true,   are_both_adjoints,    gradient_of_two},
        {Construct::gradient, 1,      true,   has_adjoint,          gradient_of_one},
        {Construct::vjp,      1,      true,   has_adjoint,          pulled_back},
        {Construct::jvp,      1,      true,   has_change,           pushed_forward},
        {Construct::custom,   1,      true,   is_by_rule,           by_rule},
        {Construct::checkpoint, 1,    true,   can_run_again,        run_again},
        {Construct::stop,     1,      false,  has_adjoint,          stopped},
    };
    return rows;
}
} // namespace nereus::gen
