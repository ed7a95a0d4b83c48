// Folds: the axes that stay are one group, the axes that go another; strides say which is which.
#include "ops/lowers.h"
#include "ops/runtime_axes.h"

namespace nereus {
namespace {
// Each axis of x is split in the part that stays and the part that goes: one of them is 1, which one may be known only
// when sizes are.
Status fold_split(OpLowering& l, std::string_view name, loop::Fold fold, const std::vector<Dim>& stay, const std::vector<Dim>& go) {
    ValueId x = l.arg(0);
    std::vector<Stride> strides = dense_strides(l.dims(), l.shape(x));
    KernelWriter k(l, std::string(name));
    loop::GroupId g = k.group("g", loop::Role::parallel, stay), r = k.group("r", loop::Role::reduce, go);
    loop::ExprId all = k.builder().reduce(fold, r, k.read(x, {{g, strides}, {r, strides}}));
    k.store(l.result(), {{g, dense_strides(l.dims(), stay)}}, all);
    return k.finish();
}

Status lower_fold(OpLowering& l, std::string_view name, loop::Fold fold) {
    ValueId x = l.arg(0);
    const std::vector<Dim> shape = l.shape(x);
    bool given = l.has(1) || l.binding().groups[1].list;             // [] is no axis, left out is all of them
    std::vector<bool> reduced(shape.size(), !given);
    std::vector<Dim> axes;
    bool constant = true;
    for (ValueId axis : l.args(1)) {
        axes.push_back(l.size(axis));
        std::optional<int64_t> at = l.dims().constant_value(axes.back());
        constant = constant && at;
        if (at) reduced[size_t(*at < 0 ? *at + int64_t(shape.size()) : *at)] = true;
    }
    if (!constant) {
        SplitExtents split = split_extents(l.dims(), shape, axes_that_go(l.dims(), axes, shape.size()));
        return fold_split(l, name, fold, split.stay, split.go);
    }
    std::vector<Stride> strides = dense_strides(l.dims(), shape), outer_strides, inner_strides;
    std::vector<Dim> outer, inner;
    for (size_t i = 0; i < shape.size(); ++i) {
        (reduced[i] ? inner : outer).push_back(shape[i]);
        (reduced[i] ? inner_strides : outer_strides).push_back(strides[i]);
    }
    KernelWriter k(l, std::string(name));
    loop::GroupId g = k.group("g", loop::Role::parallel, outer), r = k.group("r", loop::Role::reduce, inner);
    loop::ExprId each = k.read(x, {{g, outer_strides}, {r, inner_strides}});
    loop::ExprId all = k.builder().reduce(fold, r, each);
    k.store(l.result(), {{g, dense_strides(l.dims(), outer)}}, all);
    return k.finish();
}
} // namespace

Status lower_sum(OpLowering& l) { return lower_fold(l, "sum", loop::Fold::sum); }
Status lower_max(OpLowering& l) { return lower_fold(l, "max", loop::Fold::max); }

Status lower_sum_to(OpLowering& l) {
    ValueId x = l.arg(0);
    Dims& dims = l.dims();
    const std::vector<Dim> from = l.shape(x), to = l.shape(l.result());
    Dim one = dims.constant(1);
    size_t lead = from.size() - to.size();
    std::vector<Dim> stay(from.size(), one), go(from.size(), one);
    for (size_t i = 0; i < from.size(); ++i) {
        if (i < lead) { go[i] = from[i]; continue; }
        stay[i] = to[i - lead];
        if (stay[i] != from[i]) {
            Dim positive[] = {stay[i], one};             // 0 over 0 is 0 here
            go[i] = stay[i] == one ? from[i] : dims.floor_div(from[i], dims.max(positive));
        }
    }
    return fold_split(l, "sum_to", loop::Fold::sum, stay, go);
}
} // namespace nereus
