// ops/compare.cpp - elementwise comparison, bool logic and selection; operands broadcast to one shape.
#include "ops/axes.h"
#include "ops/elements.h"
#include "ops/families.h"
#include "ops/lowers.h"
#include "ops/shape_rules.h"
#include <functional>

namespace nereus {
namespace {
// Comparisons with NaN are false, except ne.
template <auto f> Result<Tensors> truth(const EvalArgs& args) {
    const HostTensor &a = args.tensor(0), &b = args.tensor(1);
    HostTensor y = TRY(HostTensor::make(DType::boolean, TRY(broadcast_shapes(a.shape(), b.shape()))));
    IndexMap in_a = IndexMap::broadcast(a.shape(), y.shape()), in_b = IndexMap::broadcast(b.shape(), y.shape());
    return with_type(a.dtype(), [&](auto zero) -> Result<Tensors> {
        using T = decltype(zero);
        std::span<const T> left = a.data<T>(), right = b.data<T>();
        std::span<bool> out = TRY(y.mutable_data<bool>());
        for (int64_t i = 0; i < y.count(); ++i) out[size_t(i)] = f(WideOf<T>(left[size_t(in_a(i))]), WideOf<T>(right[size_t(in_b(i))]));
        return Tensors{std::move(y)};
    });
}

template <auto f> Result<Tensors> truth_of_one(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    HostTensor y = TRY(HostTensor::make(DType::boolean, x.shape()));
    std::span<bool> out = TRY(y.mutable_data<bool>());
    for (int64_t i = 0; i < x.count(); ++i) out[size_t(i)] = f(x.as_f64(i));
    return Tensors{std::move(y)};
}
Status lower_isnan(OpLowering& l) {
    return lower_map(l, "isnan", [](loop::Builder& b, std::span<const loop::ExprId> x, DType) { return b.apply(loop::Op::ne, x[0], x[0]); });
}
Status lower_isinf(OpLowering& l) {
    return lower_map(l, "isinf", [](loop::Builder& b, std::span<const loop::ExprId> x, DType) {
        return b.apply(loop::Op::eq, b.apply(loop::Op::abs, x[0]), b.number(b.dtype_of(x[0]), INFINITY));
    });
}

Result<Tensors> select_eval(const EvalArgs& args) {
    const HostTensor &c = args.tensor(0), &a = args.tensor(1), &b = args.tensor(2);
    Extents arms = TRY(broadcast_shapes(a.shape(), b.shape()));
    HostTensor y = TRY(HostTensor::make(a.dtype(), TRY(broadcast_shapes(c.shape(), arms))));
    IndexMap in_c = IndexMap::broadcast(c.shape(), y.shape()), in_a = IndexMap::broadcast(a.shape(), y.shape()),
             in_b = IndexMap::broadcast(b.shape(), y.shape());
    std::span<const bool> chosen = c.data<bool>();
    return with_type(a.dtype(), [&](auto zero) -> Result<Tensors> {
        using T = decltype(zero);
        std::span<const T> yes = a.data<T>(), no = b.data<T>();
        std::span<T> out = TRY(y.mutable_data<T>());
        for (int64_t i = 0; i < y.count(); ++i)
            out[size_t(i)] = chosen[size_t(in_c(i))] ? yes[size_t(in_a(i))] : no[size_t(in_b(i))];
        return Tensors{std::move(y)};
    });
}

constexpr OpParam one[] = {{"x"}};
constexpr OpParam two[] = {{"a"}, {"b"}};
constexpr OpParam select_params[] = {{"c"}, {"a"}, {"b"}};

constexpr std::string_view no_grad = "gives bools";

constexpr OpDef rows[] = {
    {.name = "eq", .doc = "a == b", .params = two, .scheme = "equal a: a, a -> bool", .eval = truth<std::equal_to<>{}>,
     .lower = lower_each<loop::Op::eq>, .host = HostOp::eq},
    {.name = "ne", .doc = "a != b", .params = two, .scheme = "equal a: a, a -> bool", .eval = truth<std::not_equal_to<>{}>,
     .lower = lower_each<loop::Op::ne>, .host = HostOp::ne},
    {.name = "lt", .doc = "a < b", .params = two, .scheme = "num a: a, a -> bool", .eval = truth<std::less<>{}>,
     .lower = lower_each<loop::Op::lt>, .host = HostOp::lt},
    {.name = "le", .doc = "a <= b", .params = two, .scheme = "num a: a, a -> bool", .eval = truth<std::less_equal<>{}>,
     .lower = lower_each<loop::Op::le>, .host = HostOp::le},
    {.name = "gt", .doc = "a > b", .params = two, .scheme = "num a: a, a -> bool", .eval = truth<std::greater<>{}>,
     .lower = lower_each<loop::Op::gt>, .host = HostOp::gt},
    {.name = "ge", .doc = "a >= b", .params = two, .scheme = "num a: a, a -> bool", .eval = truth<std::greater_equal<>{}>,
     .lower = lower_each<loop::Op::ge>, .host = HostOp::ge},
    {.name = "and", .doc = "both; evaluates both", .params = two, .scheme = "bool, bool -> bool", .eval = truth<std::logical_and<>{}>,
     .lower = lower_each<loop::Op::logical_and>, .host = HostOp::logical_and},
    {.name = "or", .doc = "at least one; evaluates both", .params = two, .scheme = "bool, bool -> bool", .eval = truth<std::logical_or<>{}>,
     .lower = lower_each<loop::Op::logical_or>, .host = HostOp::logical_or},
    {.name = "xor", .doc = "one but not both", .params = two, .scheme = "bool, bool -> bool", .eval = truth<std::not_equal_to<>{}>,
     .lower = lower_each<loop::Op::ne>, .host = HostOp::ne, .shapes = truth_shape, .no_grad = no_grad},
    {.name = "isnan", .doc = "whether x is NaN", .params = one, .scheme = "float a: a -> bool",
     .eval = truth_of_one<[](double x) { return x != x; }>, .lower = lower_isnan, .shapes = truth_shape, .no_grad = no_grad},
    {.name = "isinf", .doc = "whether x is inf or -inf", .params = one, .scheme = "float a: a -> bool",
     .eval = truth_of_one<[](double x) { return std::fabs(x) == INFINITY; }>, .lower = lower_isinf, .shapes = truth_shape, .no_grad = no_grad},
    {.name = "select", .doc = "a where c, else b; evaluates both", .params = select_params,
     .scheme = "any a: bool, a, a -> a", .eval = select_eval,
     .lower = lower_each<loop::Op::select>, .host = HostOp::select},
};
} // namespace

std::span<const OpDef> compare_ops() { return rows; }
} // namespace nereus
