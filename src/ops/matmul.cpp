// ops/matmul.cpp - products of matrices, by NumPy's rule: the last two axes are the matrix, the others a batch that
// broadcasts; a rank-1 operand is a row on the left, a column on the right, and its axis is gone from the result.
// Contracted sizes must be equal: 1 does not broadcast there. Integers of any width may be multiplied as if they were cast to i32.
#include "ops/axes.h"
#include "ops/elements.h"
#include "ops/families.h"
#include "ops/lowers.h"
#include <algorithm>

namespace nereus {
namespace {
Result<Tensors> product(const HostTensor& a, const HostTensor& b) {
    if (a.rank() == 0 || b.rank() == 0)
        return Error{Code::shape, "a tensor of rank 0 has no axis to contract"};
    Extents left = a.shape(), right = b.shape();
    if (a.rank() == 1) left.insert(left.begin(), 1);
    if (b.rank() == 1) right.push_back(1);
    int64_t rows = left.end()[-2], inner = left.end()[-1], columns = right.end()[-1];
    if (inner != right.end()[-2])
        return Error{Code::shape, "inner dims: found " + std::to_string(inner) + " and " + std::to_string(right.end()[-2])};
    left.resize(left.size() - 2), right.resize(right.size() - 2);
    Extents batch = TRY(broadcast_shapes(left, right)), shape = batch;
    if (a.rank() > 1) shape.push_back(rows);
    if (b.rank() > 1) shape.push_back(columns);
    HostTensor y = TRY(HostTensor::make(a.dtype(), std::move(shape)));
    IndexMap in_a = IndexMap::broadcast(left, batch), in_b = IndexMap::broadcast(right, batch);

    return with_number(a.dtype(), [&](auto zero) -> Result<Tensors> {
        using T = decltype(zero);
        std::span<T> out = TRY(y.mutable_data<T>());
        for (int64_t i = 0; i < y.count(); ++i) {
            int64_t column = i % columns, row = i / columns % rows, matrix = i / columns / rows;
            const T* from_a = a.data<T>().data() + in_a(matrix) * rows * inner + row * inner;
            const T* from_b = b.data<T>().data() + in_b(matrix) * inner * columns + column;
            WideOf<T> sum = 0;
            for (int64_t k = 0; k < inner; ++k) sum = add_up(sum, multiply(WideOf<T>(from_a[k]), WideOf<T>(from_b[k * columns])));
            out[size_t(i)] = T(sum);
        }
        return Tensors{std::move(y)};
    });
}

Result<Tensors> matmul_eval(const EvalArgs& args) { return product(args.tensor(0), args.tensor(1)); }

Result<HostTensor> as_i32(const HostTensor& x) {
    HostTensor y = TRY(HostTensor::make(DType::i32, x.shape()));
    std::span<int32_t> out = TRY(y.mutable_data<int32_t>());
    with_number(x.dtype(), [&](auto zero) {
        std::ranges::transform(x.data<decltype(zero)>(), out.begin(), [](auto element) { return int32_t(WideOf<decltype(zero)>(element)); });
    });
    return y;
}
Result<Tensors> matmul_i32_eval(const EvalArgs& args) { return product(TRY(as_i32(args.tensor(0))), TRY(as_i32(args.tensor(1)))); }

constexpr OpParam two[] = {{"a"}, {"b"}};

constexpr OpDef rows[] = {
    {.name = "matmul", .doc = "matrix product over the last axis of a and the last but one of b; batches broadcast",
     .params = two, .scheme = "num a: a, a -> a", .eval = matmul_eval, .ulps = sum_bound,
     .lower = lower_matmul},
    {.name = "matmul_i32", .doc = "matmul(cast(a, i32), cast(b, i32)) of integers, which are read as they lie: small ones stay small",
     .params = two, .scheme = "int a, int b: a, b -> i32", .eval = matmul_i32_eval,
     .lower = lower_matmul, .no_grad = "gives integers"},
};
} // namespace

std::span<const OpDef> matmul_ops() { return rows; }
} // namespace nereus
