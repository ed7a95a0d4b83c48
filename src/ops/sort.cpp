// ops/sort.cpp - order along an axis. NaN counts as larger than everything, as in NumPy.
#include "ops/axes.h"
#include "ops/elements.h"
#include "ops/families.h"
#include "ops/lowers.h"
#include <algorithm>
#include <numeric>

namespace nereus {
namespace {
template <class T> bool above(T a, T b) {
    const WideOf<T> x = a, y = b;
    return is_nan(x) || is_nan(y) ? is_nan(x) && !is_nan(y) : x > y;
}

Result<Tensors> topk_eval(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    int64_t k = args.sizes[1][0], axis = TRY(checked_axis(args.integer("axis"), x.rank()));
    Sides sides = sides_of(x.shape(), axis);
    if (k < 0) return Error{Code::value, "k=" + std::to_string(k) + " is negative"};
    if (k > sides.size)
        return Error{Code::value, "k=" + std::to_string(k) + " is out of range for axis " + std::to_string(axis) +
                                      " of size " + std::to_string(sides.size)};
    Extents shape = x.shape();
    shape[size_t(axis)] = k;
    HostTensor values = TRY(HostTensor::make(x.dtype(), shape)), indices = TRY(HostTensor::make(DType::i64, shape));
    return with_number(x.dtype(), [&](auto zero) -> Result<Tensors> {
        using T = decltype(zero);
        std::span<const T> in = x.data<T>();
        std::span<T> chosen = TRY(values.mutable_data<T>());
        std::span<int64_t> places = TRY(indices.mutable_data<int64_t>());
        std::vector<int64_t> order(static_cast<size_t>(sides.size));
        for (int64_t line = 0; line < sides.before * sides.after; ++line) {
            int64_t before = line / sides.after, after = line % sides.after;
            auto at = [&](int64_t i) { return in[size_t((before * sides.size + i) * sides.after + after)]; };
            std::iota(order.begin(), order.end(), 0);
            std::ranges::sort(order, [&](int64_t i, int64_t j) {     // ties to the lower index
                return above(at(i), at(j)) || (!above(at(j), at(i)) && i < j);
            });
            for (int64_t i = 0; i < k; ++i) {
                size_t to = size_t((before * k + i) * sides.after + after);
                chosen[to] = at(order[size_t(i)]), places[to] = order[size_t(i)];
            }
        }
        return Tensors{std::move(values), std::move(indices)};
    });
}

constexpr OpParam topk_params[] = {{"x"}, {"k", ParamKind::size}, {"axis", ParamKind::integer, true, -1}};

constexpr OpDef rows[] = {
    {.name = "topk", .doc = "the k largest along axis, descending, and their indices; ties to the lower index",
     .params = topk_params, .scheme = "num a: a -> (a, i64)", .eval = topk_eval,
     .lower = lower_topk},
};
} // namespace

std::span<const OpDef> sort_ops() { return rows; }
} // namespace nereus
