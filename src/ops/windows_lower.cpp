// Windows: an element of one is found by strides alone, those of the windows and those of the taps.
#include "ops/lowers.h"
#include "ops/windows.h"

namespace nereus {
namespace {
// Extents and strides in x: its first axes, then the windows along the others, then their taps.
struct Geometry { std::vector<Dim> lead, counts, taps; std::vector<Stride> along_lead, along_counts, along_taps; };
Geometry geometry(OpLowering& l, const std::vector<Dim>& x, std::span<const Dim> counts, std::vector<Dim> taps) {
    Dims& dims = l.dims();
    const size_t lead = x.size() - taps.size();
    const Steps steps = steps_of(l, taps.size());
    const std::vector<Stride> dense = dense_strides(dims, x);
    Geometry g{{x.begin(), x.begin() + ptrdiff_t(lead)}, {counts.begin(), counts.end()}, std::move(taps), {dense.begin(), dense.begin() + ptrdiff_t(lead)}, {}, {}};
    for (size_t i = 0; i < g.taps.size(); ++i) {
        g.along_counts.push_back(times(dims, dense[lead + i], steps.strides[i]));
        g.along_taps.push_back(times(dims, dense[lead + i], steps.dilations[i]));
    }
    return g;
}
template <class T> std::vector<T> joined(std::vector<T> a, const std::vector<T>& b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
}
std::vector<Dim> sizes_of(OpLowering& l, size_t param) {
    std::vector<Dim> sizes;
    for (ValueId size : l.args(param)) sizes.push_back(l.size(size));
    return sizes;
}
} // namespace

Status lower_windows(OpLowering& l) {
    ValueId x = l.arg(0), y = l.result();
    const std::vector<Dim> out = l.shape(y), taps = sizes_of(l, 1), from = l.shape(x);
    const size_t lead = from.size() - taps.size();
    Geometry w = geometry(l, from, std::span(out).subspan(lead, taps.size()), taps);
    const std::vector<Dim> outer = joined(w.lead, w.counts), over = joined(outer, w.taps);
    const std::vector<Stride> along = joined(w.along_lead, w.along_counts);
    KernelWriter k(l, "windows");
    loop::GroupId g = k.group("g", loop::Role::parallel, over);
    loop::ExprId value = k.read(x, {{g, joined(along, w.along_taps)}});
    k.store(y, {{g, dense_strides(l.dims(), over)}}, value);
    StridedView view{.source = x};
    for (size_t i = 0; i < outer.size(); ++i) view.axes.push_back({{outer[i]}, {along[i]}});
    view.axes.push_back({w.taps, w.along_taps});
    l.reads_as(y, std::move(view));
    return k.finish();
}

Status lower_fold_windows(OpLowering& l) {
    ValueId v = l.arg(0), y = l.result();
    Dims& dims = l.dims();
    const std::vector<Dim> in = l.shape(v), taps = sizes_of(l, 2), to = l.shape(y);
    Geometry w = geometry(l, to, std::span(in).subspan(in.size() - 1 - taps.size(), taps.size()), taps);
    KernelWriter zero(l, "fill");
    loop::GroupId all = zero.group("g", loop::Role::parallel, to);
    zero.store(y, {{all, dense_strides(dims, to)}}, zero.builder().number(l.dtype(y), 0));
    TRY(zero.finish());
    const std::vector<Dim> order = joined(w.counts, w.taps);
    const std::vector<Stride> dense = dense_strides(dims, joined(w.lead, order));
    const auto middle = dense.begin() + ptrdiff_t(w.lead.size());
    KernelWriter k(l, "fold_windows");
    loop::GroupId g = k.group("g", loop::Role::parallel, w.lead), j = k.group("j", loop::Role::sequential, order);
    loop::ExprId value = k.read(v, {{g, {dense.begin(), middle}}, {j, {middle, dense.end()}}});
    loop::BufferId out = k.output(y, {{g, w.along_lead}, {j, joined(w.along_counts, w.along_taps)}});
    k.builder().accumulate(loop::Update::add, out, {g, j}, {}, value);
    return k.finish();
}
} // namespace nereus
