// ops/fractions.h - sizes that go through floats: Shape, Cast, Mul by 1.5, Floor, Cast. Of small f32 and f64 tensors the value
// map knows the numbers as multiples of 2^-40, rounded as the dtype rounds (dim/rounded.h), so that what comes out is a dim.
// Only the rules of operators that `knows_fractions` names see them; a value keeps them within its function.
#pragma once
#include "ir/shape_rule.h"

namespace nereus {
constexpr int fraction_bits = 40;
bool knows_fractions(const OpDef& op);
bool has_fractions(DType dtype);                         // f32, f64
// A number as so many 2^-40, or invalid: it is no multiple of that, or too large.
Dim fraction(Dims& dims, double number);
Dim fraction_of_integer(Dims& dims, Dim integer, DType as);          // as a cast to `as` gives it
Dim integer_of_fraction(ShapeScope& scope, Dim fraction);            // toward zero; invalid: not known
Dim fraction_as(Dims& dims, Dim fraction, DType as);                 // rounded to another dtype

// Sums, products and the like, each rounded once; invalid: not known.
Dim fractions_plus(ShapeScope& scope, Dim a, Dim b, DType dtype);
Dim fractions_minus(ShapeScope& scope, Dim a, Dim b, DType dtype);
Dim fractions_times(ShapeScope& scope, Dim a, Dim b, DType dtype);
Dim fractions_over(ShapeScope& scope, Dim a, Dim b, DType dtype);    // by powers of two
Dim fraction_floor(Dims& dims, Dim a);
Dim fraction_ceil(Dims& dims, Dim a);
} // namespace nereus
