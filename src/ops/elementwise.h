// ops/elementwise.h - evaluation of elementwise operators: f of each element, in what it is computed in.
#pragma once
#include "ops/axes.h"
#include "ops/elements.h"

namespace nereus {
template <auto f> Result<Tensors> each(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    HostTensor y = TRY(HostTensor::make(x.dtype(), x.shape()));
    return with_number(x.dtype(), [&](auto zero) -> Result<Tensors> {
        using T = decltype(zero);
        std::span<const T> in = x.data<T>();
        std::span<T> out = TRY(y.mutable_data<T>());
        for (size_t i = 0; i < in.size(); ++i) out[i] = T(f(WideOf<T>(in[i])));
        return Tensors{std::move(y)};
    });
}

// Of two tensors, which broadcast to one shape.
template <auto f, bool divides = false> Result<Tensors> each_pair(const EvalArgs& args) {
    const HostTensor &a = args.tensor(0), &b = args.tensor(1);
    HostTensor y = TRY(HostTensor::make(a.dtype(), TRY(broadcast_shapes(a.shape(), b.shape()))));
    IndexMap in_a = IndexMap::broadcast(a.shape(), y.shape()), in_b = IndexMap::broadcast(b.shape(), y.shape());
    return with_number(a.dtype(), [&](auto zero) -> Result<Tensors> {
        using T = decltype(zero);
        std::span<const T> left = a.data<T>(), right = b.data<T>();
        std::span<T> out = TRY(y.mutable_data<T>());
        for (int64_t i = 0; i < y.count(); ++i) {
            T divisor = right[size_t(in_b(i))];
            if (divides && std::is_integral_v<T> && divisor == 0)
                return Error{Code::value, "division by zero"};
            out[size_t(i)] = T(f(WideOf<T>(left[size_t(in_a(i))]), WideOf<T>(divisor)));
        }
        return Tensors{std::move(y)};
    });
}
} // namespace nereus
