// ops/fourier.cpp - the discrete Fourier transform of complex numbers, whose real and imaginary parts are the last axis, along the axis
// before it. It is linear, and its adjoint is the transform of the other direction: no direction is divided by the number of points.
#include "ops/elements.h"
#include "ops/families.h"
#include "ops/gradients.h"
#include "ops/lowers.h"
#include "ops/shape_rules.h"
#include <numbers>

namespace nereus {
namespace {
// Each frequency as the sum that defines it. Powers of the root of unity are made once, in more digits than a result has.
Result<Tensors> fft_eval(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    const Extents& shape = x.shape();
    if (shape.size() < 2) return Error{Code::shape, few_complex_axes(std::to_string(shape.size()))};
    if (shape.back() != 2) return Error{Code::shape, no_complex_parts(std::to_string(shape.back()))};
    const int64_t n = shape[shape.size() - 2], lines = n == 0 ? 0 : x.count() / (2 * n);
    const long double once_around = 2 * std::numbers::pi_v<long double> * (args.boolean("inverse") ? 1 : -1);
    struct Complex { long double re, im; };
    std::vector<Complex> powers;
    powers.reserve(size_t(n));
    for (int64_t k = 0; k < n; ++k) powers.push_back({std::cos(once_around * k / n), std::sin(once_around * k / n)});
    HostTensor out = TRY(HostTensor::make(x.dtype(), shape));
    return with_number(x.dtype(), [&](auto zero) -> Result<Tensors> {
        using T = decltype(zero);
        std::span<const T> from = x.data<T>();
        std::span<T> to = TRY(out.mutable_data<T>());
        for (int64_t at = 0; at < lines * n; ++at) {
            const int64_t line = at / n * n, frequency = at % n;
            Complex sum{0, 0};
            for (int64_t i = 0, turns = 0; i < n; ++i, turns = (turns + frequency) % n) {
                const Complex w = powers[size_t(turns)];
                const double re = double(from[size_t(2 * (line + i))]), im = double(from[size_t(2 * (line + i) + 1)]);
                sum.re += re * w.re - im * w.im, sum.im += re * w.im + im * w.re;
            }
            to[size_t(2 * at)] = T(double(sum.re)), to[size_t(2 * at + 1)] = T(double(sum.im));
        }
        return Tensors{std::move(out)};
    });
}

Result<Shaped> fft_shapes(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor& x = args.tensor(0);
    if (x.ranked()) {
        if (x.rank() < 2) return scope.error(few_complex_axes(std::to_string(x.rank())));
        TRY(scope.require(x.shape.dims.back(), Relation::equal, scope.dims().constant(2), no_complex_parts("{0}")));
    }
    Shaped out;
    out.push_back({.dtype = x.dtype, .shape = x.shape});
    return out;
}

void fft_grad(Gradient& d) { d.contribute(0, d.op("fft", {d.adjoint()}, {{"inverse", !d.boolean("inverse")}})); }

constexpr OpParam fft_params[] = {{"x"}, {"inverse", ParamKind::boolean, true}};

constexpr OpDef rows[] = {
    {.name = "fft", .doc = "discrete Fourier transform along the last axis but one; the last has real and imaginary part; inverse is not divided by the size",
     .params = fft_params, .scheme = "float a: a -> a", .eval = fft_eval, .ulps = sum_bound,
     .lower = lower_fft, .shapes = fft_shapes, .grad = fft_grad, .linear = true},
};
} // namespace

std::span<const OpDef> fourier_ops() { return rows; }
} // namespace nereus
