// Tensors, float ones above all: each operator with arguments whose sizes fit.
#include "generator/generator.h"
#include <algorithm>

namespace nereus::gen {
namespace {
bool is_tensor(const Generator&, const Type& want) { return want.kind == Kind::tensor && want.ranked; }
bool is_real(const Generator& g, const Type& want) { return is_tensor(g, want) && want.is_float(); }
bool is_f64(const Generator& g, const Type& want) { return is_tensor(g, want) && want.dtype == DType::f64; }
bool is_number(const Generator& g, const Type& want) { return is_tensor(g, want) && want.dtype != DType::boolean; }
bool has_axis(const Generator& g, const Type& want) { return is_tensor(g, want) && !want.dims.empty(); }
bool binds_axis(const Generator& g, const Type& want) { return g.can_bind() && has_axis(g, want); }
bool binds_number(const Generator& g, const Type& want) { return g.can_bind() && is_number(g, want); }
bool binds_number_axis(const Generator& g, const Type& want) { return binds_axis(g, want) && want.dtype != DType::boolean; }
bool all_known(const Generator& g, const Type& want) { return is_tensor(g, want) && !has_any(want); }
bool known_numbers(const Generator& g, const Type& want) { return is_number(g, want) && !has_any(want); }
bool grows(const Generator& g, const Type& want) { return binds_axis(g, want) && std::any_of(want.dims.begin(), want.dims.end(), [](const Dim& d) { return d.any(); }); }
bool known_leading_axis(const Generator& g, const Type& want) { return binds_axis(g, want) && !want.dims[0].any(); }
bool is_late(const Generator& g, const Type& want) { return g.can_bind() && is_real(g, want) && !want.dims.empty() && want.dims[0].any(); }
bool is_indices(const Generator&, const Type& want) { return want.is_tensor(DType::i64) && want.ranked && want.dims.size() == 1; }
bool is_truths(const Generator& g, const Type& want) { return has_axis(g, want) && want.dtype == DType::boolean; }
bool is_unranked_use(const Generator& g, const Type& want) {
    return g.can_bind() && is_f64(g, want) && (want.dims.empty() || (want.dims.size() == 1 && want.dims[0].any()));
}

std::string sizes_text(const std::vector<Dim>& dims) {
    std::string out = "[";
    for (const Dim& d : dims) out += (out.size() == 1 ? "" : ", ") + d.expression();
    return out + "]";
}
// The type of an operand that is broadcast to `type`: fewer axes, or ones.
Type narrower(Generator& g, const Type& type) {
    Type made = type;
    if (g.chance(50) || made.dims.empty()) return made;
    made.dims.erase(made.dims.begin(), made.dims.begin() + int64_t(g.below(made.dims.size() + 1)));
    for (Dim& d : made.dims)
        if (g.chance(20)) d = Dim{.number = 1};
    return made;
}
// What is wanted with every size known: by an expression of it, bound to a name, or by choosing.
Type settled(Generator& g, const Type& want) {
    Type type = want;
    for (Dim& d : type.dims)
        if (d.any()) d = g.known_dim();
    return type;
}

Expr unary(Generator& g, const Type& want, int depth) {
    static constexpr const char* smooth[] = {"tanh($0)", "(-$0)", "exp(tanh($0))", "log(1.5 + tanh($0))", "sqrt(1.25 + tanh($0))",
                                             "($0 * 0.5)", "(1.5 - $0)", "($0 / 3.0)"};
    Expr a = g.expr(want, depth);
    Type type = a.type;
    return make(Construct::arithmetic, type, smooth[g.below(8)], {std::move(a)});
}
Expr whole_unary(Generator& g, const Type& want, int depth) {
    static constexpr const char* forms[] = {"(-$0)", "mod($0, 3)", "($0 // 2)", "($0 / (-2))", "($0 + 1)", "($0 * 2)"};
    Expr a = g.expr(want, depth);
    Type type = a.type;
    const size_t at = g.below(6);
    const bool negative = at == 3 && is_unsigned(want.dtype);        // -2 is no such number
    return make(Construct::arithmetic, type, negative ? "($0 / 2)" : forms[at], {std::move(a)});
}
Expr unary_any(Generator& g, const Type& want, int depth) {
    return want.is_float() ? unary(g, want, depth) : whole_unary(g, want, depth);
}
Expr binary(Generator& g, const Type& want, int depth) {
    static constexpr const char* forms[] = {"($0 + $1)", "($0 - $1)", "($0 * $1)"};
    Type type = settled(g, want);
    Expr a = g.expr(type, depth), b = g.expr(narrower(g, type), depth);
    if (g.chance(50)) std::swap(a, b);
    return make(Construct::arithmetic, type, forms[g.below(3)], {std::move(a), std::move(b)});
}
Expr with_bound(Generator& g, const Type& want, int depth) {         // an operand whose size is its own
    Var a = g.bound(want, depth);
    return make(Construct::arithmetic, a.type, g.chance(50) ? "($0 + $1)" : "($0 * $1)", {use(a), g.expr(narrower(g, a.type), depth)});
}
Expr kinked(Generator& g, const Type& want, int depth) {
    static constexpr const char* forms[] = {"maximum($0, $1)", "minimum($0, $1)"};
    Type type = settled(g, want);
    return make(Construct::arithmetic, type, forms[g.below(2)], {g.expr(type, depth), g.expr(narrower(g, type), depth)});
}
Expr stepped(Generator& g, const Type& want, int depth) {
    static constexpr const char* forms[] = {"mod($0, 0.75)", "($0 // 0.6)", "mod($0, (-1.1))"};
    Expr a = g.expr(want, depth);
    Type type = a.type;
    return make(Construct::arithmetic, type, forms[g.below(3)], {std::move(a)});
}
Expr quotient(Generator& g, const Type& want, int depth) {
    Type type = settled(g, want);
    return make(Construct::arithmetic, type, "($0 / (2.0 + tanh($1)))", {g.expr(type, depth), g.expr(narrower(g, type), depth)});
}
// Sizes that only the run can find equal: an error if they are not and neither is 1.
Expr perhaps_equal(Generator& g, const Type& want, int depth) {
    Type loose = forget_dims(want);
    return make(Construct::arithmetic, loose, "($0 + $1)", {g.expr(loose, depth), g.expr(loose, depth)});
}
bool is_loose(const Generator& g, const Type& want) {
    return g.can_bind() && is_real(g, want) && want.dims.size() == 1 && want.dims[0].any();
}
Expr choose(Generator& g, const Type& want, int depth) {
    Type type = settled(g, want), condition = narrower(g, type);
    condition.dtype = DType::boolean;
    return make(Construct::select, type, "select($0, $1, $2)", {g.expr(condition, depth), g.expr(type, depth), g.expr(type, depth)});
}
Expr casted(Generator& g, const Type& want, int depth) {
    Type from = want;
    static constexpr DType dtypes[] = {DType::i64, DType::f32, DType::boolean, DType::i64};
    const size_t at = g.below(g.options().smooth ? 1 : 5);
    from.dtype = at < std::size(dtypes) ? dtypes[at] : g.some_integer();
    Expr a = g.expr(from, depth);
    Type type = a.type;
    type.dtype = want.dtype;
    return make(Construct::cast, type, "cast($0, " + std::string(dtype_name(want.dtype)) + ")", {std::move(a)});
}

Expr reduced(Generator& g, const Type& want, int depth) {
    Type from = want;
    const char* fold = g.options().smooth || g.chance(60) ? "sum" : "max";
    if (want.dims.empty() && g.chance(50)) {
        from = g.some_tensor(want.dtype, false);
        return make(Construct::reduce, want, std::string(fold) + "($0)", {g.expr(from, depth)});
    }
    size_t axis = g.below(want.dims.size() + 1);
    from.dims.insert(from.dims.begin() + int64_t(axis), g.chance(70) ? g.known_dim() : g.any_dim());
    if (from.dims.size() > 3) {              // keep what was wanted, with a one for the axis, then drop it
        from = want;
        axis = g.below(want.dims.size());
        if (want.dims[axis] != Dim{.number = 1}) {
            Expr a = g.leaf(settled(g, want));
            Type type = a.type;
            return make(Construct::reduce, type, "($0 + sum($0, axes=[" + std::to_string(axis) + "], keepdims=true))", {std::move(a)});
        }
    }
    bool from_the_end = g.chance(30);
    std::string axes = "axes=[" + std::to_string(from_the_end ? int64_t(axis) - int64_t(from.dims.size()) : int64_t(axis)) + "]";
    Expr a = g.expr(from, depth);
    Type type = a.type;
    type.dims.erase(type.dims.begin() + int64_t(axis));
    if (from.dims.size() == want.dims.size()) return make(Construct::reduce, want, std::string(fold) + "($0, " + axes + ", keepdims=true)", {std::move(a)});
    return make(Construct::reduce, type, std::string(fold) + "($0, " + axes + ")", {std::move(a)});
}
// One operand twice, by the same operator with other attributes.
Expr differing(Generator& g, const Type& want, int depth) {
    Dim d = want.dims.empty() || want.dims[0].any() ? g.known_dim() : want.dims[0];
    Type type = want;
    type.dims = {d};
    Type square = tensor(want.dtype, {d, d});
    std::string rows = "($0 + cast(iota(" + d.expression() + "), " + std::string(dtype_name(want.dtype)) + "))";      // not symmetric
    Var v = g.bound(make(Construct::arithmetic, square, rows, {g.expr(square, depth)}));
    switch (g.below(3)) {
    case 0: return make(Construct::reduce, type, "(sum($0, axes=[0]) - 2 * sum($0, axes=[1]))", {use(v)});
    case 1: return make(Construct::reduce, type, "(max($0, axes=[1]) + 3 * max($0, axes=[-2]))", {use(v)});
    default: return make(Construct::layout, type, "sum(transpose($0, [1, 0]) * 2 - transpose($0, [0, 1]), axes=[0])", {use(v)});
    }
}
bool is_vector(const Generator& g, const Type& want) { return binds_number(g, want) && want.dims.size() == 1; }
Expr summed_to(Generator& g, const Type& want, int depth) {
    Type from = want;
    for (Dim& d : from.dims)
        if (d == Dim{.number = 1}) d = g.known_dim();
    if (from.dims.size() < 3) from.dims.insert(from.dims.begin(), g.known_dim());
    return make(Construct::reduce, want, "sum_to($0, " + sizes_text(want.dims) + ")", {g.expr(from, depth)});
}
Expr product(Generator& g, const Type& want, int depth) {
    Dim inner = g.known_dim();
    Type type = settled(g, want), a = type, b = type;
    switch (type.dims.size()) {
    case 0: a.dims = {inner}; b.dims = {inner}; break;
    case 1:
        if (g.chance(50)) { a.dims = {inner}; b.dims = {inner, type.dims[0]}; }
        else { a.dims = {type.dims[0], inner}; b.dims = {inner}; }
        break;
    default:
        a.dims.back() = inner;
        b.dims = {inner, type.dims.back()};
        if (type.dims.size() == 3 && g.chance(50)) b.dims.insert(b.dims.begin(), type.dims[0]);
    }
    return make(Construct::matmul, type, "matmul($0, $1)", {g.expr(a, depth), g.expr(b, depth)});
}

Expr filled(Generator& g, const Type& want, int depth) {
    return make(Construct::layout, want, "full(" + sizes_text(want.dims) + ", $0)", {g.expr(scalar(want.dtype), depth)});
}
Expr transposed(Generator& g, const Type& want, int depth) {
    std::vector<size_t> order(want.dims.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    for (size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[g.below(i)]);
    Type from = want, type = want;
    std::string axes;
    for (size_t i = 0; i < order.size(); ++i) from.dims[order[i]] = want.dims[i];
    for (size_t i : order) axes += (axes.empty() ? "" : ", ") + std::to_string(i);
    Expr a = g.expr(from, depth);
    for (size_t i = 0; i < order.size(); ++i) type.dims[i] = a.type.dims[order[i]];
    return make(Construct::layout, type, "transpose($0, [" + axes + "])", {std::move(a)});
}
Expr reshaped(Generator& g, const Type& want, int depth) {
    Type from = want;                                    // other axes, the same elements
    std::string sizes = sizes_text(want.dims);
    if (want.dims.size() >= 2 && g.chance(60)) {
        Dim flat = want.dims[0].number >= 0 && want.dims[1].number >= 0 ? Dim{.number = want.dims[0].number * want.dims[1].number}
                                                                        : Dim{.text = "(" + want.dims[0].expression() + " * " + want.dims[1].expression() + ")"};
        from.dims.erase(from.dims.begin());
        from.dims[0] = flat;
    } else if (want.dims.size() < 3) {
        from.dims.insert(from.dims.begin() + int64_t(g.below(want.dims.size() + 1)), Dim{.number = 1});
        bool no_number = std::none_of(want.dims.begin(), want.dims.end(), [](const Dim& d) { return d.number >= 0; });
        if (want.dims.size() == 1 && no_number && g.chance(30)) sizes = "[-1]";
    }
    return make(Construct::layout, want, "reshape($0, " + sizes + ")", {g.expr(from, depth)});
}
Expr broadcast(Generator& g, const Type& want, int depth) {
    return make(Construct::layout, want, "broadcast_to($0, " + sizes_text(want.dims) + ")", {g.expr(narrower(g, want), depth)});
}
Expr flattened(Generator& g, const Type& want, int depth) {
    Type from = want;
    from.dims = {g.any_dim(), g.known_dim()};
    return make(Construct::layout, want, "reshape($0, [-1])", {g.expr(from, depth)});
}
bool is_flat(const Generator& g, const Type& want) { return g.can_bind() && is_tensor(g, want) && want.dims.size() == 1 && want.dims[0].any(); }
Expr joined(Generator& g, const Type& want, int depth) {
    Type type = want;
    std::vector<size_t> open;
    for (size_t i = 0; i < type.dims.size(); ++i)
        if (type.dims[i].any()) open.push_back(i);
    size_t axis = open[g.below(open.size())];
    for (size_t i : open)
        if (i != axis) type.dims[i] = g.known_dim();
    std::string where = "axis=" + std::to_string(g.chance(30) ? int64_t(axis) - int64_t(type.dims.size()) : int64_t(axis));
    Type first = type, second = type;
    if (g.chance(60)) first.dims[axis] = g.known_dim();
    if (g.chance(60)) second.dims[axis] = g.known_dim();
    if (g.chance(25)) return make(Construct::layout, type, "concat($0, " + where + ")", {g.expr(seq(forget_variables(type)), depth)});
    return make(Construct::layout, type, "concat([$0, $1], " + where + ")", {g.expr(first, depth), g.expr(second, depth)});
}

Expr part_of_joined(Generator& g, const Type& want, int depth) {
    Type type = settled(g, want), other = type;
    other.dims[0] = g.known_dim();
    std::string a = type.dims[0].expression(), b = other.dims[0].expression();
    std::vector<Expr> args = {g.expr(type, depth), g.expr(other, depth)};
    switch (g.below(3)) {
    case 0: return make(Construct::index, type, "slice(concat([$0, $1], axis=0), [0], [" + a + "])", std::move(args));
    case 1: return make(Construct::index, type, "slice(concat([$1, $0], axis=0), [" + b + "], [" + b + " + " + a + "], axes=[0])", std::move(args));
    default: return make(Construct::layout, type, "split(concat([$0, $1], axis=0), [" + a + ", " + b + "], axis=0).0", std::move(args));
    }
}
Expr sliced(Generator& g, const Type& want, int depth) {
    size_t axis = 0;
    while (!want.dims[axis].any()) ++axis;
    Var v = g.bound(want, depth);
    std::string d = v.type.dims[axis].expression();
    Type type = v.type;
    type.dims[axis] = g.any_dim();
    if (axis == 0 && g.chance(50))
        return make(Construct::index, type, g.chance(50) ? "$0[mod($1, " + d + " + 1):" + d + "]" : "$0[0:minimum(mod($1, 4), " + d + ")]", {use(v), g.expr(whole(), depth)});
    return make(Construct::index, type, "slice($0, [mod($1, " + d + " + 1)], [" + d + "], axes=[" + std::to_string(axis) + "])", {use(v), g.expr(whole(), depth)});
}
Expr halves(Generator& g, const Type& want, int depth) {
    Type from = want;
    size_t axis = 0;
    while (!want.dims[axis].any()) ++axis;
    Var v = g.bound(from, depth);
    std::string d = v.type.dims[axis].expression();
    Type type = v.type;
    type.dims[axis] = g.any_dim();
    return make(Construct::layout, type, "split($0, [" + d + " // 2, " + d + " - " + d + " // 2], axis=" + std::to_string(axis) + ")." + std::to_string(g.below(2)), {use(v)});
}
Expr element(Generator& g, const Type& want, int depth) {
    Type from = want;
    from.dims.insert(from.dims.begin(), Dim{.number = int64_t(1 + g.below(3))});
    if (g.can_bind() && g.chance(30)) from.dims[0] = g.known_dim();
    std::string d = from.dims[0].expression();
    Expr a = g.expr(from, depth);
    Type type = a.type;
    type.dims.erase(type.dims.begin());
    std::string form = g.chance(70) ? "$0[mod($1, " + d + ")]" : "gather($0, mod($1, " + d + "), axis=0)";
    return make(Construct::index, type, form, {std::move(a), g.expr(whole(), depth)});
}
bool is_element(const Generator& g, const Type& want) { return is_tensor(g, want) && want.dims.size() < 3; }
Expr gathered(Generator& g, const Type& want, int depth) {
    Type from = want;
    from.dims[0] = g.chance(60) ? Dim{.number = int64_t(1 + g.below(3))} : g.known_dim();
    Type ids = tensor(DType::i64, {want.dims[0]});
    std::string d = from.dims[0].expression();
    Expr rows = g.expr(from, depth);
    Expr chosen = g.expr(ids, depth);
    Type type = rows.type;
    type.dims[0] = chosen.type.dims[0];
    return make(Construct::index, type, "gather($0, mod($1, " + d + "), axis=0)", {std::move(rows), std::move(chosen)});
}
Expr scattered(Generator& g, const Type& want, int depth) {
    Type type = settled(g, want);
    Type rows = type;
    rows.dims[0] = g.known_dim();
    return make(Construct::index, type, "scatter_add($0, mod($1, " + type.dims[0].expression() + "), $2, axis=0)",
                {g.expr(type, depth), g.expr(tensor(DType::i64, {rows.dims[0]}), depth), g.expr(rows, depth)});
}
Expr updated(Generator& g, const Type& want, int depth) {
    Type type = settled(g, want), part = type;
    std::string starts;
    for (size_t i = 0; i < part.dims.size(); ++i) {
        part.dims[i] = i == 0 ? Dim{.number = 1} : part.dims[i];
        starts += i ? ", 0" : "mod($2, " + type.dims[0].expression() + ")";
    }
    return make(Construct::index, type, "slice_update($0, $1, [" + starts + "])", {g.expr(type, depth), g.expr(part, depth), g.expr(whole(), depth)});
}
Expr kept(Generator& g, const Type& want, int depth) {
    Var v = g.bound(want, depth);
    Type type = v.type;
    type.dims[0] = g.any_dim();
    if (v.type.dims.size() == 1) return make(Construct::late, type, "gather($0, nonzero($0 > 0.1371)[0], axis=0)", {use(v)});
    return make(Construct::late, type, "gather($0, nonzero(max($0, axes=[1]) > $1)[0], axis=0)",
                {use(v), make(Construct::leaf, scalar(want.dtype), "0.1371")});
}
bool is_kept(const Generator& g, const Type& want) { return is_late(g, want) && want.dims.size() < 3; }
Expr largest(Generator& g, const Type& want, int depth) {
    Var v = g.bound(want, depth);
    Type type = v.type;
    size_t axis = g.below(type.dims.size());
    std::string d = type.dims[axis].expression(), where = "axis=" + std::to_string(axis);
    if (want.dims[axis].any()) {
        type.dims[axis] = g.any_dim();
        return make(Construct::topk, type, "topk($0, minimum(" + d + ", mod($1, 4)), " + where + ").0", {use(v), g.expr(whole(), depth)});
    }
    return make(Construct::topk, type, "topk($0, " + d + ", " + where + ").0", {use(v)});
}

Expr indices(Generator& g, const Type& want, int depth) {
    if (!want.dims[0].any()) return make(Construct::shape, want, "iota(" + want.dims[0].expression() + ")");
    switch (g.below(g.can_bind() && !g.options().smooth ? 4 : 2)) {
    case 0: return make(Construct::shape, want, "iota(mod($0, 5))", {g.expr(whole(), depth)});
    case 1: {
        Type type = g.some_tensor(DType::f64, false);
        Expr x = g.expr(type, depth);
        return make(Construct::shape, tensor(DType::i64, {Dim{.number = int64_t(type.dims.size())}}), "shape_of($0)", {std::move(x)});
    }
    case 2: return make(Construct::late, want, "nonzero($0 > 0.2191)[0]", {g.expr(tensor(DType::f64, {g.any_dim()}), depth)});
    default: {
        Var v = g.bound(tensor(DType::f64, {g.any_dim()}), depth);
        return make(Construct::topk, v.type.dims.empty() ? want : tensor(DType::i64, v.type.dims), "topk($0, " + v.type.dims[0].expression() + ").1", {use(v)});
    }
    }
}
Expr truths(Generator& g, const Type& want, int depth) {
    static constexpr const char* forms[] = {"($0 > 0.3719)", "($0 <= (-0.2113))"};
    Type from = settled(g, want);
    if (g.chance(25)) return make(Construct::compare, from, g.chance(50) ? "and($0, $1)" : "or(not($0), $1)", {g.expr(from, depth), g.expr(narrower(g, from), depth)});
    from.dtype = g.options().smooth || g.chance(30) ? DType::i64 : DType::f64;
    Type type = from;
    type.dtype = DType::boolean;
    if (from.dtype == DType::i64) return make(Construct::compare, type, "($0 == $1)", {g.expr(from, depth), g.expr(narrower(g, from), depth)});
    return make(Construct::compare, type, forms[g.below(2)], {g.expr(from, depth)});
}
Expr drawn(Generator& g, const Type& want, int depth) {
    return make(Construct::random, want, "random($0, $1, " + sizes_text(want.dims) + ", dtype=" + std::string(dtype_name(want.dtype)) + ")", {g.expr(whole(), depth), g.leaf(whole())});
}
bool is_drawn(const Generator& g, const Type& want) { return want.is_float() && all_known(g, want); }
Expr constant(Generator& g, const Type& want, int) {
    std::function<std::string(size_t)> rows = [&](size_t axis) -> std::string {
        if (axis == want.dims.size()) return want.is_float() ? std::to_string(int64_t(g.below(9)) - 4) + ".5" : std::to_string(g.below(5));
        std::string out = "[";
        for (int64_t i = 0; i < want.dims[axis].number; ++i) out += (i ? ", " : "") + rows(axis + 1);
        return out + "]";
    };
    return make(Construct::leaf, want, "tensor(" + rows(0) + ")");
}
// In as many rows as the call decides.
Expr folded_constant(Generator& g, const Type& want, int depth) {
    Type type = want;
    type.dims[0] = {};
    Expr numbers = constant(g, tensor(want.dtype, {Dim{.number = 4}}), depth);
    return make(Construct::layout, type, "max(reshape($0, [1 + mod($1, 2), -1]), axes=[0])", {std::move(numbers), g.expr(whole(), depth)});
}
bool is_folded(const Generator& g, const Type& want) { return g.can_bind() && is_number(g, want) && want.dims.size() == 1 && want.dims[0].any(); }
bool is_constant(const Generator& g, const Type& want) {
    return has_axis(g, want) && want.dtype != DType::boolean && std::all_of(want.dims.begin(), want.dims.end(), [](const Dim& d) { return d.number > 0; });
}

// A value whose rank is known only when it is there.
Expr any_rank(Generator& g, const Type& want, int depth) {
    Type unranked = {.dtype = want.dtype, .ranked = false};
    Expr made;
    if (std::optional<Expr> known = g.variable(unranked); known && g.chance(60)) made = *known;
    else made = make(Construct::choice, unranked, "if ($0) #0 else #1", {g.expr(truth(), depth)},
                     {g.block(tensor(want.dtype, {g.any_dim()}), depth), g.block(tensor(want.dtype, {g.known_dim(), g.known_dim()}), depth)});
    if (g.chance(50)) made = make(Construct::unranked, unranked, g.chance(50) ? "tanh($0)" : "($0 * 2.0)", {std::move(made)});
    if (g.chance(40)) made = make(Construct::unranked, unranked, "@alike($0, $0)", {use(g.bound(std::move(made)))});
    if (want.dims.empty()) return make(Construct::unranked, want, "sum($0)", {std::move(made)});
    return make(Construct::unranked, want, "reshape($0, [-1])", {std::move(made)});
}
// A function that takes any rank, at one that is known here.
Expr of_any_rank(Generator& g, const Type& want, int depth) {
    Type type = settled(g, want);
    return make(Construct::unranked, type, "@alike($0, $1)", {g.expr(type, depth), g.expr(type, depth)});
}
} // namespace

std::span<const Row> tensor_rows() {
    static constexpr Row rows[] = {
    //   construct              weight  smooth  can                 make
        {Construct::arithmetic, 14,     true,   is_number,          unary_any},
        {Construct::arithmetic, 14,     true,   is_number,          binary},
        {Construct::arithmetic, 5,      true,   binds_number,       with_bound},
        {Construct::arithmetic, 4,      false,  is_number,          kinked},
        {Construct::arithmetic, 4,      true,   is_real,            quotient},
        {Construct::arithmetic, 1,      false,  is_real,            stepped},
        {Construct::arithmetic, 1,      true,   is_loose,           perhaps_equal},
        {Construct::select,     4,      true,   is_tensor,          choose},
        {Construct::cast,       2,      true,   is_number,          casted},
        {Construct::reduce,     8,      true,   is_number,          reduced},
        {Construct::reduce,     6,      false,  is_vector,          differing},
        {Construct::reduce,     1,      true,   known_numbers,      summed_to},
        {Construct::matmul,     6,      true,   is_real,            product},
        {Construct::layout,     3,      true,   all_known,          filled},
        {Construct::layout,     3,      true,   has_axis,           transposed},
        {Construct::layout,     3,      true,   all_known,          reshaped},
        {Construct::layout,     2,      true,   all_known,          broadcast},
        {Construct::layout,     2,      true,   is_flat,            flattened},
        {Construct::layout,     6,      true,   grows,              joined},
        {Construct::index,      3,      true,   binds_axis,         part_of_joined},
        {Construct::index,      4,      true,   grows,              sliced},
        {Construct::layout,     2,      true,   grows,              halves},
        {Construct::index,      4,      true,   is_element,         element},
        {Construct::index,      3,      true,   has_axis,           gathered},
        {Construct::index,      3,      true,   binds_number_axis,  scattered},
        {Construct::index,      4,      true,   known_leading_axis, updated},
        {Construct::late,       5,      false,  is_kept,            kept},
        {Construct::topk,       3,      false,  binds_number_axis,  largest},
        {Construct::shape,      6,      true,   is_indices,         indices},
        {Construct::compare,    6,      true,   is_truths,          truths},
        {Construct::random,     1,      true,   is_drawn,           drawn},
        {Construct::leaf,       1,      true,   is_constant,        constant},
        {Construct::layout,     3,      false,  is_folded,          folded_constant},
        {Construct::unranked,   1,      false,  is_unranked_use,    any_rank},
        {Construct::unranked,   1,      true,   is_f64,             of_any_rank},
    };
    return rows;
}
} // namespace nereus::gen
