// Folds: the axes that stay are one group, the axes that go another; strides say which is which.
#include "ops/lowers.h"
#include "ops/runtime_axes.h"
#include <limits>

namespace nereus {
namespace {
// Each axis of x is split in the part that stays and the part that goes: one of them is 1, which one may be known only
// when sizes are.
Status fold_split(OpLowering& l, std::string_view name, loop::Fold fold, ValueId into, const std::vector<Dim>& stay, const std::vector<Dim>& go) {
    ValueId x = l.arg(0);
    std::vector<Stride> strides = dense_strides(l.dims(), l.shape(x));
    KernelWriter k(l, std::string(name));
    loop::GroupId g = k.group("g", loop::Role::parallel, stay), r = k.group("r", loop::Role::reduce, go);
    loop::ExprId all = k.builder().reduce(fold, r, k.read(x, {{g, strides}, {r, strides}}));
    k.store(into, {{g, dense_strides(l.dims(), stay)}}, all);
    return k.finish();
}

void append(StridedView::Axis& to, const StridedView::Axis& more) {
    to.extents.insert(to.extents.end(), more.extents.begin(), more.extents.end());
    to.strides.insert(to.strides.end(), more.strides.begin(), more.strides.end());
}

loop::Fold fold_of(OpLowering& l) {
    const std::string_view name = l.binding().op->name;
    const bool truths = l.dtype(l.arg(0)) == DType::boolean;
    if (name == "sum") return loop::Fold::sum;
    if (name == "prod") return loop::Fold::prod;
    if (name == "max") return truths ? loop::Fold::any : loop::Fold::max;
    return truths ? loop::Fold::all : loop::Fold::min;
}
// Two folds: what is chosen, then the first or last place that has it. NaN is chosen if there is one, and equals nothing.
Status lower_place(OpLowering& l, std::string_view name, loop::Fold fold) {
    ValueId x = l.arg(0);
    const StridedView from = l.strided(x);
    const int64_t given = l.integer("axis");
    const size_t axis = size_t(given < 0 ? given + int64_t(from.axes.size()) : given);
    StridedView::Axis others, along;
    for (size_t i = 0; i < from.axes.size(); ++i) append(i == axis ? along : others, from.axes[i]);
    KernelWriter k(l, std::string(name));
    loop::Builder& b = k.builder();
    loop::GroupId g = k.group("g", loop::Role::parallel, others.extents), r = k.group("r", loop::Role::reduce, along.extents);
    loop::ExprId each = k.read(from.source, {{g, others.strides}, {r, along.strides}});
    loop::ExprId is_chosen = b.apply(loop::Op::eq, each, b.reduce(fold, r, each));
    if (is_float(l.dtype(x))) is_chosen = b.apply(loop::Op::logical_or, is_chosen, b.apply(loop::Op::ne, each, each));
    const bool last = l.boolean("select_last_index");
    loop::ExprId nowhere = b.integer(DType::i64, last ? -1 : std::numeric_limits<int64_t>::max());
    loop::ExprId place = b.reduce(last ? loop::Fold::max : loop::Fold::min, r, b.apply(loop::Op::select, is_chosen, b.index(r), nowhere));
    k.store(l.result(), {{g, dense_strides(l.dims(), others.extents)}}, place);
    return k.finish();
}
} // namespace

Status lower_fold(OpLowering& l) {
    const std::string_view name = l.binding().op->name;
    const loop::Fold fold = fold_of(l);
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
        return fold_split(l, name, fold, l.result(), split.stay, split.go);
    }
    const StridedView from = l.strided(x);
    StridedView::Axis outer, inner;
    for (size_t i = 0; i < shape.size(); ++i) append(reduced[i] ? inner : outer, from.axes[i]);
    KernelWriter k(l, std::string(name));
    loop::GroupId g = k.group("g", loop::Role::parallel, outer.extents), r = k.group("r", loop::Role::reduce, inner.extents);
    loop::ExprId each = k.read(from.source, {{g, outer.strides}, {r, inner.strides}});
    loop::ExprId all = k.builder().reduce(fold, r, each);
    k.store(l.result(), {{g, dense_strides(l.dims(), outer.extents)}}, all);
    return k.finish();
}

Status lower_fold_into(OpLowering& l, ValueId into, const std::vector<Dim>& stay, const std::vector<Dim>& go) {
    return fold_split(l, l.binding().op->name, fold_of(l), into, stay, go);
}

Status lower_argmax(OpLowering& l) { return lower_place(l, "argmax", loop::Fold::max); }
Status lower_argmin(OpLowering& l) { return lower_place(l, "argmin", loop::Fold::min); }

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
    return fold_split(l, "sum_to", loop::Fold::sum, l.result(), stay, go);
}
} // namespace nereus
