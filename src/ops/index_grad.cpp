// ops/index_grad.cpp - gradients of parts of a tensor: by range, by index, by order.
#include "ops/gradients.h"

namespace nereus {
namespace {
AttributeList axes_of(const Gradient& d) {
    const Attribute* axes = find_attribute(d.binding(), "axes");
    return axes ? AttributeList{*axes} : AttributeList{};
}
AttributeList axis_of(const Gradient& d) { return {{"axis", d.integer("axis")}}; }

void slice(Gradient& d) {
    d.contribute_part(0, [&](ValueId so_far, bool is_zero) {
        ValueId part = is_zero ? d.adjoint() : d.add(d.op("slice", {so_far, d.same(1), d.same(2)}, axes_of(d)), d.adjoint());
        return d.op("slice_update", {so_far, part, d.same(1)}, axes_of(d));
    });
}

// Where the written part ends, per start.
Gradient::Operand ends(Gradient& d, ValueId part) {
    const Attribute* given = find_attribute(d.binding(), "axes");
    const std::vector<int64_t>* axes = given ? std::get_if<std::vector<int64_t>>(&given->value) : nullptr;
    if (d.is_list(2)) {
        std::vector<ValueId> all;
        for (size_t i = 0; i < d.args(2).size(); ++i)
            all.push_back(d.add(d.arg(2, i), d.extent(part, axes ? (*axes)[i] : int64_t(i))));
        return {all, true};
    }
    if (!axes) {                                         // a vector of starts, for the leading axes
        ValueId count = d.op("gather", {d.shape(d.arg(2)), d.size(0)});
        ValueId sizes = d.op("slice", {d.shape(part), {{d.size(0)}, true}, {{count}, true}});
        return d.add(d.arg(2), sizes);
    }
    std::vector<ValueId> sizes;
    for (int64_t axis : *axes) sizes.push_back(d.op("reshape", {d.extent(part, axis), {{d.size(1)}, true}}));
    return d.add(d.arg(2), d.op("concat", {{sizes, true}}, {{"axis", int64_t(0)}}));
}

void slice_update(Gradient& d) {
    ValueId v = d.arg(1);
    // What is read comes first: then the adjoint can be changed in place.
    if (d.wanted(1)) d.contribute(1, d.op("slice", {d.adjoint(), d.same(2), ends(d, v)}, axes_of(d)));
    if (d.wanted(0))
        d.contribute(0, d.op("slice_update", {d.adjoint(), d.zeros(d.shape(v), d.dtype(v)), d.same(2)}, axes_of(d)));
}

void gather(Gradient& d) {
    d.contribute_part(0, [&](ValueId so_far, bool) { return d.op("scatter_add", {so_far, d.arg(1), d.adjoint()}, axis_of(d)); });
}
void scatter_add(Gradient& d) {
    d.contribute(0, d.adjoint());
    if (d.wanted(2)) d.contribute(2, d.op("gather", {d.adjoint(), d.arg(1)}, axis_of(d)));
}

// How many elements a shape has, as a number.
ValueId elements(Gradient& d, ValueId shape) { return d.op("sum", {d.op("full", {shape, d.size(1)}), {{}, false}}); }

// The adjoint goes to the chosen elements. They are found by their place in the whole, row-major: that of the first one
// along the axis, and one step of the axis per index.
void topk(Gradient& d) {
    ValueId x = d.arg(0), g = d.adjoint(0), at = d.result(1);
    int64_t axis = d.integer("axis");
    ValueId count = elements(d, d.shape(x));
    ValueId places = d.op("reshape", {d.op("iota", {count}), d.shape(x)});
    ValueId one = d.op("minimum", {d.extent(x, axis), d.size(1)});       // an empty axis has no first element
    ValueId first = d.op("slice", {places, {{d.size(0)}, true}, {{one}, true}}, {{"axes", std::vector<int64_t>{axis}}});
    ValueId behind = d.add(axis < 0 ? d.add(d.rank(x), d.size(axis)) : d.size(axis), d.size(1));
    ValueId inner = d.op("slice", {d.shape(x), {{behind}, true}, {{d.rank(x)}, true}});
    ValueId place = d.add(first, d.mul(at, elements(d, inner)));
    ValueId chosen = elements(d, d.shape(g));
    ValueId flat = d.op("scatter_add", {d.op("full", {{{count}, true}, d.number(0, d.dtype(x))}),
                                        d.op("reshape", {place, {{chosen}, true}}), d.op("reshape", {g, {{chosen}, true}})},
                        {{"axis", int64_t(0)}});
    d.contribute(0, d.op("reshape", {flat, d.shape(x)}));
}

constexpr NamedGradient rows[] = {
    {.op = "slice", .rule = slice, .linear = true}, {.op = "slice_update", .rule = slice_update, .linear = true},
    {.op = "gather", .rule = gather, .linear = true}, {.op = "scatter_add", .rule = scatter_add, .linear = true}, {"topk", topk},
    {.op = "nonzero", .none = "gives indices"},
};
} // namespace

std::span<const NamedGradient> index_gradients() { return rows; }
} // namespace nereus
