// dim/dims.h - symbolic sizes as hash-consed canonical polynomials: equal polynomials have equal ids.
#pragma once
#include "base/id.h"
#include "base/result.h"
#include <deque>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace nereus {
using Dim = Id<struct DimTag>;             // an expression: polynomial with integer coefficients over atoms
using Sym = Id<struct SymTag>;             // a symbol: an unknown integer with one definition
using Atom = Id<struct AtomTag>;           // a symbol or one of the functions below, applied to Dims

enum class AtomKind : uint8_t { symbol, floor_div, mod, min, max, bcast, rounded, rank, size };
// `rank` and `size` are of a shape variable: its index is in AtomNode::shape. `min` of one argument is a part kept
// whole, because multiplied out it would be too large or overflow.

// Where a symbol gets its value.
enum class SymKind : uint8_t {
    size,          // an extent: a parameter's axis, a declared dim, a dim bound by a constructor; >= 0
    late,          // the extent of a class-4 result; >= 0, defined by that binding
    join,          // a phi over arms or loop iterations
    host,          // an integer known on the host before kernels run, any sign
    counter,       // a loop counter or trip count; >= 0
    unknown,       // '?' in a signature: its own unknown extent; >= 0
    fresh,         // 'new k' in a signature: a size chosen by the callee; >= 0
};

struct SymNode { std::string name; SymKind kind; };
struct AtomNode { AtomKind kind; Sym symbol; std::vector<Dim> args; uint32_t shape = 0; };
struct Factor { Atom atom; int32_t power; auto operator<=>(const Factor&) const = default; };
using Monomial = std::vector<Factor>;      // sorted by atom, powers >= 1; empty = 1
struct Term { int64_t coefficient; Monomial factors; bool operator==(const Term&) const = default; };
using Polynomial = std::vector<Term>;      // sorted, no zero coefficients; empty = 0

// Owns symbols, atoms and polynomials. Copying it copies everything; ids stay valid in the copy.
class Dims {
 public:
    Dims();
    Sym new_symbol(std::string name, SymKind kind);
    const SymNode& symbol(Sym s) const { return symbols_[s.index]; }
    size_t symbol_count() const { return symbols_.size(); }
    size_t polynomial_count() const { return polynomials_.size(); }

    Dim constant(int64_t value);
    Dim of(Sym s);
    Dim of(Atom a);
    Dim add(Dim a, Dim b);
    Dim sub(Dim a, Dim b);
    Dim mul(Dim a, Dim b);
    Dim scale(Dim a, int64_t by);
    Dim floor_div(Dim a, Dim b);           // b = 0 is left symbolic; evaluating it is an error
    Dim mod(Dim a, Dim b);                 // sign of the divisor
    Dim min(std::span<const Dim> args);
    Dim max(std::span<const Dim> args);
    Dim bcast(std::span<const Dim> args);  // the size that is not 1; evaluating incompatible sizes is an error
    Dim rounded(Dim a, int bits);          // to the nearest number of so many binary digits, ties to even: what a float holds
    Dim rank_of(uint32_t shape_variable);
    Dim size_of(uint32_t shape_variable);
    Dim product(std::span<const Dim> args);
    Dim from_terms(Polynomial terms);      // distinct monomials in any order

    const Polynomial& polynomial(Dim d) const { return polynomials_[d.index]; }
    const AtomNode& atom(Atom a) const { return atoms_[a.index]; }
    std::optional<int64_t> constant_value(Dim d) const;
    std::optional<Sym> as_symbol(Dim d) const;           // d is exactly one symbol
    std::vector<Sym> symbols_of(Dim d) const;            // each once, in order of id
    std::vector<Atom> atoms_of(Dim d) const;             // at any depth, each once, in order of id
    std::vector<Atom> with_parts(std::vector<Atom> atoms) const;     // and all atoms in them, so too
    bool of_shape(Dim d) const;                          // some part is rank(s) or size(s)
    size_t node_count(Dim d) const;                      // a part kept whole counts as one node
    bool nonnegative(Dim d) const;                       // by its form and the kinds of its symbols alone

    // Replaces symbols; nullopt keeps one. Memoise outside if it is hot.
    Dim substitute(Dim d, const std::function<std::optional<Dim>(Sym)>& image);
    // Replaces atoms, outermost first; an atom that is kept (nullopt) has its arguments replaced.
    Dim substitute_atoms(Dim d, const std::function<std::optional<Dim>(Atom)>& image);
    Dim apply_like(Atom a, std::span<const Dim> args);   // the function of atom a, of other arguments
    // a * s + b with s not in a, b: the coefficient and the rest, if d is linear in s.
    struct Linear { Dim a, b; };
    std::optional<Linear> linear_in(Dim d, Sym s);
    // Exact value with overflow checks; an undefined symbol, zero divisor or incompatible bcast is an error.
    Result<int64_t> evaluate(Dim d, const std::function<std::optional<int64_t>(Sym)>& value) const;

    std::string to_string(Dim d) const;    // 2*n + m//4, with the grammar of the language
    std::string to_string(Atom a) const;
    std::string to_string(Dim d, const std::function<std::string(Sym)>& name) const;

 private:
    Dim intern(Polynomial p);
    Atom intern_atom(AtomNode node);
    Dim whole(Dim d);                      // d as one atom: see "Growth" in dims.cpp
    Dim apply(AtomKind kind, std::vector<Dim> args);
    bool fits(const Polynomial& p) const;
    bool nonnegative_atom(const AtomNode& node) const;
    void fold_mod_pairs(Polynomial& p) const;
    Dim folded(Polynomial p);                            // interned after that
    Dim divide_by_constant(Dim a, int64_t k);
    Dim remainder_by_constant(Dim a, int64_t k);
    Dim extremum(AtomKind kind, std::vector<Dim> args);

    // Deques: references stay valid while new nodes are made.
    std::deque<SymNode> symbols_;
    std::deque<AtomNode> atoms_;
    std::deque<Polynomial> polynomials_;
    std::vector<uint32_t> sizes_, atom_sizes_;           // nodes, per polynomial and per atom
    std::vector<uint8_t> atom_nonnegative_;
    std::vector<Dim> mod_quotients_;                     // per atom: of mod(x, k), the dim x//k
    std::vector<Atom> symbol_atoms_;
    std::unordered_multimap<size_t, Dim> interned_;
    std::unordered_multimap<size_t, Atom> interned_atoms_;
    bool any_mod_ = false;
};
} // namespace nereus
