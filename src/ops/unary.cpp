// ops/unary.cpp - elementwise functions of one tensor; the shape passes through unchanged.
#include "ops/elements.h"
#include "ops/families.h"
#include "ops/lowers.h"

namespace nereus {
namespace {
template <class From, class To> To converted(From x) {
    if constexpr (std::is_same_v<To, uint8_t>) return x != 0;
    else if constexpr (std::is_floating_point_v<From> && std::is_integral_v<To>) {
        if (std::isnan(x)) return 0;
        // the bounds of To as doubles: the upper one rounds up to the first value that does not fit, or fits exactly
        if (double(x) >= double(std::numeric_limits<To>::max())) return std::numeric_limits<To>::max();
        if (double(x) <= double(std::numeric_limits<To>::min())) return std::numeric_limits<To>::min();
        return To(x);
    } else return To(x);
}

Result<Tensors> cast_eval(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    HostTensor y = TRY(HostTensor::make(*args.dtype("to"), x.shape()));
    return with_type(x.dtype(), [&](auto from) {
        return with_type(y.dtype(), [&](auto to) -> Result<Tensors> {
            auto in = x.data<decltype(from)>();
            auto out = TRY(y.mutable_data<decltype(to)>());
            for (size_t i = 0; i < in.size(); ++i) out[i] = converted<decltype(from), decltype(to)>(in[i]);
            return Tensors{std::move(y)};
        });
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
     .eval = each<[](int64_t x) { return x == 0; }>,
     .lower = lower_each<loop::Op::logical_not>, .host = HostOp::logical_not},
    {.name = "cast", .doc = "x as another dtype; float to int goes toward zero and saturates, NaN gives 0; to bool is != 0",
     .params = cast_params, .scheme = "any a: a -> $to", .eval = cast_eval,
     .lower = lower_cast, .host = HostOp::cast},
};
} // namespace

std::span<const OpDef> unary_ops() { return rows; }
} // namespace nereus
