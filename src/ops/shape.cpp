// ops/shape.cpp - the same elements in another shape, and tensors made from sizes.
#include "ops/axes.h"
#include "ops/elements.h"
#include "ops/families.h"
#include "ops/lowers.h"
#include <algorithm>
#include <cstring>

namespace nereus {
namespace {
// The element of y at i is the element of x at from(i); elements are moved as bytes.
Result<HostTensor> copied(const HostTensor& x, Extents shape, const IndexMap& from) {
    HostTensor y = TRY(HostTensor::make(x.dtype(), std::move(shape)));
    size_t size = size_t(size_of(x.dtype()));
    std::byte* out = TRY(y.mutable_bytes());
    for (int64_t i = 0; i < y.count(); ++i) std::memcpy(out + size_t(i) * size, x.bytes() + size_t(from(i)) * size, size);
    return y;
}

Result<Tensors> reshape_eval(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    Extents shape = args.sizes[1];
    int64_t* inferred = nullptr;
    int64_t others = 1;
    for (int64_t& size : shape) {
        if (size == -1 && inferred) return Error{Code::shape, "only one size can be inferred, found two -1"};
        if (size < -1) return Error{Code::shape, "size " + std::to_string(size) + " is negative"};
        if (size == -1) inferred = &size;
        else if (__builtin_mul_overflow(others, size, &others)) return Error{Code::shape, "sizes overflow"};
    }
    if (inferred && others == 0) return Error{Code::shape, "the sizes beside -1 make 0"};
    if (inferred && x.count() % others != 0)
        return Error{Code::shape, "elements to share among the sizes beside -1: found " + std::to_string(x.count()) + " and " +
                                      std::to_string(x.count() / others * others)};
    if (inferred) *inferred = x.count() / others;
    else if (others != x.count())
        return Error{Code::shape, "elements before and after: found " + std::to_string(x.count()) + " and " + std::to_string(others)};
    return Tensors{TRY(x.reshaped(std::move(shape)))};
}

Result<Tensors> broadcast_to_eval(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    TRY(check_broadcast(x.shape(), args.sizes[1]));
    return Tensors{TRY(copied(x, args.sizes[1], IndexMap::broadcast(x.shape(), args.sizes[1])))};
}

Result<Tensors> transpose_eval(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    std::vector<int64_t> perm = whole_permutation(args.integers("perm").value_or(Extents()), x.rank());
    if (int64_t(perm.size()) != x.rank())
        return Error{Code::shape, "perm has " + std::to_string(perm.size()) + " axes, the tensor " +
                                      std::to_string(x.rank())};
    perm = TRY(checked_axes(perm, x.rank()));
    std::vector<int64_t> own = row_major_strides(x.shape()), strides;
    Extents shape;
    for (int64_t axis : perm) shape.push_back(x.shape()[size_t(axis)]), strides.push_back(own[size_t(axis)]);
    return Tensors{TRY(copied(x, shape, IndexMap(shape, std::move(strides))))};
}

// Copies between a whole and a part that begins at `start` along one axis.
void copy_part(std::byte* to, Sides to_sides, int64_t to_start, const std::byte* from, Sides from_sides, int64_t from_start,
               int64_t size, int64_t element) {
    for (int64_t i = 0; i < to_sides.before; ++i)
        std::memcpy(to + (i * to_sides.size + to_start) * to_sides.after * element,
                    from + (i * from_sides.size + from_start) * from_sides.after * element,
                    size_t(size * to_sides.after * element));
}

Result<Tensors> concat_eval(const EvalArgs& args) {
    const Tensors& xs = args.tensors[0];
    if (xs.empty()) return Error{Code::value, "concat: nothing to concatenate"};
    int64_t axis = TRY(checked_axis(args.integer("axis"), xs[0].rank())), total = 0;
    for (const HostTensor& x : xs) {
        Extents expected = xs[0].shape();
        if (x.rank() == xs[0].rank()) expected[size_t(axis)] = x.shape()[size_t(axis)];
        if (x.shape() != expected)
            return Error{Code::shape, "concat: shapes differ off axis " + std::to_string(axis) + ": " +
                                          shape_text(xs[0].shape()) + " and " + shape_text(x.shape())};
        total += x.shape()[size_t(axis)];
    }
    Extents shape = xs[0].shape();
    shape[size_t(axis)] = total;
    HostTensor y = TRY(HostTensor::make(xs[0].dtype(), shape));
    std::byte* out = TRY(y.mutable_bytes());
    int64_t at = 0;
    for (const HostTensor& x : xs) {
        Sides part = sides_of(x.shape(), axis);
        if (x.count() > 0) copy_part(out, sides_of(shape, axis), at, x.bytes(), part, 0, part.size, size_of(x.dtype()));
        at += part.size;
    }
    return Tensors{std::move(y)};
}

Result<Tensors> split_eval(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    int64_t axis = TRY(checked_axis(args.integer("axis"), x.rank())), total = 0;
    for (int64_t size : args.sizes[1]) {
        if (size < 0) return Error{Code::shape, "size " + std::to_string(size) + " is negative"};
        if (__builtin_add_overflow(total, size, &total)) return Error{Code::shape, "sizes overflow"};
    }
    if (total != x.shape()[size_t(axis)])
        return Error{Code::shape, "the sum of the sizes: found " + std::to_string(total) + " and " + std::to_string(x.shape()[size_t(axis)])};
    Tensors parts;
    int64_t at = 0;
    for (int64_t size : args.sizes[1]) {
        Extents shape = x.shape();
        shape[size_t(axis)] = size;
        HostTensor part = TRY(HostTensor::make(x.dtype(), shape));
        std::byte* out = TRY(part.mutable_bytes());
        if (part.count() > 0)
            copy_part(out, sides_of(shape, axis), 0, x.bytes(), sides_of(x.shape(), axis), at, size, size_of(x.dtype()));
        parts.push_back(std::move(part));
        at += size;
    }
    return parts;
}

Result<Tensors> shape_of_eval(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    HostTensor y = TRY(HostTensor::make(DType::i64, {x.rank()}));
    std::ranges::copy(x.shape(), TRY(y.mutable_data<int64_t>()).begin());
    return Tensors{std::move(y)};
}

Result<Tensors> iota_eval(const EvalArgs& args) {
    HostTensor y = TRY(HostTensor::make(DType::i64, {args.sizes[0][0]}));
    std::span<int64_t> out = TRY(y.mutable_data<int64_t>());
    for (size_t i = 0; i < out.size(); ++i) out[i] = int64_t(i);
    return Tensors{std::move(y)};
}

Result<Tensors> full_eval(const EvalArgs& args) {
    const HostTensor& v = args.tensor(1);
    if (v.rank() != 0) return Error{Code::shape, "the value is a scalar, found shape " + shape_text(v.shape())};
    return Tensors{TRY(copied(v, args.sizes[0], IndexMap::broadcast({}, args.sizes[0])))};
}

constexpr OpParam one[] = {{"x"}};
constexpr OpParam to_shape[] = {{"x"}, {"shape", ParamKind::sizes}};
constexpr OpParam transpose_params[] = {{"x"}, {"perm", ParamKind::integers}};
constexpr OpParam concat_params[] = {{"xs", ParamKind::values}, {"axis", ParamKind::integer, true, 0}};
constexpr OpParam split_params[] = {{"x"}, {"sizes", ParamKind::sizes}, {"axis", ParamKind::integer, true, 0}};
constexpr OpParam iota_params[] = {{"n", ParamKind::size}};
constexpr OpParam full_params[] = {{"shape", ParamKind::sizes}, {"v"}};

constexpr OpDef rows[] = {
    {.name = "reshape", .doc = "the same elements, row-major, in another shape; one -1 is inferred", .params = to_shape,
     .scheme = "any a: a -> a", .eval = reshape_eval,
     .lower = lower_reshape},
    {.name = "broadcast_to", .doc = "x repeated along axes of size 1 and new leading axes", .params = to_shape,
     .scheme = "any a: a -> a", .eval = broadcast_to_eval,
     .lower = lower_broadcast_to},
    {.name = "transpose", .doc = "axis i of the result is axis perm[i] of x; negative axes alone permute the last ones", .params = transpose_params,
     .scheme = "any a: a -> a", .eval = transpose_eval,
     .lower = lower_transpose},
    {.name = "concat", .doc = "tensors one after the other along axis; an empty list is an error",
     .params = concat_params, .scheme = "any a: a.. -> a", .eval = concat_eval,
     .lower = lower_concat},
    {.name = "split", .doc = "consecutive parts of the given sizes along axis, as a tuple; the sizes must sum",
     .params = split_params, .scheme = "any a: a -> (a..)", .eval = split_eval,
     .lower = lower_split},
    {.name = "shape_of", .doc = "the sizes of x as a vector", .params = one, .scheme = "any a: a -> i64",
     .eval = shape_of_eval,
     .lower = lower_shape_of},
    {.name = "iota", .doc = "0, 1, ... n-1", .params = iota_params, .scheme = "-> i64", .eval = iota_eval,
     .lower = lower_iota},
    {.name = "full", .doc = "v, a scalar, everywhere", .params = full_params, .scheme = "any a: a -> a",
     .eval = full_eval,
     .lower = lower_full},
};
} // namespace

std::span<const OpDef> shape_ops() { return rows; }
} // namespace nereus
