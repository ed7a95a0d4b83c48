// Order along an axis is no nest of loops: a library kernel per dtype, one line of the axis at a time.
#include "ops/library_call.h"
#include "ops/lowers.h"

namespace nereus {
Status lower_topk(OpLowering& l) {
    ValueId x = l.arg(0), values = l.result(0), indices = l.result(1);
    Dims& dims = l.dims();
    const std::vector<Dim> from = l.shape(x), to = l.shape(values);
    int64_t given = l.integer("axis");
    size_t axis = size_t(given < 0 ? given + int64_t(from.size()) : given);
    std::vector<Stride> in = dense_strides(dims, from), out = dense_strides(dims, to);
    std::vector<Dim> others = from;
    std::vector<Stride> in_others = in, out_others = out;
    others.erase(others.begin() + int64_t(axis));
    in_others.erase(in_others.begin() + int64_t(axis));
    out_others.erase(out_others.begin() + int64_t(axis));

    LibraryCall call(l, "topk_" + std::string(dtype_name(l.dtype(x))));
    uint32_t lines = call.group("lines", loop::Role::parallel, others), line = call.group("line", loop::Role::sequential, {from[axis]}),
             places = call.group("places", loop::Role::sequential, {to[axis]});
    call.buffer("x", x, false, {{lines, in_others}, {line, {in[axis]}}});
    call.buffer("values", values, true, {{lines, out_others}, {places, {out[axis]}}});
    call.buffer("indices", indices, true, {{lines, out_others}, {places, {out[axis]}}});
    return call.launch();
}
} // namespace nereus
