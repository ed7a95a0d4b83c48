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

// Per id, whether it is the last one of its number, with axes of size 1 for those of a row behind it.
ValueId last_of_its_number(Gradient& d, ValueId x, ValueId ids) {
    const int64_t axis = d.integer("axis");
    ValueId count = elements(d, d.shape(ids));
    ValueId order = d.op("reshape", {d.op("iota", {count}), d.shape(ids)});
    ValueId nobody = d.op("full", {{{d.extent(x, axis)}, true}, d.size(0)});
    ValueId last = d.op("gather", {d.op("scatter", {nobody, ids, order}), ids});
    ValueId behind = axis < 0 ? d.size(-axis - 1) : d.sub(d.rank(x), d.size(axis + 1));
    ValueId ones = d.op("full", {{{behind}, true}, d.size(1)});
    ValueId shape = d.op("concat", {{{d.shape(ids), ones}, true}}, {{"axis", int64_t(0)}});
    return d.op("reshape", {d.op("eq", {last, order}), shape});
}
void scatter(Gradient& d) {
    ValueId ids = d.arg(1), v = d.arg(2);
    if (d.wanted(2)) {
        ValueId rows = d.op("gather", {d.adjoint(), ids}, axis_of(d));
        d.contribute(2, d.op("select", {last_of_its_number(d, d.arg(0), ids), rows, d.number(0, d.dtype(v))}));
    }
    if (d.wanted(0)) d.contribute(0, d.op("scatter", {d.adjoint(), ids, d.zeros(d.shape(v), d.dtype(v))}, axis_of(d)));
}
// All that are the largest, or the smallest, at a place have an equal share.
void scatter_extremum(Gradient& d) {
    ValueId x = d.arg(0), ids = d.arg(1), v = d.arg(2), y = d.result();
    auto number = [&](ValueId condition) { return d.op("cast", {condition}, {{"to", d.dtype(x)}}); };
    ValueId own = number(d.op("eq", {x, y})), given = number(d.op("eq", {v, d.op("gather", {y, ids}, axis_of(d))}));
    ValueId share = d.div(d.adjoint(), d.op("scatter_add", {own, ids, given}, axis_of(d)));
    d.contribute(0, d.mul(share, own));
    if (d.wanted(2)) d.contribute(2, d.mul(d.op("gather", {share, ids}, axis_of(d)), given));
}

// Each factor at a place has the product of the others; zeros as in the rule of prod.
void scatter_mul(Gradient& d) {
    ValueId x = d.arg(0), ids = d.arg(1), v = d.arg(2), zero = d.number(0, d.dtype(x)), one = d.number(1, d.dtype(x)), two = d.number(2, d.dtype(x));
    ValueId x_zero = d.op("eq", {x, zero}), v_zero = d.op("eq", {v, zero});
    auto number = [&](ValueId condition) { return d.op("cast", {condition}, {{"to", d.dtype(x)}}); };
    auto filled = [&](ValueId is_zero, ValueId of) { return d.op("select", {is_zero, one, of}); };
    auto all = [&](const char* op, ValueId own, ValueId given) { return d.op(op, {own, ids, given}, axis_of(d)); };
    ValueId zeros = all("scatter_add", number(x_zero), number(v_zero)), rest = all("scatter_mul", filled(x_zero, x), filled(v_zero, v));
    ValueId gone = all("scatter_mul", d.op("select", {x_zero, x, one}), d.op("select", {v_zero, v, one}));
    ValueId zero_sum = all("scatter_add", d.op("select", {x_zero, x, zero}), d.op("select", {v_zero, v, zero}));
    auto contribute = [&](size_t arg, ValueId of, ValueId is_zero, auto at) {
        ValueId count = at(zeros), other_zero = d.sub(at(zero_sum), of);
        ValueId of_zeros = d.op("select", {d.op("eq", {count, one}), one, d.op("select", {d.op("eq", {count, two}), other_zero, zero})});
        ValueId others = d.op("select", {is_zero, d.mul(at(rest), of_zeros), d.mul(d.div(at(rest), filled(is_zero, of)), at(gone))});
        d.contribute(arg, d.mul(at(d.adjoint()), others));
    };
    if (d.wanted(2)) contribute(2, v, v_zero, [&](ValueId whole) { return d.op("gather", {whole, ids}, axis_of(d)); });
    if (d.wanted(0)) contribute(0, x, x_zero, [](ValueId whole) { return whole; });
}

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
    {.op = "scatter", .rule = scatter, .linear = true}, {"scatter_max", scatter_extremum}, {"scatter_min", scatter_extremum},
    {"scatter_mul", scatter_mul},
    {.op = "nonzero", .none = "gives indices"},
};
} // namespace

std::span<const NamedGradient> index_gradients() { return rows; }
} // namespace nereus
