// ops/layout_grad.cpp - gradients of operators that move elements, and of tensors made from sizes.
#include "ops/gradients.h"

namespace nereus {
namespace {
void reshape(Gradient& d) { d.contribute(0, d.op("reshape", {d.adjoint(), d.shape(d.arg(0))})); }
void broadcast_to(Gradient& d) { d.contribute(0, d.op("sum_to", {d.adjoint(), d.shape(d.arg(0))})); }

void transpose(Gradient& d) {
    const std::vector<int64_t> perm = std::get<std::vector<int64_t>>(find_attribute(d.binding(), "perm")->value);
    bool trailing = !perm.empty();                       // negative axes alone: the last ones, of any rank
    for (int64_t axis : perm) trailing = trailing && axis < 0;
    int64_t rank = int64_t(perm.size());
    std::vector<int64_t> back(perm.size());
    for (int64_t i = 0; i < rank; ++i) {
        int64_t from = perm[size_t(i)] < 0 ? perm[size_t(i)] + rank : perm[size_t(i)];
        if (from >= 0 && from < rank) back[size_t(from)] = trailing ? i - rank : i;   // else refused where it runs
    }
    d.contribute(0, d.op("transpose", {d.adjoint()}, {{"perm", back}}));
}

void concat(Gradient& d) {
    int64_t axis = d.integer("axis");
    if (!d.is_list(0)) return d.contribute_parts(0, d.adjoint(), axis);
    std::vector<ValueId> sizes;
    for (ValueId part : d.args(0)) sizes.push_back(d.extent(part, axis));
    ValueId parts = d.op("split", {d.adjoint(), {sizes, true}}, {{"axis", axis}});
    for (size_t i = 0; i < d.args(0).size(); ++i)
        if (d.wanted(0, i)) d.contribute(0, d.project(parts, i), i);
}

void split(Gradient& d) {
    std::vector<ValueId> parts;
    for (size_t i = 0; i < d.args(1).size(); ++i) parts.push_back(d.adjoint(i));
    if (!parts.empty()) d.contribute(0, d.op("concat", {{parts, true}}, {{"axis", d.integer("axis")}}));
}

void full(Gradient& d) { d.contribute(1, d.op("sum", {d.adjoint(), {{}, false}})); }

constexpr std::string_view sizes = "made from sizes alone";
constexpr NamedGradient rows[] = {
    {.op = "reshape", .rule = reshape, .linear = true}, {.op = "broadcast_to", .rule = broadcast_to, .linear = true},
    {.op = "transpose", .rule = transpose, .linear = true}, {.op = "concat", .rule = concat, .linear = true},
    {.op = "split", .rule = split, .linear = true}, {.op = "full", .rule = full, .linear = true},
    {.op = "shape_of", .none = "gives sizes"}, {.op = "iota", .none = sizes}, {.op = "random", .none = sizes},
};
} // namespace

std::span<const NamedGradient> layout_gradients() { return rows; }
} // namespace nereus
