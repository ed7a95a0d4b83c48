// ops/bits.cpp - integers as rows of bits. Signed ones are in two's complement.
#include "ops/elementwise.h"
#include "ops/families.h"
#include "ops/lowers.h"
#include "ops/shape_rules.h"
#include "ops/storage_lower.h"

namespace nereus {
namespace {
// In 64 bits, for every dtype, floats included, which never come here.
struct And {
    template <class W> W operator()(W a, W b) const { return W(uint64_t(a) & uint64_t(b)); }
};
struct Or {
    template <class W> W operator()(W a, W b) const { return W(uint64_t(a) | uint64_t(b)); }
};
struct Xor {
    template <class W> W operator()(W a, W b) const { return W(uint64_t(a) ^ uint64_t(b)); }
};
struct Not {
    template <class W> W operator()(W x) const { return W(~uint64_t(x)); }
};
// What is cut off on the way back to the dtype is what a shift moves out. A negative count moves all of them.
struct ShiftLeft {
    template <class W> W operator()(W a, W b) const { return uint64_t(b) < 64 ? W(uint64_t(a) << uint64_t(b)) : W(0); }
};
struct ShiftRight {
    template <class W> W operator()(W a, W b) const {
        if constexpr (std::is_unsigned_v<W>) return b < 64 ? a >> b : 0;
        else return W(int64_t(a) >> (uint64_t(b) < 64 ? uint64_t(b) : 63));
    }
};

using loop::ExprId;
using loop::Op;
// The loop's own shifts are by less than the width.
ExprId shifted(loop::Builder& b, Op op, ExprId x, ExprId by, DType t) {
    ExprId inside = b.apply(Op::lt, by, b.integer(t, 8 * size_of(t)));
    if (!is_unsigned(t)) inside = b.apply(Op::logical_and, inside, b.apply(Op::ge, by, b.integer(t, 0)));
    return b.apply(Op::select, inside, b.apply(op, x, by), b.integer(t, 0));
}
Status lower_shift_left(OpLowering& l) {
    return lower_map(l, "shift_left", [](loop::Builder& b, std::span<const ExprId> x, DType t) { return shifted(b, Op::shift_left, x[0], x[1], t); });
}
// The loop's shift moves zeros in; of negative numbers, whose sign moves in, the complement is shifted.
Status lower_shift_right(OpLowering& l) {
    return lower_map(l, "shift_right", [](loop::Builder& b, std::span<const ExprId> x, DType t) {
        if (is_unsigned(t)) return shifted(b, Op::shift_right, x[0], x[1], t);
        ExprId sign = b.apply(Op::select, b.apply(Op::lt, x[0], b.integer(t, 0)), b.integer(t, -1), b.integer(t, 0));
        return b.apply(Op::bit_xor, shifted(b, Op::shift_right, b.apply(Op::bit_xor, x[0], sign), x[1], t), sign);
    });
}
Status lower_bit_not(OpLowering& l) {
    return lower_map(l, "bit_not", [](loop::Builder& b, std::span<const ExprId> x, DType t) { return b.apply(Op::bit_xor, x[0], b.integer(t, -1)); });
}

std::string widths_differ(DType from, DType to) {
    return std::string(dtype_name(from)) + " has " + std::to_string(bit_width(from)) + " bits, " + std::string(dtype_name(to)) + " " + std::to_string(bit_width(to));
}
constexpr const char* no_bits = "a text has no bits to be taken as something else";
Result<Tensors> bit_cast_eval(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    const DType to = *args.dtype("to");
    if (is_text(to) || is_text(x.dtype())) return Error{Code::type, no_bits};
    if (bit_width(to) != bit_width(x.dtype())) return Error{Code::shape, widths_differ(x.dtype(), to)};
    HostTensor y = TRY(HostTensor::make(to, x.shape()));
    std::byte* out = TRY(y.mutable_bytes());
    const size_t bytes = size_t(x.count() * size_of(to));
    for (size_t i = 0; i < bytes; ++i) out[i] = to == DType::boolean ? std::byte(x.bytes()[i] != std::byte(0)) : x.bytes()[i];
    return Tensors{std::move(y)};
}
Result<Shaped> bit_cast_shape(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor& x = args.tensor(0);
    const DType to = args.dtype("to").value_or(x.dtype);
    if (is_text(to) || is_text(x.dtype)) return scope.error(no_bits);
    if (bit_width(to) != bit_width(x.dtype)) return scope.error(widths_differ(x.dtype, to));
    return Shaped{ShapedTensor{.dtype = to, .shape = x.shape}};
}
// Between integers, codes among them, a cast keeps the bits. Else the same bytes are read as the other dtype; what is in no buffer gets one.
Status lower_bit_cast(OpLowering& l) {
    ValueId x = l.arg(0), y = l.result();
    if (!is_float(l.dtype(x)) && !is_float(l.dtype(y)))
        return lower_map(l, "cast", [](loop::Builder& b, std::span<const ExprId> bits, DType t) { return b.cast(bits[0], loop_dtype(t)); });
    Dims& dims = l.dims();
    const std::vector<Dim> over = l.shape(x), in_buffer = over.empty() ? std::vector<Dim>{dims.constant(1)} : over;
    auto copied = [&](ValueId from, ValueId to) {
        KernelWriter k(l, "bits");
        loop::GroupId g = k.group("g", loop::Role::parallel, over);
        ExprId value = k.read(from, {{g, dense_strides(dims, over)}});
        k.store(to, {{g, dense_strides(dims, over)}}, value);
        return k.finish();
    };
    if (l.is_number(x) || l.literal(x) || l.immediate_dim(x).valid()) {
        ValueId held = l.temporary(l.dtype(x), in_buffer);
        TRY(copied(x, held));
        x = held;
    }
    if (!is_number_type(l.type(y))) return l.view(y, x), Status();
    ValueId bits = l.temporary(l.dtype(y), in_buffer);
    l.view(bits, x);
    return copied(bits, y);
}

constexpr OpParam one[] = {{"x"}};
constexpr OpParam bit_cast_params[] = {{"x"}, {"to", ParamKind::dtype}};
constexpr OpParam two[] = {{"a"}, {"b"}};
constexpr std::string_view same = "int a: a, a -> a", constant = "gives integers";

constexpr OpDef rows[] = {
    {.name = "bit_and", .doc = "bits that both have", .params = two, .scheme = same, .eval = each_pair<And{}>,
     .lower = lower_each<Op::bit_and>, .shapes = broadcast_shape, .no_grad = constant},
    {.name = "bit_or", .doc = "bits that at least one has", .params = two, .scheme = same, .eval = each_pair<Or{}>,
     .lower = lower_each<Op::bit_or>, .shapes = broadcast_shape, .no_grad = constant},
    {.name = "bit_xor", .doc = "bits that one of them has", .params = two, .scheme = same, .eval = each_pair<Xor{}>,
     .lower = lower_each<Op::bit_xor>, .shapes = broadcast_shape, .no_grad = constant},
    {.name = "bit_not", .doc = "bits that x has not", .params = one, .scheme = "int a: a -> a", .eval = each<Not{}>,
     .lower = lower_bit_not, .shapes = broadcast_shape, .no_grad = constant},
    {.name = "shift_left", .doc = "bits of a, b places up; by a negative b, or by all of them and more, 0", .params = two, .scheme = same,
     .eval = each_pair<ShiftLeft{}>, .lower = lower_shift_left, .shapes = broadcast_shape, .no_grad = constant},
    {.name = "shift_right", .doc = "bits of a, b places down, the sign moving in; by a negative b, or by all of them and more, 0, or -1 if a is negative",
     .params = two, .scheme = same, .eval = each_pair<ShiftRight{}>, .lower = lower_shift_right, .shapes = broadcast_shape, .no_grad = constant},
    {.name = "bit_cast", .doc = "the bits of x as another dtype of the same width; to bool is != 0", .params = bit_cast_params,
     .scheme = "any a: a -> $to", .eval = bit_cast_eval, .lower = lower_bit_cast, .shapes = bit_cast_shape, .no_grad = "takes numbers as bits"},
};
} // namespace

std::span<const OpDef> bits_ops() { return rows; }
} // namespace nereus
