// ops/elementwise_shapes.cpp - shape rules of elementwise operators: arguments broadcast. On small integers and rank-0
// bools they also say what comes out: + - * hold modulo 2^bits as they stand; order, quotients and extrema only of numbers
// that cannot have wrapped.
#include "ops/fractions.h"
#include "ops/shape_rules.h"
#include <algorithm>

namespace nereus {
namespace {
Shaped one(ShapedTensor t) {
    Shaped out;
    out.push_back(std::move(t));
    return out;
}

Result<Shaped> unary(const ShapeArgs& args, ShapeScope&) {
    return one({.dtype = args.tensor(0).dtype, .shape = args.tensor(0).shape});
}

Result<Shaped> negated(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor& x = args.tensor(0);
    ShapedTensor y{.dtype = x.dtype, .shape = x.shape, .known = x.known};
    for (Dim& d : y.known.numbers) d = scope.dims().scale(d, -1);
    return one(std::move(y));
}

Result<Shaped> absolute(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor& x = args.tensor(0);
    ShapedTensor y{.dtype = x.dtype, .shape = x.shape};
    std::vector<Dim> numbers = x.known.numbers;
    const Dim zero = scope.dims().constant(0);
    bool known = !numbers.empty() && is_integer(x.dtype);
    for (Dim& d : numbers) {
        if (!known) break;
        const bool above = scope.facts().less_equal(zero, d) == Answer::yes;
        known = scope.exact(d, x.dtype) && (above || scope.facts().less_equal(d, zero) == Answer::yes);
        if (!above) d = scope.dims().scale(d, -1);
    }
    if (known) y.known = known_elements(std::move(numbers), x.rank());
    return one(std::move(y));
}

// The numbers of both sides in step; a scalar serves every element of a vector.
using Combine = Dim (*)(ShapeScope&, Dim, Dim, DType);
Known combined(ShapeScope& scope, const ShapedTensor& a, const ShapedTensor& b, Combine combine) {
    const std::vector<Dim>&left = a.known.numbers, &right = b.known.numbers;
    if (!combine || left.empty() || right.empty()) return {};
    if (left.size() != right.size() && left.size() != 1 && right.size() != 1) return {};
    std::vector<Dim> out;
    for (size_t i = 0; i < std::max(left.size(), right.size()); ++i)
        out.push_back(combine(scope, left[left.size() == 1 ? 0 : i], right[right.size() == 1 ? 0 : i], a.dtype));
    bool vector = a.known.kind == Known::Kind::list || b.known.kind == Known::Kind::list;
    return known_elements(std::move(out), vector ? 1 : 0);
}

// `fractions`: what it does to those of floats; null: nothing is known then.
template <Combine combine, Combine fractions = nullptr> Result<Shaped> binary(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor &a = args.tensor(0), &b = args.tensor(1);
    ShapedTensor y{.dtype = a.dtype, .shape = TRY(broadcast(scope, a.shape, b.shape))};
    y.known = combined(scope, a, b, is_float(a.dtype) ? fractions : combine);
    return one(std::move(y));
}

template <Dim (*each)(Dims&, Dim)> Result<Shaped> rounded_whole(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor& x = args.tensor(0);
    std::vector<Dim> numbers = x.known.numbers;
    for (Dim& d : numbers) d = each(scope.dims(), d);
    ShapedTensor y{.dtype = x.dtype, .shape = x.shape};
    if (!numbers.empty()) y.known = known_elements(std::move(numbers), x.rank());
    return one(std::move(y));
}

Dim plus(ShapeScope& s, Dim a, Dim b, DType) { return s.dims().add(a, b); }
Dim minus(ShapeScope& s, Dim a, Dim b, DType) { return s.dims().sub(a, b); }
Dim times(ShapeScope& s, Dim a, Dim b, DType) { return s.dims().mul(a, b); }
bool both_exact(ShapeScope& s, Dim a, Dim b, DType t) { return s.exact(a, t) && s.exact(b, t); }
Dim floored(ShapeScope& s, Dim a, Dim b, DType t) { return both_exact(s, a, b, t) ? s.dims().floor_div(a, b) : Dim(); }
Dim truncated(ShapeScope& s, Dim a, Dim b, DType t) {
    Dim zero = s.dims().constant(0);
    bool same = both_exact(s, a, b, t) && s.facts().less_equal(zero, a) == Answer::yes && s.facts().less(zero, b) == Answer::yes;
    return same ? s.dims().floor_div(a, b) : Dim();
}
Dim floored_fractions(ShapeScope& s, Dim a, Dim b, DType t) {
    const Dim quotient = fractions_over(s, a, b, t);
    return quotient.valid() ? fraction_floor(s.dims(), quotient) : Dim();
}
Dim remainder(ShapeScope& s, Dim a, Dim b, DType t) { return both_exact(s, a, b, t) ? s.dims().mod(a, b) : Dim(); }
Dim larger(ShapeScope& s, Dim a, Dim b, DType t) {
    Dim all[] = {a, b};
    return both_exact(s, a, b, t) ? s.dims().max(all) : Dim();
}
Dim smaller(ShapeScope& s, Dim a, Dim b, DType t) {
    Dim all[] = {a, b};
    return both_exact(s, a, b, t) ? s.dims().min(all) : Dim();
}

Dim larger_fraction(ShapeScope& s, Dim a, Dim b, DType) {
    Dim all[] = {a, b};
    return s.dims().max(all);
}
Dim smaller_fraction(ShapeScope& s, Dim a, Dim b, DType) {
    Dim all[] = {a, b};
    return s.dims().min(all);
}

Dim both_true(ShapeScope& s, Dim a, Dim b, DType) { return s.dims().mul(a, b); }                          // of truths
Dim either_true(ShapeScope& s, Dim a, Dim b, DType) { return s.dims().sub(s.dims().add(a, b), s.dims().mul(a, b)); }

// Of numbers, which polynomials are made of: one that cancels there has been tested all the same. What is surely 0
// is left to fail where it stands, perhaps never.
Status require_divisors(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor &a = args.tensor(0), &b = args.tensor(1);
    const bool numbers = a.ranked() && b.ranked() && a.rank() + b.rank() == 0;
    if (is_float(a.dtype) || (!numbers && a.known.numbers.empty())) return {};       // of no elements none is divided
    const Dim zero = scope.dims().constant(0);
    for (Dim d : b.known.numbers)
        if (scope.facts().equal(d, zero) != Answer::yes)
            TRY(scope.require(d, Relation::not_equal, zero, "division by zero{}"));
    return {};
}
template <ShapeRule rule> Result<Shaped> divided(const ShapeArgs& args, ShapeScope& scope) {
    TRY(require_divisors(args, scope));
    return rule(args, scope);
}

Result<Shaped> modulo(const ShapeArgs& args, ShapeScope& scope) {
    Shaped out = TRY(binary<remainder>(args, scope));
    Dim by = number_of(args.tensor(1));
    Dim zero = scope.dims().constant(0);
    if (by.valid() && scope.exact(by, args.tensor(1).dtype) && scope.facts().less(zero, by) == Answer::yes)
        out[0].low = zero, out[0].high = by;
    return out;
}

// Truths of a vector are known if each of them is decided: 1 or 0.
Dim truth(ShapeScope& s, Answer answer) { return answer == Answer::unknown ? Dim() : s.dims().constant(answer == Answer::yes); }
Answer opposite(Answer answer) { return answer == Answer::unknown ? answer : answer == Answer::yes ? Answer::no : Answer::yes; }
template <Relation relation> Dim decided(ShapeScope& s, Dim a, Dim b, DType t) {
    if (!both_exact(s, a, b, t)) return {};
    switch (relation) {
    case Relation::equal: return truth(s, s.facts().equal(a, b));
    case Relation::not_equal: return truth(s, opposite(s.facts().equal(a, b)));
    case Relation::less: return truth(s, s.facts().less(a, b));
    case Relation::less_equal: return truth(s, s.facts().less_equal(a, b));
    case Relation::greater: return truth(s, s.facts().less(b, a));
    case Relation::greater_equal: return truth(s, s.facts().less_equal(b, a));
    }
    return {};
}

template <Relation relation> Result<Shaped> compare(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor &a = args.tensor(0), &b = args.tensor(1);
    ShapedTensor y{.dtype = DType::boolean, .shape = TRY(broadcast(scope, a.shape, b.shape))};
    if (a.known.kind == Known::Kind::list || b.known.kind == Known::Kind::list) {
        y.known = combined(scope, a, b, is_float(a.dtype) ? nullptr : decided<relation>);
        return one(std::move(y));
    }
    Dim left = number_of(a), right = number_of(b);
    if (!left.valid() || !right.valid()) return one(std::move(y));
    const std::optional<int64_t> l = scope.dims().constant_value(left), r = scope.dims().constant_value(right);
    if (l && r && (is_float(a.dtype) || both_exact(scope, left, right, a.dtype))) {      // fractions are rounded already
        y.known.kind = Known::Kind::condition;
        y.known.condition.kind = holds(relation, *l, *r) ? Condition::Kind::always : Condition::Kind::never;
        return one(std::move(y));
    }
    if (!is_integer(a.dtype)) return one(std::move(y));
    y.known.kind = Known::Kind::condition;
    if (both_exact(scope, left, right, a.dtype)) {
        y.known.condition = {.kind = Condition::Kind::relation, .relation = relation, .left = left, .right = right};
        return one(std::move(y));
    }
    // Wrapped or not, numbers a constant apart are equal only if that constant is 0.
    std::optional<int64_t> apart = scope.dims().constant_value(scope.dims().sub(left, right));
    bool ring = relation == Relation::equal || relation == Relation::not_equal;
    if (ring && apart && (a.dtype == DType::i64 || *apart == 0))
        y.known.condition.kind = (*apart == 0) == (relation == Relation::equal) ? Condition::Kind::always : Condition::Kind::never;
    else y.known = {};
    return one(std::move(y));
}

Condition condition_of(const ShapedTensor& t) {
    return t.known.kind == Known::Kind::condition ? t.known.condition : Condition{};
}
ShapedTensor with_condition(ShapedTensor y, Condition c) {
    if (y.ranked() && y.rank() == 0 && c.kind != Condition::Kind::unknown)
        y.known = {.kind = Known::Kind::condition, .condition = std::move(c)};
    return y;
}
template <Condition (*combine)(Condition, Condition), Combine each> Result<Shaped> logic(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor &a = args.tensor(0), &b = args.tensor(1);
    ShapedTensor y{.dtype = DType::boolean, .shape = TRY(broadcast(scope, a.shape, b.shape))};
    if (a.known.kind == Known::Kind::list && b.known.kind == Known::Kind::list) {
        y.known = combined(scope, a, b, each);
        return one(std::move(y));
    }
    return one(with_condition(std::move(y), combine(condition_of(a), condition_of(b))));
}
Result<Shaped> logic_not(const ShapeArgs& args, ShapeScope& scope) {
    ShapedTensor y{.dtype = DType::boolean, .shape = args.tensor(0).shape};
    if (args.tensor(0).known.kind == Known::Kind::list) {
        y.known = args.tensor(0).known;
        for (Dim& d : y.known.numbers) d = scope.dims().sub(scope.dims().constant(1), d);
        return one(std::move(y));
    }
    return one(with_condition(std::move(y), negate(condition_of(args.tensor(0)))));
}

// Element by element of a vector, where the truths are decided; what is a number serves every element.
Known chosen(ShapeScope& scope, const ShapedTensor& c, const ShapedTensor& a, const ShapedTensor& b) {
    const std::vector<Dim>&left = a.known.numbers, &right = b.known.numbers;
    if (c.known.kind != Known::Kind::list || left.empty() || right.empty()) return {};
    const size_t count = c.known.numbers.size();
    for (const std::vector<Dim>* side : {&left, &right})
        if (side->size() != count && side->size() != 1) return {};
    std::vector<Dim> out;
    for (size_t i = 0; i < count; ++i) {
        const std::vector<Dim>& side = scope.dims().constant_value(c.known.numbers[i]) == 1 ? left : right;
        out.push_back(side[side.size() == 1 ? 0 : i]);
    }
    return known_elements(std::move(out), 1);
}

Result<Shaped> select(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor &c = args.tensor(0), &a = args.tensor(1), &b = args.tensor(2);
    Shape shape = TRY(broadcast(scope, a.shape, b.shape));
    ShapedTensor y{.dtype = a.dtype, .shape = TRY(broadcast(scope, c.shape, shape))};
    const bool alike = a.known == b.known && a.known.kind != Known::Kind::condition;
    if (alike && y.ranked() && y.rank() == a.rank()) y.known = a.known;
    const Answer decided = scope.ask(condition_of(c));
    if (decided == Answer::yes && y.shape == a.shape) y.known = a.known;
    if (decided == Answer::no && y.shape == b.shape) y.known = b.known;
    if (Known each = chosen(scope, c, a, b); each.kind != Known::Kind::none && y.ranked() && y.rank() == 1) y.known = std::move(each);
    if (y.ranked() && a.low == b.low && a.high == b.high) y.low = a.low, y.high = a.high;
    return one(std::move(y));
}

// Between integers and floats, or floats of two kinds.
Known cast_fractions(ShapeScope& scope, const ShapedTensor& x, DType to) {
    auto one_number = [&](Dim d) -> Dim {
        if (has_fractions(x.dtype) && has_fractions(to)) return fraction_as(scope.dims(), d, to);
        if (is_integer(x.dtype)) return scope.exact(d, x.dtype) ? fraction_of_integer(scope.dims(), d, to) : Dim();
        const Dim whole = is_integer(to) ? integer_of_fraction(scope, d) : Dim();
        return whole.valid() && scope.exact(whole, to) ? whole : Dim();
    };
    if (!(has_fractions(x.dtype) || is_integer(x.dtype)) || x.known.numbers.empty()) return {};
    std::vector<Dim> numbers = x.known.numbers;
    for (Dim& d : numbers) d = one_number(d);
    return known_elements(std::move(numbers), x.rank());
}

// A size is a size in an i32 as well, or it is an error: were it to wrap, nothing made with it would be known to fit.
// Of other numbers nothing is wanted. (docs/decisions/026-sizes-in-32-bits.md)
Status require_sizes_in(ShapeScope& scope, const ShapedTensor& x, DType to) {
    if (x.dtype != DType::i64 || (to != DType::i32 && to != DType::u32)) return {};
    Dims& dims = scope.dims();
    const Dim end = dims.constant(to == DType::i32 ? int64_t(1) << 31 : int64_t(1) << 32);
    for (Dim d : x.known.numbers) {
        const bool is_bounded = !dims.constant_value(d) && scope.exact(dims.scale(d, 2), x.dtype);   // no i64 of any value
        if (is_bounded && scope.facts().less_equal(dims.constant(0), d) == Answer::yes)
            TRY(scope.require(d, Relation::less, end, "size {0} is beyond " + std::string(dtype_name(to))));
    }
    return {};
}

Result<Shaped> cast(const ShapeArgs& args, ShapeScope& scope) {
    const ShapedTensor& x = args.tensor(0);
    DType to = args.dtype("to").value_or(x.dtype);
    if (const std::string* round = args.text("round"); round && !rounding_from_name(*round)) return scope.error(unknown_rounding(*round));
    ShapedTensor y{.dtype = to, .shape = x.shape};
    if (to == x.dtype) return one(x);
    if (is_integer(to) && is_integer(x.dtype)) {
        TRY(require_sizes_in(scope, x, to));
        bool keeps = !x.known.numbers.empty();
        for (Dim d : x.known.numbers) keeps = keeps && scope.exact(d, x.dtype) && scope.exact(d, to);
        if (keeps) y.known = x.known;
        // what does not fit wraps, and wrapped numbers keep to no bounds
        bool inside = x.low.valid() && x.high.valid() && scope.exact(x.low, to) && scope.exact(x.high, to);
        if (includes(to, x.dtype) || inside) y.low = x.low, y.high = x.high;
    }
    if (has_fractions(to) || has_fractions(x.dtype)) y.known = cast_fractions(scope, x, to);
    if (is_integer(to) && x.dtype == DType::boolean) y.known = x.known.kind == Known::Kind::list ? x.known : Known{};
    Dim number = number_of(x);
    if (to == DType::boolean && number.valid() && !is_float(x.dtype) && scope.exact(number, x.dtype))
        y = with_condition(std::move(y), {.kind = Condition::Kind::relation, .relation = Relation::not_equal, .left = number,
                                          .right = scope.dims().constant(0)});
    return one(std::move(y));
}

Result<Shaped> counted(const ShapeArgs& args, ShapeScope& scope) {
    Shaped out = TRY(broadcast_shape(args, scope));
    out[0].dtype = DType::i64, out[0].low = scope.dims().constant(0);
    return out;
}

constexpr NamedRule rows[] = {
    {"neg", negated},              {"abs", absolute},              {"exp", unary},                 {"log", unary},
    {"sqrt", unary},               {"tanh", unary},                {"cast", cast},                 {"str_count", counted},
    {"add", binary<plus, fractions_plus>}, {"sub", binary<minus, fractions_minus>}, {"mul", binary<times, fractions_times>},
    {"div", divided<binary<truncated, fractions_over>>}, {"floor_div", divided<binary<floored, floored_fractions>>},
    {"mod", divided<modulo>},      {"rem", divided<broadcast_shape>},
    {"maximum", binary<larger, larger_fraction>}, {"minimum", binary<smaller, smaller_fraction>}, {"select", select},
    {"floor", rounded_whole<fraction_floor>}, {"ceil", rounded_whole<fraction_ceil>},
    {"eq", compare<Relation::equal>}, {"ne", compare<Relation::not_equal>},
    {"lt", compare<Relation::less>},  {"le", compare<Relation::less_equal>},
    {"gt", compare<Relation::greater>}, {"ge", compare<Relation::greater_equal>},
    {"and", logic<both, both_true>}, {"or", logic<either, either_true>},          {"not", logic_not},
};
} // namespace

std::span<const NamedRule> elementwise_shapes() { return rows; }
bool is_elementwise(const OpDef& op) {
    return op.shapes == broadcast_shape || op.shapes == truth_shape || std::any_of(std::begin(rows), std::end(rows), [&](const NamedRule& row) { return row.op == op.name; });
}
} // namespace nereus
