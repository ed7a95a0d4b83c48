// Integers and truth of rank 0: what sizes, indices and conditions are made of.
#include "generator/generator.h"

namespace nereus::gen {
namespace {
bool is_whole(const Generator&, const Type& want) { return want.is_scalar(DType::i64); }
bool is_truth(const Generator&, const Type& want) { return want.is_scalar(DType::boolean); }
bool is_whole_bound(const Generator& g, const Type& want) { return want.is_scalar(DType::i64) && g.can_bind(); }

Expr size(Generator& g, const Type& want, int) {
    return make(Construct::leaf, want, g.known_dim().expression());
}
Expr sum_of_two(Generator& g, const Type& want, int depth) {
    static constexpr const char* forms[] = {"($0 + $1)", "($0 - $1)", "($0 * $1)", "maximum($0, $1)", "minimum($0, $1)"};
    return make(Construct::arithmetic, want, forms[g.below(5)], {g.expr(want, depth), g.expr(want, depth)});
}
Expr divided(Generator& g, const Type& want, int depth) {
    static constexpr const char* forms[] = {"($0 // 2)", "($0 // (-3))", "mod($0, 3)", "mod($0, (-4))", "($0 / 3)", "(-$0)", "mod($0, 5)"};
    Expr a = g.expr(want, depth);
    if (g.chance(8)) return make(Construct::arithmetic, want, g.chance(50) ? "($0 // $1)" : "mod($0, $1)", {a, g.expr(want, depth)});
    return make(Construct::arithmetic, want, forms[g.below(7)], {a});
}
Expr size_of_tensor(Generator& g, const Type& want, int depth) {
    Type type = g.some_tensor(DType::f64, false);
    if (type.dims.empty()) type.dims.push_back({});
    Expr axis = make(Construct::leaf, want, std::to_string(g.below(type.dims.size())));
    return make(Construct::shape, want, "shape_of($0)[$1]", {g.expr(type, depth), axis});
}
Expr rounded(Generator& g, const Type& want, int depth) {
    return make(Construct::cast, want, "cast($0 * 3.0, i64)", {g.expr(real(), depth)});
}
Expr counted(Generator& g, const Type& want, int depth) {
    return make(Construct::cast, want, "cast($0, i64)", {g.expr(truth(), depth)});
}
Expr whole_element(Generator& g, const Type& want, int depth) {
    Type type = tensor(DType::i64, {Dim{.number = int64_t(1 + g.below(3))}});
    if (g.chance(50)) return make(Construct::reduce, want, g.chance(50) ? "sum($0)" : "max($0)", {g.expr(type, depth)});
    return make(Construct::index, want, "$0[mod($1, " + type.dims[0].expression() + ")]", {g.leaf(type), g.expr(want, depth)});
}
Expr length(Generator& g, const Type& want, int depth) {
    return make(Construct::seq, want, "length($0)", {g.expr(seq(forget_variables(g.some_type(1))), depth)});
}
Expr how_many(Generator& g, const Type& want, int depth) {
    Type type = g.some_tensor(DType::f64, false);
    if (type.dims.empty()) type.dims.push_back({});
    return make(Construct::late, want, "shape_of(nonzero($0 > 0.4))[1]", {g.expr(type, depth)});
}

Expr compared(Generator& g, const Type& want, int depth) {
    static constexpr const char* forms[] = {"$0 < $1", "$0 <= $1", "$0 == $1", "$0 != $1", "$0 >= $1", "$0 > $1"};
    return make(Construct::compare, want, std::string("(") + forms[g.below(6)] + ")", {g.expr(whole(), depth), g.expr(whole(), depth)});
}
// What an arm or a loop may learn about sizes.
Expr compared_sizes(Generator& g, const Type& want, int) {
    std::string a = g.known_dim().expression(), b = g.known_dim().expression();
    static constexpr const char* forms[] = {" == ", " <= ", " < ", " == ", " >= ", " != "};
    if (g.chance(15)) return make(Construct::compare, want, "(mod(" + a + ", 2) == 0)");
    return make(Construct::compare, want, "(" + a + forms[g.below(6)] + b + ")");
}
// Against numbers that results are not: a tie would be decided by rounding.
Expr compared_real(Generator& g, const Type& want, int depth) {
    static constexpr const char* forms[] = {"($0 < 0.3719)", "($0 >= (-0.2113))", "($0 > 1.0417)", "($0 <= 0.0607)"};
    return make(Construct::compare, want, forms[g.below(4)], {g.expr(real(), depth)});
}
Expr logic(Generator& g, const Type& want, int depth) {
    switch (g.below(4)) {
    case 0: return make(Construct::compare, want, "(!$0)", {g.expr(want, depth)});
    case 1: return make(Construct::compare, want, "($0 && $1)", {g.expr(want, depth), g.unbound(want, depth)});
    case 2: return make(Construct::compare, want, "($0 || $1)", {g.expr(want, depth), g.unbound(want, depth)});
    default: return make(Construct::compare, want, g.chance(50) ? "and($0, $1)" : "or($0, $1)", {g.expr(want, depth), g.expr(want, depth)});
    }
}
Expr same(Generator& g, const Type& want, int depth) {
    Type type = g.chance(50) ? data("List", {whole()}) : tuple({whole(), data("Option", {truth()})});
    return make(Construct::data, want, "equal($0, $1)", {g.expr(type, depth), g.expr(type, depth)});
}
} // namespace

std::span<const Row> number_rows() {
    static constexpr Row rows[] = {
    //   construct              weight  smooth  can             make
        {Construct::leaf,       6,      true,   is_whole,       size},
        {Construct::arithmetic, 6,      true,   is_whole,       sum_of_two},
        {Construct::arithmetic, 6,      true,   is_whole,       divided},
        {Construct::shape,      4,      true,   is_whole,       size_of_tensor},
        {Construct::cast,       2,      false,  is_whole,       rounded},
        {Construct::cast,       2,      true,   is_whole,       counted},
        {Construct::index,      3,      true,   is_whole,       whole_element},
        {Construct::seq,        3,      true,   is_whole,       length},
        {Construct::late,       2,      false,  is_whole_bound, how_many},
        {Construct::compare,    10,     true,   is_truth,       compared},
        {Construct::compare,    5,      true,   is_truth,       compared_sizes},
        {Construct::compare,    6,      false,  is_truth,       compared_real},
        {Construct::compare,    5,      true,   is_truth,       logic},
        {Construct::data,       2,      true,   is_truth,       same},
    };
    return rows;
}
} // namespace nereus::gen
