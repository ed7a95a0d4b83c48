// The same elements elsewhere: reads with other strides. Only reshape is free; concat and split are one copy per part.
#include "ops/axes.h"
#include "ops/lowers.h"

namespace nereus {
namespace {
// result[g] = x at strides; both over the result's shape.
Status copy(OpLowering& l, std::string_view name, ValueId x, std::vector<Stride> strides) {
    KernelWriter k(l, std::string(name));
    const std::vector<Dim> over = l.shape(l.result());
    loop::GroupId g = k.group("g", loop::Role::parallel, over);
    loop::ExprId value = k.read(x, {{g, std::move(strides)}});
    k.store(l.result(), {{g, dense_strides(l.dims(), over)}}, value);
    return k.finish();
}
size_t axis_of(OpLowering& l, size_t rank) {
    int64_t axis = l.integer("axis");
    return size_t(axis < 0 ? axis + int64_t(rank) : axis);
}
} // namespace

Status lower_reshape(OpLowering& l) {
    ValueId x = l.arg(0), y = l.result();
    if (l.literal(x) && !l.shape(x).empty())             // is in no buffer of its own
        return copy(l, "elements", x, dense_strides(l.dims(), l.shape(y)));
    if (l.is_number(x) || l.literal(x) || l.immediate_dim(x).valid() || is_number_type(l.type(y)))
        return copy(l, "fill", x, std::vector<Stride>(l.shape(y).size(), Stride{l.dims().constant(0), {}}));
    l.view(y, x);
    return {};
}
Status lower_broadcast_to(OpLowering& l) {
    return copy(l, "broadcast_to", l.arg(0), broadcast_strides(l.dims(), l.shape(l.arg(0)), l.shape(l.result())));
}
Status lower_full(OpLowering& l) {
    return copy(l, "full", l.arg(1), std::vector<Stride>(l.shape(l.result()).size(), Stride{l.dims().constant(0), {}}));
}
Status lower_transpose(OpLowering& l) {
    std::vector<Stride> dense = dense_strides(l.dims(), l.shape(l.arg(0))), strides;
    for (int64_t axis : whole_permutation(l.integers("perm"), int64_t(dense.size()))) strides.push_back(dense[size_t(axis)]);
    return copy(l, "transpose", l.arg(0), std::move(strides));
}

Status lower_concat(OpLowering& l) {
    ValueId y = l.result();
    if (!l.binding().groups[0].list) return l.concat_seq(y, l.arg(0), l.integer("axis")), Status();
    Dims& dims = l.dims();
    const std::vector<Dim> whole = l.shape(y);
    size_t axis = axis_of(l, whole.size());
    std::vector<Stride> strides = dense_strides(dims, whole);
    Dim at = dims.constant(0);
    for (ValueId part : l.args(0)) {
        const std::vector<Dim> over = l.shape(part);
        KernelWriter k(l, "concat");
        loop::GroupId g = k.group("g", loop::Role::parallel, over);
        loop::ExprId value = k.read(part, {{g, dense_strides(dims, over)}});
        k.store(y, {{g, strides}}, value, {k.offset(at, strides[axis].step, whole[axis])});
        TRY(k.finish());
        at = dims.add(at, over[axis]);
    }
    return {};
}

Status lower_split(OpLowering& l) {
    ValueId x = l.arg(0);
    Dims& dims = l.dims();
    const std::vector<Dim> whole = l.shape(x);
    size_t axis = axis_of(l, whole.size());
    std::vector<Stride> strides = dense_strides(dims, whole);
    Dim at = dims.constant(0);
    for (ValueId part : l.binding().results) {
        const std::vector<Dim> over = l.shape(part);
        KernelWriter k(l, "split");
        loop::GroupId g = k.group("g", loop::Role::parallel, over);
        loop::ExprId value = k.read(x, {{g, strides}}, {k.offset(at, strides[axis].step, whole[axis])});
        k.store(part, {{g, dense_strides(dims, over)}}, value);
        TRY(k.finish());
        at = dims.add(at, over[axis]);
    }
    return {};
}

Status lower_shape_of(OpLowering& l) {
    l.numbers(l.result(), l.shape(l.arg(0)));
    return {};
}

Status lower_iota(OpLowering& l) {
    KernelWriter k(l, "iota");
    const std::vector<Dim> over = l.shape(l.result());
    loop::GroupId g = k.group("g", loop::Role::parallel, over);
    k.store(l.result(), {{g, dense_strides(l.dims(), over)}}, k.builder().index(g));
    return k.finish();
}
} // namespace nereus
