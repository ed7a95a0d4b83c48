// Windows and convolutions of values whose rank is known only when they run: a window says how many axes it slides along, and
// both operands of a convolution have one rank, so that of either tells it.
#include "ops/windows.h"
#include <algorithm>

namespace nereus {
namespace {
using Kind = ShapePart::Kind;
Status as_ranked(OpLowering& l) { return l.binding().op->lower(l); }
std::vector<Dim> sizes_of(OpLowering& l, size_t param) {
    std::vector<Dim> sizes;
    for (ValueId size : l.args(param)) sizes.push_back(l.size(size));
    return sizes;
}
Result<std::vector<Dim>> counts_of(OpLowering& l, std::span<const Dim> sizes, const std::vector<Dim>& window) {
    const Steps steps = steps_of(l, window.size());
    std::vector<Dim> counts;
    for (size_t i = 0; i < window.size(); ++i)
        counts.push_back(TRY(count_windows(l.dims(), sizes[i], window[i], steps.strides[i], steps.dilations[i], checked_by(l))));
    return counts;
}
// The axes of `like` but its last ones, then these.
void make_behind(OpLowering& l, ValueId like, size_t without, const std::vector<Dim>& extents) {
    std::vector<ShapePart> parts = {{.kind = Kind::head, .value = like, .from = int64_t(without)}};
    for (Dim extent : extents) parts.push_back({.number = extent});
    l.make(l.result(), std::move(parts));
    std::vector<Dim> opened = {l.shape(like)[0]};
    opened.insert(opened.end(), extents.begin(), extents.end());
    l.open_as(l.result(), std::move(opened));
}

// The rank of both operands; none: nothing tells it.
std::optional<size_t> rank_of_conv(OpLowering& l, bool has_sizes) {
    for (ValueId v : {l.arg(0), l.arg(1)})
        if (l.ranked(v)) return l.type(v).shape.dims.size();
    if (has_sizes && l.binding().groups[2].list) return l.args(2).size() + 2;
    for (std::string_view name : {"strides", "dilations"})
        if (find_attribute(l.binding(), name)) return l.integers(name).size() + 2;
    return std::nullopt;
}
// Both operands as if they had `axes` to slide along: those that are not there come first, with size 1.
struct ConvAxes { size_t axes; std::vector<Dim> absent; };           // absent, per axis: 1 or 0; empty: all are there
constexpr size_t most_axes = 6;                          // where nothing tells how many
constexpr const char* ranks_differ = "ranks of the operands: found {0} and {1}, expected the same, 2 or more";
ConvAxes open_of_any_rank(OpLowering& l) {
    Dims& dims = l.dims();
    const Dim rank = l.rank(l.arg(0)), one = dims.constant(1), zero = dims.constant(0);
    l.check(rank, Relation::equal, l.rank(l.arg(1)), ranks_differ);
    l.check(rank, Relation::less_equal, dims.constant(most_axes + 2), "a rank {0} that can be convolved, at most {1}");
    l.check(dims.constant(2), Relation::less_equal, rank, ranks_differ);
    ConvAxes out{most_axes, {}};
    for (size_t i = 0; i < most_axes; ++i) {
        const Dim missing[] = {dims.sub(dims.constant(int64_t(most_axes + 2 - i)), rank), zero}, flag[] = {dims.max(missing), one};
        out.absent.push_back(dims.min(flag));
    }
    for (ValueId v : {l.arg(0), l.arg(1)}) {
        l.open(v, Opened::front, 2);
        std::vector<Dim> extents = {l.shape(v)[0], l.shape(v)[1]};
        l.open(v, Opened::padded, most_axes);
        for (size_t i = 0; i < most_axes; ++i) {
            const Dim own = l.shape(v)[i];
            extents.push_back(dims.add(own, dims.mul(out.absent[i], dims.sub(one, own))));
        }
        l.open_as(v, std::move(extents));
    }
    return out;
}
Result<ConvAxes> open_operands(OpLowering& l, bool has_sizes) {
    const std::optional<size_t> rank = rank_of_conv(l, has_sizes);
    if (!rank) return open_of_any_rank(l);
    TRY(steps_of(l.integers("strides").empty() ? std::nullopt : std::optional(l.integers("strides")),
                 l.integers("dilations").empty() ? std::nullopt : std::optional(l.integers("dilations")), *rank - 2));
    for (ValueId v : {l.arg(0), l.arg(1)}) {
        l.check(l.rank(v), Relation::equal, l.dims().constant(int64_t(*rank)), ranks_differ);
        l.open(v, Opened::front, *rank);
        std::vector<Dim> extents = l.shape(v);
        extents.pop_back();                              // nothing is left after all axes
        l.open_as(v, std::move(extents));
    }
    return ConvAxes{*rank - 2, {}};
}
std::vector<Dim> conv_sizes(OpLowering& l, const ConvAxes& over) {
    if (l.binding().groups[2].list) return sizes_of(l, 2);
    Dims& dims = l.dims();
    const Dim axes = dims.sub(l.rank(l.arg(0)), dims.constant(2));
    l.check(l.shape(l.arg(2))[0], Relation::equal, axes, "{0} sizes for {1} axes");
    std::vector<Dim> sizes;
    for (size_t i = 0; i < over.axes; ++i)
        sizes.push_back(l.element(l.arg(2), dims.sub(dims.add(axes, dims.constant(int64_t(i))), dims.constant(int64_t(over.axes))), dims.constant(1)));
    return sizes;
}
Status finish_conv(OpLowering& l, const ConvAxes& over, std::vector<Dim> result) {
    std::vector<ShapePart> parts;
    for (size_t i = 0; i < result.size(); ++i) {
        if (i < 2 || over.absent.empty()) parts.push_back({.number = result[i]});
        else parts.push_back({.kind = Kind::unless, .number = result[i], .flag = over.absent[i - 2]});
    }
    if (!l.ranked(l.result())) l.make(l.result(), std::move(parts));
    l.open_as(l.result(), std::move(result));
    return as_ranked(l);
}
Status check_result(OpLowering& l, const std::vector<Dim>& found, const std::vector<Dim>& expected) {
    for (size_t i = 0; i < found.size(); ++i)
        l.check(found[i], Relation::equal, expected[i], "axis " + std::to_string(i) + " of the result of conv: found {0} and {1}");
    return {};
}
} // namespace

Status lower_windows_unranked(OpLowering& l) {
    ValueId x = l.arg(0);
    if (l.ranked(x)) return as_ranked(l);
    const std::vector<Dim> window = sizes_of(l, 1);
    l.check(l.dims().constant(int64_t(window.size())), Relation::less_equal, l.rank(x), "a window has {0} axes, the tensor {1}");
    l.open(x, Opened::back, window.size());
    std::vector<Dim> extents = TRY(counts_of(l, std::span(l.shape(x)).subspan(1), window));
    extents.push_back(l.dims().product(window));
    make_behind(l, x, window.size(), extents);
    return as_ranked(l);
}

Status lower_fold_windows_unranked(OpLowering& l) {
    ValueId v = l.arg(0);
    if (l.ranked(v)) return as_ranked(l);
    const std::vector<Dim> sizes = sizes_of(l, 1), window = sizes_of(l, 2);
    const size_t axes = window.size();
    l.check(l.dims().constant(int64_t(axes) + 1), Relation::less_equal, l.rank(v), "windows of " + std::to_string(axes) + " axes in a tensor of rank {1}");
    l.open(v, Opened::back, axes + 1);
    std::vector<Dim> expected = TRY(counts_of(l, sizes, window));
    expected.push_back(l.dims().product(window));
    for (size_t i = 0; i <= axes; ++i) l.check(l.shape(v)[i + 1], Relation::equal, expected[i], "an axis of the windows: found {0} and {1}");
    make_behind(l, v, axes + 1, sizes);
    return as_ranked(l);
}

Status lower_conv_unranked(OpLowering& l) {
    const ConvAxes over = TRY(open_operands(l, false));
    const std::vector<Dim> x = l.shape(l.arg(0)), w = l.shape(l.arg(1));
    return finish_conv(l, over, TRY(conv_shape(l.dims(), x, w, steps_of(l, over.axes), l.integer("groups"), checked_by(l))));
}
Status lower_conv_input_unranked(OpLowering& l) {
    const ConvAxes over = TRY(open_operands(l, true));
    const std::vector<Dim> y = l.shape(l.arg(0)), w = l.shape(l.arg(1)), sizes = conv_sizes(l, over);
    std::vector<Dim> x = {y[0], l.dims().mul(l.dims().constant(l.integer("groups")), w[1])};
    x.insert(x.end(), sizes.begin(), sizes.end());
    TRY(check_result(l, y, TRY(conv_shape(l.dims(), x, w, steps_of(l, over.axes), l.integer("groups"), checked_by(l)))));
    return finish_conv(l, over, std::move(x));
}
Status lower_conv_weight_unranked(OpLowering& l) {
    const ConvAxes over = TRY(open_operands(l, true));
    const std::vector<Dim> x = l.shape(l.arg(0)), y = l.shape(l.arg(1)), sizes = conv_sizes(l, over);
    std::vector<Dim> w = {y[1], l.dims().floor_div(x[1], l.dims().constant(l.integer("groups")))};
    w.insert(w.end(), sizes.begin(), sizes.end());
    TRY(check_result(l, y, TRY(conv_shape(l.dims(), x, w, steps_of(l, over.axes), l.integer("groups"), checked_by(l)))));
    return finish_conv(l, over, std::move(w));
}
} // namespace nereus
