#include "ops/fractions.h"
#include <algorithm>
#include <cmath>

namespace nereus {
namespace {
constexpr int64_t unit = int64_t(1) << fraction_bits;

// Coefficients times `by`, divided by `over`, if all of them stay whole and small enough to go on computing with.
Dim scaled(Dims& dims, Dim d, __int128 by, __int128 over) {
    Polynomial terms = dims.polynomial(d);
    for (Term& t : terms) {
        const __int128 product = t.coefficient * by, limit = __int128(1) << 60;
        if (product % over || product / over >= limit || product / over <= -limit) return {};
        t.coefficient = int64_t(product / over);
    }
    return dims.from_terms(std::move(terms));
}
} // namespace

bool knows_fractions(const OpDef& op) {
    static constexpr std::string_view names[] = {"cast", "add", "sub", "mul", "div", "floor_div", "neg", "floor", "ceil", "maximum", "minimum",
                                                 "gather", "slice", "reshape", "select", "eq", "ne", "lt", "le", "gt", "ge"};
    return std::find(std::begin(names), std::end(names), op.name) != std::end(names);
}
bool has_fractions(DType dtype) { return dtype == DType::f32 || dtype == DType::f64; }

Dim fraction(Dims& dims, double number) {
    const double units = std::ldexp(number, fraction_bits);
    return std::trunc(units) == units && std::fabs(units) < std::ldexp(1.0, 60) ? dims.constant(int64_t(units)) : Dim();
}

Dim fraction_as(Dims& dims, Dim fraction, DType as) { return dims.rounded(fraction, precision(as)); }

Dim fraction_of_integer(Dims& dims, Dim integer, DType as) {
    const Dim units = scaled(dims, integer, unit, 1);
    return units.valid() ? fraction_as(dims, units, as) : Dim();
}

Dim integer_of_fraction(ShapeScope& scope, Dim fraction) {
    Dims& dims = scope.dims();
    if (Dim whole = scaled(dims, fraction, 1, unit); whole.valid()) return whole;
    if (scope.facts().less_equal(dims.constant(0), fraction) != Answer::yes) return {};
    return dims.floor_div(fraction, dims.constant(unit));
}

Dim fractions_plus(ShapeScope& scope, Dim a, Dim b, DType dtype) { return fraction_as(scope.dims(), scope.dims().add(a, b), dtype); }
Dim fractions_minus(ShapeScope& scope, Dim a, Dim b, DType dtype) { return fraction_as(scope.dims(), scope.dims().sub(a, b), dtype); }
Dim fractions_times(ShapeScope& scope, Dim a, Dim b, DType dtype) {
    Dims& dims = scope.dims();
    if (dims.constant_value(a)) std::swap(a, b);
    Dim product;
    if (std::optional<int64_t> by = dims.constant_value(b)) product = scaled(dims, a, *by, unit);
    else if (Dim whole = scaled(dims, a, 1, unit); whole.valid()) product = dims.mul(whole, b);
    else if (Dim other = scaled(dims, b, 1, unit); other.valid()) product = dims.mul(a, other);
    return product.valid() ? fraction_as(dims, product, dtype) : Dim();
}
Dim fractions_over(ShapeScope& scope, Dim a, Dim b, DType dtype) {
    std::optional<int64_t> by = scope.dims().constant_value(b);
    if (!by || *by <= 0 || (*by & (*by - 1))) return {};
    const Dim quotient = scaled(scope.dims(), a, unit, *by);
    return quotient.valid() ? fraction_as(scope.dims(), quotient, dtype) : Dim();
}

Dim fraction_floor(Dims& dims, Dim a) {
    const Dim units = scaled(dims, dims.floor_div(a, dims.constant(unit)), unit, 1);
    return units;
}
Dim fraction_ceil(Dims& dims, Dim a) {
    const Dim down = fraction_floor(dims, dims.scale(a, -1));
    return down.valid() ? dims.scale(down, -1) : Dim();
}
} // namespace nereus
