// dim/polynomial.h - arithmetic on plain polynomials, without a table; nullopt when a coefficient would overflow.
#pragma once
#include "dim/dims.h"

namespace nereus {
// Graded lexicographic: higher degree first, then the smaller atom. Compatible with multiplication, so division
// by a polynomial ends; and a constant always comes last.
bool precedes(const Monomial& a, const Monomial& b);

std::optional<Monomial> multiply(const Monomial& a, const Monomial& b);      // nullopt: a power over the limit
std::optional<Monomial> divide(const Monomial& a, const Monomial& b);        // nullopt: b does not divide a
std::optional<Polynomial> add_scaled(const Polynomial& a, const Polynomial& b, int64_t by);   // a + by * b
std::optional<Polynomial> multiply(const Polynomial& a, const Polynomial& b);
std::optional<Polynomial> multiply(const Polynomial& a, const Term& b);
std::optional<Polynomial> negate(const Polynomial& a);

// x = quotient * by + remainder, where no term of the remainder is a multiple of the leading term of `by`.
struct Division { Polynomial quotient, remainder; };
std::optional<Division> divide(const Polynomial& x, const Polynomial& by);

int64_t constant_term(const Polynomial& p);
int64_t common_divisor(int64_t a, int64_t b);            // >= 0; 1 where it does not fit
int64_t content(const Polynomial& p);                    // of all coefficients but the constant; 0 if none
const Factor* lone_atom(const Term& t);                  // the term is c * atom, power 1

inline int64_t floor_quotient(int64_t a, int64_t k) { return a / k - (a % k < 0); }           // k > 0
inline int64_t floor_remainder(int64_t a, int64_t k) { return a % k + (a % k < 0 ? k : 0); }  // k > 0
} // namespace nereus
