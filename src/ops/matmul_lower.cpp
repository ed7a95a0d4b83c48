#include "ops/lowers.h"

namespace nereus {
Status lower_matmul(OpLowering& l) {
    ValueId a = l.arg(0), b = l.arg(1), y = l.result();
    Dims& dims = l.dims();
    const std::vector<Dim> left = l.shape(a), right = l.shape(b), out = l.shape(y);
    Dim one = dims.constant(1), zero = dims.constant(0);
    bool vector_a = left.size() == 1, vector_b = right.size() == 1;
    std::vector<Stride> sa = dense_strides(dims, left), sb = dense_strides(dims, right), sy = dense_strides(dims, out);
    size_t batch = out.size() - (vector_a ? 0 : 1) - (vector_b ? 0 : 1);
    std::vector<Dim> batches(out.begin(), out.begin() + int64_t(batch));

    // strides of an operand along the batch axes: its own leading axes, broadcast
    auto along_batch = [&](const std::vector<Dim>& shape, const std::vector<Stride>& dense) {
        std::vector<Stride> strides(batch, Stride{zero, {}});
        size_t own = shape.size() < 2 ? 0 : shape.size() - 2;
        for (size_t i = 0; i < own; ++i) {
            size_t at = batch - own + i;
            if (shape[i] == one) continue;
            strides[at] = dense[i];
            if (shape[i] != batches[at]) strides[at].one = shape[i];
        }
        return strides;
    };
    Dim m = vector_a ? one : left[left.size() - 2], n = vector_b ? one : right.back(), k = left.back();
    Stride none{zero, {}};
    Stride am = vector_a ? none : sa[left.size() - 2], ak = sa.back();
    Stride bk = vector_b ? sb[0] : sb[right.size() - 2], bn = vector_b ? none : sb.back();
    Stride ym = vector_a ? none : sy[batch], yn = vector_b ? none : sy.back();
    std::vector<Stride> yb(sy.begin(), sy.begin() + int64_t(batch));

    KernelWriter w(l, "matmul");
    loop::GroupId gb = w.group("b", loop::Role::parallel, batches), gm = w.group("m", loop::Role::parallel, {m}, true),
                  gn = w.group("n", loop::Role::parallel, {n}, true), gk = w.group("k", loop::Role::reduce, {k}, true);
    loop::ExprId x = w.read(a, {{gb, along_batch(left, sa)}, {gm, {am}}, {gk, {ak}}});
    loop::ExprId z = w.read(b, {{gb, along_batch(right, sb)}, {gn, {bn}}, {gk, {bk}}});
    const DType t = l.dtype(y);                          // of matmul_i32 not that of the factors
    loop::ExprId sum = w.builder().contract(gk, w.builder().cast(x, t), w.builder().cast(z, t));
    w.store(y, {{gb, yb}, {gm, {ym}}, {gn, {yn}}}, sum);
    return w.finish();
}
} // namespace nereus
