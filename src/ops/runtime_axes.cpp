#include "ops/runtime_axes.h"

namespace nereus {
namespace {
// 1 if a is b, else 0.
Dim equals(Dims& dims, Dim a, Dim b) {
    Dim one = dims.constant(1), both[] = {dims.sub(a, b), dims.sub(b, a)};
    Dim distance[] = {one, dims.max(both)};
    return dims.sub(one, dims.min(distance));
}
} // namespace

std::vector<Dim> axes_that_go(Dims& dims, std::span<const Dim> axes, size_t rank) {
    std::vector<Dim> goes;
    for (int64_t i = 0; i < int64_t(rank); ++i) {
        Dim named = dims.constant(0);
        for (Dim axis : axes) {
            named = dims.add(named, equals(dims, axis, dims.constant(i)));
            named = dims.add(named, equals(dims, axis, dims.constant(i - int64_t(rank))));
        }
        goes.push_back(named);
    }
    return goes;
}

SplitExtents split_extents(Dims& dims, std::span<const Dim> shape, std::span<const Dim> goes) {
    SplitExtents out;
    Dim one = dims.constant(1);
    for (size_t i = 0; i < shape.size(); ++i) {
        Dim lost = dims.mul(dims.sub(shape[i], one), goes[i]);
        out.stay.push_back(dims.sub(shape[i], lost));
        out.go.push_back(dims.add(one, lost));
    }
    return out;
}

std::vector<Dim> closed_up(Dims& dims, std::span<const Dim> shape, std::span<const Dim> goes, size_t count) {
    std::vector<Dim> out;
    Dim one = dims.constant(1);
    for (size_t to = 0; to + count < shape.size(); ++to) {
        Dim extent = dims.constant(0), before = dims.constant(0);    // how many axes before i stay
        for (size_t i = 0; i < shape.size() && i <= to + count; ++i) {
            Dim stays = dims.sub(one, goes[i]);
            if (i >= to)
                extent = dims.add(extent, dims.mul(shape[i], dims.mul(stays, equals(dims, before, dims.constant(int64_t(to))))));
            before = dims.add(before, stays);
        }
        out.push_back(extent);
    }
    return out;
}
} // namespace nereus
