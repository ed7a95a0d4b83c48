// ops/lowers.h - the `lower` facets, by family; each family's are in <family>_lower.cpp beside its declarations.
#pragma once
#include "ops/lowering.h"

namespace nereus {
// Elementwise: the operator is one operation of the loop IR.
template <loop::Op op> Status lower_each(OpLowering& l) {
    return lower_map(l, loop::op_row(op).name, [](loop::Builder& b, std::span<const loop::ExprId> x, DType) {
        return b.apply(op, x[0], x.size() > 1 ? x[1] : loop::ExprId(), x.size() > 2 ? x[2] : loop::ExprId());
    });
}
Status lower_cast(OpLowering& l);

Status lower_fold(OpLowering& l);                        // sum, prod, max, min
// Each axis of shape(x) is one that stays or one that goes: its other extent is 1.
Status lower_fold_into(OpLowering& l, ValueId into, const std::vector<Dim>& stay, const std::vector<Dim>& go);
Status lower_argmax(OpLowering& l);
Status lower_argmin(OpLowering& l);
Status lower_sum_to(OpLowering& l);
Status lower_matmul(OpLowering& l);

Status lower_reshape(OpLowering& l);
Status lower_broadcast_to(OpLowering& l);
Status lower_transpose(OpLowering& l);
Status lower_concat(OpLowering& l);
Status lower_split(OpLowering& l);
Status lower_shape_of(OpLowering& l);
Status lower_iota(OpLowering& l);
Status lower_full(OpLowering& l);

struct Ranges {                                          // per axis
    std::vector<size_t> axes;
    std::vector<Dim> starts, ends;
    bool checked = false;                                // the shape rule knew the sizes, and asked for what must hold
};
// In vectors, per leading axis of the first argument: its shape may be aligned at the right, with axes that are not there before.
Ranges ranges_in_vectors(OpLowering& l, size_t starts, std::optional<size_t> ends);
ValueId vector_of(OpLowering& l, size_t param);          // sizes that are a list, as a vector
Status lower_slice(OpLowering& l);
Status lower_slice_of(OpLowering& l, const Ranges& ranges);
Status lower_slice_update(OpLowering& l);
Status lower_slice_update_of(OpLowering& l, const Ranges& ranges);       // without ends
Status lower_gather(OpLowering& l);
Status lower_scatter_by(OpLowering& l, loop::Update update);
template <loop::Update update> Status lower_scatter(OpLowering& l) { return lower_scatter_by(l, update); }
Status lower_nonzero(OpLowering& l);
Status lower_nonzero_into(OpLowering& l, ValueId y);     // a row of y per axis of shape(c)

Status lower_windows(OpLowering& l);
Status lower_fold_windows(OpLowering& l);
Status lower_conv(OpLowering& l);
Status lower_conv_input(OpLowering& l);
Status lower_conv_weight(OpLowering& l);

Status lower_topk(OpLowering& l);
Status lower_fft(OpLowering& l);
Status lower_str_concat(OpLowering& l);
Status lower_str_lower(OpLowering& l);
Status lower_str_upper(OpLowering& l);
Status lower_str_match(OpLowering& l);
Status lower_str_count(OpLowering& l);
Status lower_str_part(OpLowering& l);
Status lower_str_order(OpLowering& l);

Status lower_random(OpLowering& l);
} // namespace nereus
