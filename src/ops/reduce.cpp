// ops/reduce.cpp - one number for many along some axes. No axes given: all of them; an empty list: none.
#include "ops/axes.h"
#include "ops/elements.h"
#include "ops/families.h"
#include "ops/lowers.h"
#include "ops/shape_rules.h"
#include <algorithm>

namespace nereus {
namespace {
// Folds x into a tensor of shape `kept`, whose sizes are x's or 1. Accumulates wide and rounds once.
template <auto start, auto step> Result<HostTensor> fold(const HostTensor& x, Extents kept) {
    HostTensor y = TRY(HostTensor::make(x.dtype(), std::move(kept)));
    IndexMap into = IndexMap::broadcast(y.shape(), x.shape());
    return with_number(x.dtype(), [&](auto zero) -> Result<HostTensor> {
        using T = decltype(zero);
        std::vector<WideOf<T>> sums(size_t(y.count()), start(T()));
        std::span<const T> in = x.data<T>();
        for (int64_t i = 0; i < x.count(); ++i) {
            WideOf<T>& sum = sums[size_t(into(i))];
            sum = step(sum, WideOf<T>(in[size_t(i)]));
        }
        std::span<T> out = TRY(y.mutable_data<T>());
        for (size_t i = 0; i < sums.size(); ++i) out[i] = T(sums[i]);
        return std::move(y);
    });
}

struct Zero {
    template <class T> WideOf<T> operator()(T) const { return 0; }
};
struct One {
    template <class T> WideOf<T> operator()(T) const { return 1; }
};
struct Lowest {
    template <class T> WideOf<T> operator()(T) const {
        if constexpr (is_real<T>) return -std::numeric_limits<double>::infinity();
        else return std::numeric_limits<T>::lowest();
    }
};
struct Highest {
    template <class T> WideOf<T> operator()(T) const {
        if constexpr (is_real<T>) return std::numeric_limits<double>::infinity();
        else return std::numeric_limits<T>::max();
    }
};
struct Plus {
    template <class W> W operator()(W a, W b) const { return add_up(a, b); }
};
struct Larger {
    template <class W> W operator()(W a, W b) const { return larger(a, b); }
};

struct Smaller {
    template <class W> W operator()(W a, W b) const { return smaller(a, b); }
};
struct Times {
    template <class W> W operator()(W a, W b) const { return multiply(a, b); }
};

template <auto start, auto step> Result<Tensors> reduce_eval(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    std::vector<bool> reduced(size_t(x.rank()), !args.present[1]);
    if (args.present[1])
        for (int64_t axis : TRY(checked_axes(args.sizes[1], x.rank()))) reduced[size_t(axis)] = true;
    Extents kept = x.shape(), result;
    for (size_t i = 0; i < kept.size(); ++i) {
        if (reduced[i]) kept[i] = 1;
        if (!reduced[i] || args.boolean("keepdims")) result.push_back(kept[i]);
    }
    HostTensor y = TRY(fold<start, step>(x, std::move(kept)));
    return Tensors{TRY(y.reshaped(std::move(result)))};
}

// The place of what `step` chooses among the elements of each line along the axis.
template <auto step> Result<Tensors> place_eval(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    const int64_t axis = TRY(checked_axis(args.integer("axis"), x.rank()));
    const Sides sides = sides_of(x.shape(), axis);
    if (sides.size == 0) return Error{Code::shape, no_element};
    Extents shape = x.shape();
    if (args.boolean("keepdims")) shape[size_t(axis)] = 1;
    else shape.erase(shape.begin() + axis);
    HostTensor y = TRY(HostTensor::make(DType::i64, shape));
    std::span<int64_t> places = TRY(y.mutable_data<int64_t>());
    const bool last = args.boolean("select_last_index");
    return with_number(x.dtype(), [&](auto zero) -> Result<Tensors> {
        using T = decltype(zero);
        std::span<const T> in = x.data<T>();
        for (int64_t line = 0; line < sides.before * sides.after; ++line) {
            auto at = [&](int64_t i) { return WideOf<T>(in[size_t((line / sides.after * sides.size + i) * sides.after + line % sides.after)]); };
            WideOf<T> chosen = at(0);
            for (int64_t i = 1; i < sides.size; ++i) chosen = step(chosen, at(i));
            auto is_chosen = [&](int64_t i) { return at(i) == chosen || is_nan(at(i)); };
            int64_t place = last ? sides.size - 1 : 0;
            while (!is_chosen(place)) place += last ? -1 : 1;
            places[size_t(line)] = place;
        }
        return Tensors{std::move(y)};
    });
}

Result<Tensors> sum_to_eval(const EvalArgs& args) {
    const HostTensor& x = args.tensor(0);
    const std::vector<int64_t>& to = args.sizes[1];
    if (int64_t(to.size()) > x.rank())
        return Error{Code::shape, "rank " + std::to_string(x.rank()) + " does not sum to rank " + std::to_string(to.size())};
    const std::span<const int64_t> last = std::span(x.shape()).last(to.size());
    for (size_t i = 0; i < to.size(); ++i)
        if (to[i] != 1 && to[i] != last[i])
            return Error{Code::shape, "size " + std::to_string(last[i]) + " does not sum to " + std::to_string(to[i])};
    return Tensors{TRY(fold<Zero{}, Plus{}>(x, to))};
}

constexpr OpParam reduce_params[] = {
    {"x"}, {"axes", ParamKind::sizes, true}, {"keepdims", ParamKind::boolean, true, false}};
constexpr OpParam place_params[] = {
    {"x"}, {"axis", ParamKind::integer, true, -1}, {"keepdims", ParamKind::boolean, true, false}, {"select_last_index", ParamKind::boolean, true, false}};
constexpr std::string_view no_places = "gives indices";
constexpr OpParam sum_to_params[] = {{"x"}, {"shape", ParamKind::sizes}};

constexpr OpDef rows[] = {
    {.name = "sum", .doc = "sum along axes; 0 when empty", .params = reduce_params, .scheme = "num a: a -> a",
     .eval = reduce_eval<Zero{}, Plus{}>, .ulps = sum_bound,
     .lower = lower_fold},
    {.name = "prod", .doc = "product along axes; 1 when empty", .params = reduce_params, .scheme = "num a: a -> a",
     .eval = reduce_eval<One{}, Times{}>, .domain = {0.5, 1.5}, .ulps = sum_bound,
     .lower = lower_fold},
    {.name = "max", .doc = "largest along axes, of bools whether any is true; -inf or the lowest integer when empty, NaN if any is",
     .params = reduce_params, .scheme = "basic a: a -> a", .eval = reduce_eval<Lowest{}, Larger{}>,
     .lower = lower_fold},
    {.name = "min", .doc = "smallest along axes, of bools whether all are true; inf or the highest integer when empty, NaN if any is",
     .params = reduce_params, .scheme = "basic a: a -> a", .eval = reduce_eval<Highest{}, Smaller{}>,
     .lower = lower_fold},
    {.name = "argmax", .doc = "where along axis the largest is, the first of several or the last; a NaN counts as largest",
     .params = place_params, .scheme = "num a: a -> i64", .eval = place_eval<Larger{}>, .lower = lower_argmax, .no_grad = no_places},
    {.name = "argmin", .doc = "where along axis the smallest is, the first of several or the last; a NaN counts as smallest",
     .params = place_params, .scheme = "num a: a -> i64", .eval = place_eval<Smaller{}>, .lower = lower_argmin, .no_grad = no_places},
    {.name = "sum_to", .doc = "x summed down to a shape that broadcasts to x's: the adjoint of broadcast_to",
     .params = sum_to_params, .scheme = "num a: a -> a", .eval = sum_to_eval, .ulps = sum_bound,
     .lower = lower_sum_to},
};
} // namespace

std::span<const OpDef> reduce_ops() { return rows; }
} // namespace nereus
