// infer/shapes_match.h - written types against abstract values: signatures at calls, fields at constructors, annotations.
//
// 1. collect() walks type and value in step and lists equations (written dim, found dim).
// 2. solve() gives each written name its value: from the first direct tensor or record where it stands alone; else from
//    one where it is the only unknown of a*d + b; else from an element of a container.
// 3. The caller proves, checks or believes what is left, then asks for the value as refined by the written type.
#pragma once
#include "infer/carried_places.h"
#include <set>

namespace nereus {
// What the names of written types stand for here.
struct Names {
    std::map<Sym, Dim> dims;
    std::map<VarId, Shape> tails;
    std::map<VarId, std::pair<ValueId, size_t>> shown_by;    // of a tail: a value in scope, and its axes before the tail
    std::map<VarId, AbsId> types;                        // of declarations: type parameters
    std::map<VarId, Element> dtypes;                     // and dtypes
    std::optional<CarriedAt> carried = {};               // what stands at its functions and cells,
    std::function<AbsId(const Abs& cell)> content = {};  // and what such a cell may hold besides

    Element dtype(const Element& written) const;
    Dim image(Dims& dims, Dim written) const;            // rank(s) and size(s) too, where the axes of s are known
};

struct Equation {
    Dim written, found;
    uint32_t depth = 0;                                  // > 0: of every element of a container
    std::string where;                                   // "axis 0 of %x"
    bool in_values = false;                              // `written` is a size of a value already: ..s, met again
};

class Matching {
 public:
    Matching(Module& module, Abstracts& abstracts, Names& names) : module_(module), abstracts_(abstracts), names_(names) {}
    void collect(TypeId written, AbsId found, const std::string& where, uint32_t depth = 0);
    void solve();
    // After solve(): a name that only elements of unknown size or unknown ranks could tell; needs a look at the value.
    bool unsolved(const Equation& e) const;
    Dim image(const Equation& e) const;                  // what is written, as a size of values

    std::vector<Equation> equations;                     // what remains to be proved
    std::vector<std::string> rank_errors;                // refuted whatever the sizes are
    bool must_look = false;                              // ranks or shape variables that only the value can tell

 private:
    void shape(const Shape& written, const Shape& found, const std::string& where, uint32_t depth);
    void add(Dim written, Dim found, uint32_t depth, std::string where, bool in_values = false);

    Module& module_;
    Abstracts& abstracts_;
    Names& names_;
};

// The value a written type describes. Names without a value are asked for: `fresh` for a direct one; inside containers
// each '?' is an element unknown. A function is one from outside, unless `names` know better: then `place` says where in
// a declaration the type is written.
AbsId instantiate(Module& module, Abstracts& abstracts, TypeId written, const Names& names, const std::function<Dim(Sym)>& fresh,
                  const std::function<VarId()>& fresh_tail, const CarriedPlace& place = {});
// The value, with element unknowns and bottoms inside it replaced by what the type says about them.
// `tails_too`: where both know a tail and nothing of its axes, the one that the type names.
AbsId refine(Module& module, Abstracts& abstracts, TypeId written, AbsId found, const Names& names,
             const std::function<Dim(Sym)>& fresh, const std::function<VarId()>& fresh_tail, bool tails_too = false);
// The sizes that a type names, inside containers too.
void collect_names(const Module& module, TypeId written, std::set<Sym>& out);
// Does the type state anything about sizes or ranks?
bool states_sizes(const Module& module, TypeId written);
} // namespace nereus
