// ops/layout_shapes.cpp - shape rules of operators that move elements without choosing any, and of tensors made from sizes.
#include "ops/axes.h"
#include "ops/shape_rules.h"

namespace nereus {
namespace {
Shaped one(ShapedTensor t) {
    Shaped out;
    out.push_back(std::move(t));
    return out;
}

// total / by where every term of the total is a multiple of the one term of `by`.
std::optional<Dim> quotient(Dims& dims, Dim total, Dim by) {
    const Polynomial divisor = dims.polynomial(by);
    if (divisor.size() != 1) return total == by ? std::optional(dims.constant(1)) : std::nullopt;
    Polynomial out;
    for (const Term& term : dims.polynomial(total)) {
        if (term.coefficient % divisor[0].coefficient != 0) return std::nullopt;
        Term part{term.coefficient / divisor[0].coefficient, {}};
        size_t used = 0;
        for (const Factor& factor : term.factors) {
            int32_t power = factor.power;
            for (const Factor& other : divisor[0].factors)
                if (other.atom == factor.atom) power -= other.power, ++used;
            if (power < 0) return std::nullopt;
            if (power > 0) part.factors.push_back({factor.atom, power});
        }
        if (used != divisor[0].factors.size()) return std::nullopt;
        out.push_back(std::move(part));
    }
    return dims.from_terms(std::move(out));
}

// The size written -1: total // others, exact where that can be seen, checked where not.
Result<Dim> inferred_size(ShapeScope& scope, Dim total, Dim others) {
    Dims& dims = scope.dims();
    TRY(scope.require(others, Relation::not_equal, dims.constant(0), "the sizes beside -1 make {0}"));
    if (std::optional<Dim> exact = quotient(dims, scope.facts().normalise(total), scope.facts().normalise(others))) return *exact;
    Dim size = dims.floor_div(total, others);
    TRY(scope.require(total, Relation::equal, dims.mul(size, others), "elements to share among the sizes beside -1"));
    return size;
}

Result<Shaped> reshape(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor& x = args.tensor(0);
    Dims& dims = scope.dims();
    ShapedTensor y{.dtype = x.dtype};
    if (!args.sizes_known[1]) {
        y.shape = scope.unknown_shape();
        return one(std::move(y));
    }
    y.shape.dims = args.sizes[1];
    Dim* inferred = nullptr;
    Dim others = dims.constant(1);
    for (Dim& size : y.shape.dims) {
        if (dims.constant_value(size) == -1) {
            if (inferred) return scope.error("only one size can be inferred, found two -1");
            inferred = &size;
            continue;
        }
        // a size that is computed keeps its name and cannot turn out to be another
        TRY(scope.require(dims.constant(0), Relation::less_equal, size, "size {1} is negative; only a written -1 is inferred"));
        others = dims.mul(others, size);
    }
    if (!x.ranked()) {
        if (inferred) *inferred = scope.late("n", {});
        return one(std::move(y));
    }
    Dim total = element_count(dims, x.shape);
    if (inferred) *inferred = TRY(inferred_size(scope, total, others));
    else TRY(scope.require(total, Relation::equal, others, "elements before and after"));
    y.low = x.low, y.high = x.high;
    if (!x.known.numbers.empty() && dims.constant_value(element_count(dims, y.shape)) == int64_t(x.known.numbers.size()))
        y.known = known_parts(dims, x.dtype, x.known.numbers, y.rank());
    if (x.known.kind == Known::Kind::condition && y.rank() == 0) y.known = x.known;
    return one(std::move(y));
}

Result<Shaped> broadcast_to(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor& x = args.tensor(0);
    Dims& dims = scope.dims();
    ShapedTensor y{.dtype = x.dtype};
    y.shape.dims = args.sizes[1];
    if (!args.sizes_known[1]) y.shape = scope.unknown_shape();
    TRY(require_natural(scope, args.sizes[1]));
    if (x.ranked() && y.ranked()) {
        y.low = x.low, y.high = x.high;
        if (x.rank() > y.rank())
            return scope.error("rank " + std::to_string(x.rank()) + " does not broadcast to rank " + std::to_string(y.rank()));
        for (size_t i = 0; i < x.rank(); ++i) {
            Dim from = x.shape.dims[i], to = y.shape.dims[y.rank() - x.rank() + i];
            if (from == dims.constant(1) || scope.facts().equal(from, to) == Answer::yes) continue;
            Dim pair[] = {from, to};                     // 1 repeats, and nothing else does
            TRY(scope.require(from, Relation::compatible, to, misfit_to_broadcast));
            if (scope.facts().broadcast(from, to) != to) TRY(scope.require(dims.bcast(pair), Relation::equal, to, misfit_to_broadcast));
        }
        if (y.rank() <= 1 && x.rank() == 0 && !x.known.numbers.empty()) {
            std::optional<int64_t> count = dims.constant_value(element_count(dims, y.shape));
            if (count && *count >= 0 && *count <= 16) y.known = known_elements(std::vector<Dim>(size_t(*count), x.known.numbers[0]), y.rank());
        } else if (x.shape == y.shape) {
            y.known = x.known;
        }
    }
    return one(std::move(y));
}

Result<Shaped> transpose(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor& x = args.tensor(0);
    ShapedTensor y{.dtype = x.dtype};
    std::vector<int64_t> perm = args.integers("perm").value_or(std::vector<int64_t>());
    if (x.ranked()) perm = whole_permutation(perm, int64_t(x.rank()));
    if (x.ranked() && perm.size() != x.rank())
        return scope.error("perm has " + std::to_string(perm.size()) + " axes, the tensor " + std::to_string(x.rank()));
    if (x.ranked()) y.low = x.low, y.high = x.high;
    else y.shape = scope.unknown_shape();
    std::vector<bool> used(perm.size(), false);
    for (size_t i = 0; x.ranked() && i < perm.size(); ++i) {
        size_t from = size_t(TRY(shape_axis(scope, perm[i], x.rank())));
        if (used[from]) return scope.error("perm names axis " + std::to_string(from) + " twice");
        used[from] = true;
        y.shape.dims.push_back(x.shape.dims[from]);
    }
    if (y.rank() <= 1) y.known = x.known;
    return one(std::move(y));
}

Result<Shaped> concat(const ShapeArgs& args, ShapeScope& scope) {
    const std::vector<ShapedTensor>& xs = args.tensors[0];
    if (xs.empty()) return scope.error("nothing to concatenate");
    ShapedTensor y{.dtype = xs[0].dtype};
    for (const ShapedTensor& x : xs) {
        if (x.ranked()) TRY(shape_axis(scope, args.integer("axis", 0), x.rank()));
        else y.shape = scope.unknown_shape();
    }
    if (!y.shape.ranked) return one(std::move(y));
    y.shape = xs[0].shape;
    size_t axis = size_t(TRY(shape_axis(scope, args.integer("axis", 0), xs[0].rank())));
    if (args.is_seq[0]) {                                // as many as there are, of any length
        y.shape.dims[axis] = scope.late("n", {});
        return one(std::move(y));
    }
    std::vector<Dim> numbers = xs[0].known.numbers;
    bool known = xs[0].rank() == 1;
    for (size_t i = 0; i < xs.size(); ++i) {
        if (xs[i].rank() != xs[0].rank())
            return scope.error("ranks " + std::to_string(xs[0].rank()) + " and " + std::to_string(xs[i].rank()) + " differ");
        known = known && xs[i].known.kind == Known::Kind::list;
        for (size_t j = 0; i > 0 && j < xs[i].rank(); ++j) {
            if (j == axis) y.shape.dims[j] = scope.dims().add(y.shape.dims[j], xs[i].shape.dims[j]);
            else TRY(scope.require(xs[0].shape.dims[j], Relation::equal, xs[i].shape.dims[j], "axis " + std::to_string(j)));
        }
        if (i > 0) numbers.insert(numbers.end(), xs[i].known.numbers.begin(), xs[i].known.numbers.end());
    }
    if (known && is_integer(y.dtype)) y.known = known_elements(std::move(numbers), 1);
    return one(std::move(y));
}

Result<Shaped> split(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor& x = args.tensor(0);
    if (!args.sizes_known[1]) return scope.error("the number of parts is not known");
    TRY(require_natural(scope, args.sizes[1]));
    Dim total = scope.dims().constant(0);
    for (Dim size : args.sizes[1]) total = scope.dims().add(total, size);
    size_t axis = 0;
    if (x.ranked()) {
        axis = size_t(TRY(shape_axis(scope, args.integer("axis", 0), x.rank())));
        TRY(scope.require(total, Relation::equal, x.shape.dims[axis], "the sum of the sizes"));
    }
    Shaped out;
    const std::vector<Dim>& numbers = x.known.numbers;
    size_t at = 0;                                       // among known elements
    bool known = x.known.kind == Known::Kind::list;
    for (Dim size : args.sizes[1]) {
        ShapedTensor part{.dtype = x.dtype, .shape = x.ranked() ? x.shape : scope.unknown_shape()};
        if (x.ranked()) part.shape.dims[axis] = size, part.low = x.low, part.high = x.high;
        const std::optional<int64_t> count = scope.dims().constant_value(size);
        known = known && count && *count >= 0 && uint64_t(*count) <= numbers.size() - at;
        if (known && *count > 0) part.known = known_elements({numbers.begin() + ptrdiff_t(at), numbers.begin() + ptrdiff_t(at) + *count}, 1);
        if (known) at += size_t(*count);
        out.push_back(std::move(part));
    }
    return out;
}

Result<Shaped> shape_of(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor& x = args.tensor(0);
    ShapedTensor y{.dtype = DType::i64, .low = scope.dims().constant(0)};
    if (x.ranked()) {
        y.shape.dims = {scope.dims().constant(int64_t(x.rank()))};
        y.known = known_elements(x.shape.dims, 1);
    } else {
        y.shape.dims = {scope.late("rank", {})};
    }
    return one(std::move(y));
}

Result<Shaped> iota(const ShapeArgs& args, ShapeScope& scope) {
    Dim n = args.sizes[0][0];
    TRY(require_natural(scope, {&n, 1}));
    ShapedTensor y{.dtype = DType::i64, .low = scope.dims().constant(0), .high = n};
    y.shape.dims = {n};
    if (std::optional<int64_t> count = scope.dims().constant_value(n); count && *count <= 16) {
        std::vector<Dim> numbers;
        for (int64_t i = 0; i < *count; ++i) numbers.push_back(scope.dims().constant(i));
        y.known = known_elements(std::move(numbers), 1);
    }
    return one(std::move(y));
}

// A tensor of the given sizes; its elements are all the number `v`, if there is one.
Result<ShapedTensor> of_sizes(const ShapeArgs& args, ShapeScope& scope, size_t param, DType dtype) {
    ShapedTensor y{.dtype = dtype};
    y.shape.dims = args.sizes[param];
    if (!args.sizes_known[param]) y.shape = scope.unknown_shape();
    TRY(require_natural(scope, args.sizes[param]));
    return y;
}

Result<Shaped> full(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor& v = args.tensor(1);
    ShapedTensor y = TRY(of_sizes(args, scope, 0, v.dtype));
    std::optional<int64_t> count = y.ranked() ? scope.dims().constant_value(element_count(scope.dims(), y.shape)) : std::nullopt;
    if (y.rank() <= 1 && count && *count >= 0 && *count <= 16 && !v.known.numbers.empty())
        y.known = known_elements(std::vector<Dim>(size_t(*count), v.known.numbers[0]), y.rank());
    if (y.ranked()) y.low = v.low, y.high = v.high;
    return one(std::move(y));
}

Result<Shaped> random(const ShapeArgs& args, ShapeScope& scope) {
    const DType dtype = args.dtype("dtype").value_or(DType::f32);
    if (is_text(dtype)) return scope.error("texts are not drawn at random");
    if (is_storage(dtype)) return scope.error(std::string(dtype_name(dtype)) + " is only stored; draw another dtype and cast it");
    return one(TRY(of_sizes(args, scope, 2, dtype)));
}

constexpr NamedRule rows[] = {
    {"reshape", reshape}, {"broadcast_to", broadcast_to}, {"transpose", transpose}, {"concat", concat}, {"split", split},
    {"shape_of", shape_of}, {"iota", iota}, {"full", full, "v"},
    {"random", random},
};
} // namespace

std::span<const NamedRule> layout_shapes() { return rows; }
} // namespace nereus
