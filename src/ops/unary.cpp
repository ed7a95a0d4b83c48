// ops/unary.cpp - elementwise functions of one tensor; the shape passes through unchanged.
#include "ops/elements.h"
#include "ops/families.h"
#include "ops/lowers.h"

namespace nereus {
namespace {
// Two steps, through what From is computed in, make 13 + 3 * 13 loops of what would be 169.
template <class Wide> Result<Tensors> cast_from(std::span<const Wide> in, HostTensor y) {
    return with_type(y.dtype(), [&](auto zero) -> Result<Tensors> {
        using T = decltype(zero);
        std::span<T> out = TRY(y.mutable_data<T>());
        for (size_t i = 0; i < in.size(); ++i) out[i] = element_cast<T>(in[i]);
        return Tensors{std::move(y)};
    });
}
Result<Tensors> cast_eval(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    HostTensor y = TRY(HostTensor::make(*args.dtype("to"), x.shape()));
    return with_type(x.dtype(), [&](auto zero) -> Result<Tensors> {
        using T = decltype(zero);
        std::vector<WideOf<T>> wide(x.data<T>().begin(), x.data<T>().end());
        return cast_from<WideOf<T>>(wide, std::move(y));
    });
}

template <auto f> Result<Tensors> each(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    HostTensor y = TRY(HostTensor::make(x.dtype(), x.shape()));
    return with_type(x.dtype(), [&](auto zero) -> Result<Tensors> {
        using T = decltype(zero);
        std::span<const T> in = x.data<T>();
        std::span<T> out = TRY(y.mutable_data<T>());
        for (size_t i = 0; i < in.size(); ++i) out[i] = T(f(WideOf<T>(in[i])));
        return Tensors{std::move(y)};
    });
}

struct Negate {
    double operator()(double x) const { return -x; }
    int64_t operator()(int64_t x) const { return wrap_sub(0, x); }
    uint64_t operator()(uint64_t x) const { return 0 - x; }
};

constexpr OpParam one[] = {{"x"}};
constexpr OpParam cast_params[] = {{"x"}, {"to", ParamKind::dtype}};

constexpr OpDef rows[] = {
    {.name = "neg", .doc = "-x; integers wrap", .params = one, .scheme = "num a: a -> a", .eval = each<Negate{}>,
     .lower = lower_each<loop::Op::neg>, .host = HostOp::neg},
    {.name = "exp", .doc = "e to the power x", .params = one, .scheme = "float a: a -> a",
     .eval = each<[](double x) { return std::exp(x); }>, .ulps = 4,
     .lower = lower_each<loop::Op::exp>},
    {.name = "log", .doc = "natural logarithm; -inf at 0, NaN below", .params = one, .scheme = "float a: a -> a",
     .eval = each<[](double x) { return std::log(x); }>, .domain = {0.01, 8}, .ulps = 4,
     .lower = lower_each<loop::Op::log>},
    {.name = "sqrt", .doc = "square root; NaN below 0", .params = one, .scheme = "float a: a -> a",
     .eval = each<[](double x) { return std::sqrt(x); }>, .domain = {0.01, 8}, .ulps = 1,
     .lower = lower_each<loop::Op::sqrt>},
    {.name = "tanh", .doc = "hyperbolic tangent", .params = one, .scheme = "float a: a -> a",
     .eval = each<[](double x) { return std::tanh(x); }>, .domain = {-4, 4}, .ulps = 4,
     .lower = lower_each<loop::Op::tanh>},
    {.name = "not", .doc = "elementwise negation", .params = one, .scheme = "bool -> bool",
     .eval = each<[](int64_t x) { return int64_t(x == 0); }>,
     .lower = lower_each<loop::Op::logical_not>, .host = HostOp::logical_not},
    {.name = "cast", .doc = "x as another dtype; float to int goes toward zero and saturates, NaN gives 0; to bool is != 0",
     .params = cast_params, .scheme = "any a: a -> $to", .eval = cast_eval,
     .lower = lower_cast, .host = HostOp::cast},
};
} // namespace

std::span<const OpDef> unary_ops() { return rows; }
} // namespace nereus
