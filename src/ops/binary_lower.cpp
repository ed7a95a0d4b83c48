#include "ops/lowers.h"

namespace nereus {
namespace {
using loop::ExprId;
using loop::Op;

// a - b * floor(a / b), with the remainder from one fused step so that it is exact while the quotient is.
ExprId float_mod(loop::Builder& b, ExprId x, ExprId y, DType t) {
    ExprId quotient = b.apply(Op::floor, b.apply(Op::div, x, y));
    ExprId rest = b.apply(Op::sub, x, b.apply(Op::mul, quotient, y));
    // rounding of the division may leave the remainder on the wrong side of 0 or of the divisor
    ExprId zero = b.number(t, 0);
    ExprId wrong = b.apply(Op::logical_and, b.apply(Op::ne, rest, zero),
                           b.apply(Op::ne, b.apply(Op::lt, rest, zero), b.apply(Op::lt, y, zero)));
    return b.apply(Op::select, wrong, b.apply(Op::add, rest, y), rest);
}
} // namespace

Status lower_floor_div(OpLowering& l) {
    return lower_map(l, "floor_div", [](loop::Builder& b, std::span<const ExprId> x, DType t) {
        return is_float(t) ? b.apply(Op::floor, b.apply(Op::div, x[0], x[1])) : b.apply(Op::floor_div, x[0], x[1]);
    });
}
Status lower_mod(OpLowering& l) {
    return lower_map(l, "mod", [](loop::Builder& b, std::span<const ExprId> x, DType t) {
        return is_float(t) ? float_mod(b, x[0], x[1], t) : b.apply(Op::mod, x[0], x[1]);
    });
}
Status lower_cast(OpLowering& l) {
    return lower_map(l, "cast", [](loop::Builder& b, std::span<const ExprId> x, DType t) { return b.cast(x[0], t); });
}
} // namespace nereus
