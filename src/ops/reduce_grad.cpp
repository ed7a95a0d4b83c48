// ops/reduce_grad.cpp - gradients of reductions and of matmul.
#include "ops/gradients.h"

namespace nereus {
namespace {
// The reduction once more, with its axes kept as 1: that shape broadcasts to the operand's, whatever the rank.
ValueId kept(Gradient& d, std::string_view name, ValueId x) {
    return d.op(name, {x, d.same(1)}, {{"keepdims", true}});
}

void sum(Gradient& d) {
    ValueId x = d.arg(0), g = d.adjoint();
    if (!d.boolean("keepdims")) g = d.op("reshape", {g, d.shape(kept(d, "sum", x))});
    d.contribute(0, d.op("broadcast_to", {g, d.shape(x)}));
}

// Elements equal to the largest, or smallest, share its adjoint equally.
void extremum(Gradient& d) {
    ValueId x = d.arg(0), g = d.adjoint();
    DType dtype = d.dtype(x);
    ValueId one = kept(d, d.binding().op->name, x);
    ValueId chosen = d.op("cast", {d.op("eq", {x, one})}, {{"to", dtype}});
    ValueId share = d.div(d.op("reshape", {g, d.shape(one)}), kept(d, "sum", chosen));
    d.contribute(0, d.mul(chosen, share));
}

// Of an element, the product of the others. A single zero has that of all that are not zero, and its others have zero: they
// are made as a product with it, so that they change when it does. Of two zeros each has that times the other one, made as the
// sum of both without itself: 0, with a slope. Three zeros leave none up to the second order; beyond it theirs is missing.
void prod(Gradient& d) {
    ValueId x = d.arg(0), zero = d.number(0, d.dtype(x)), one = d.number(1, d.dtype(x));
    ValueId is_zero = d.op("eq", {x, zero});
    ValueId zeros = kept(d, "sum", d.op("cast", {is_zero}, {{"to", d.dtype(x)}}));
    ValueId filled = d.op("select", {is_zero, one, x});
    ValueId rest = kept(d, "prod", filled), gone = kept(d, "prod", d.op("select", {is_zero, x, one}));
    ValueId other_zero = d.sub(kept(d, "sum", d.op("select", {is_zero, x, zero})), x), two = d.number(2, d.dtype(x));
    ValueId of_zeros = d.op("select", {d.op("eq", {zeros, one}), one, d.op("select", {d.op("eq", {zeros, two}), other_zero, zero})});
    ValueId at_zero = d.mul(rest, of_zeros);
    ValueId others = d.op("select", {is_zero, at_zero, d.mul(d.div(rest, filled), gone)});
    d.contribute(0, d.mul(d.op("reshape", {d.adjoint(), d.shape(rest)}), others));
}

void sum_to(Gradient& d) { d.contribute(0, d.op("broadcast_to", {d.adjoint(), d.shape(d.arg(0))})); }

// As many sizes of 1 as a vector lacks to be a matrix: one or none.
ValueId missing_axes(Gradient& d, ValueId x) {
    ValueId lacks = d.op("maximum", {d.sub(d.size(2), d.rank(x)), d.size(0)});
    return d.op("full", {{{lacks}, true}, d.size(1)});
}
ValueId joined(Gradient& d, ValueId a, ValueId b) { return d.op("concat", {{{a, b}, true}}, {{"axis", int64_t(0)}}); }
ValueId turned(Gradient& d, ValueId x) { return d.op("transpose", {x}, {{"perm", std::vector<int64_t>{-1, -2}}}); }

// Vectors become matrices, a row on the left and a column on the right, so that one rule serves all ranks; the shapes
// stage knows the ranks and these reshapes cost nothing. Batches that were broadcast are summed when added.
void matmul(Gradient& d) {
    ValueId a = d.arg(0), b = d.arg(1);
    ValueId left = d.op("reshape", {a, joined(d, missing_axes(d, a), d.shape(a))});
    ValueId right = d.op("reshape", {b, joined(d, d.shape(b), missing_axes(d, b))});
    ValueId g = d.op("reshape", {d.adjoint(), d.shape(d.op("matmul", {left, right}))});
    auto back = [&](ValueId contribution, ValueId matrix, ValueId operand) {
        ValueId summed = d.op("sum_to", {contribution, d.shape(matrix)});
        return d.op("reshape", {summed, d.shape(operand)});
    };
    if (d.wanted(0)) d.contribute(0, back(d.op("matmul", {g, turned(d, right)}), left, a));
    if (d.wanted(1)) d.contribute(1, back(d.op("matmul", {turned(d, left), g}), right, b));
}

constexpr NamedGradient rows[] = {
    {.op = "sum", .rule = sum, .linear = true}, {"prod", prod}, {"max", extremum}, {"min", extremum},
    {.op = "sum_to", .rule = sum_to, .linear = true}, {"matmul", matmul},
};
} // namespace

std::span<const NamedGradient> reduce_gradients() { return rows; }
} // namespace nereus
