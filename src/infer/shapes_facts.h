// infer/shapes_facts.h - the facts in force at one point of a walk. Adds two things to Facts: a log of each frame, so
// that what an arm knew can be assumed again where arms join, and exactness, the guard against wrapped integers.
#pragma once
#include "ir/shape_rule.h"
#include "tensor/shape.h"
#include <set>
#include <unordered_map>

namespace nereus {
class Knowledge {
 public:
    explicit Knowledge(Dims& dims) : facts(dims) { frames_.emplace_back(); }
    Facts facts;
    struct Learnt { DimFact fact; bool supposed; };
    using Log = std::vector<Learnt>;

    void push();
    Log pop();                                           // what was assumed since the matching push
    bool assume(Dim a, Relation relation, Dim b);        // false: contradicts
    void assume(const Log& log);
    void assume(const Condition& condition);
    void suppose(const Condition& condition);            // what brings a run into an arm
    bool refutes_unsupposed(Dim a, Relation relation, Dim b);    // the arms around do not matter to it
    Answer ask(Dim a, Relation relation, Dim b);
    Answer ask(const Condition& condition);
    bool equal(Dim a, Dim b) { return a == b || facts.equal(a, b) == Answer::yes; }
    bool natural(Dim d) { return facts.less_equal(facts.dims().constant(0), d) == Answer::yes; }

    // Extents fit 40 bits (the door refuses others), so small multiples of them cannot wrap an i64. A number is exact
    // if it is bare, or all its symbols are extents, counters or bounded by one, with coefficients to spare.
    bool exact(Dim number, DType dtype);
    void add_extent(Sym s) { extents_.push_back(s), bounded_.insert(s); }
    // An extent of a tensor that exists is one number however many sizes it is the product of. Of some of its extents
    // alone the product may be larger: another one may be 0.
    void add_extent(Dim extent);
    bool bounded(Dim d) { return magnitude(d) <= double(max_extent); }
    // Of any sign, and not far beyond an extent: what callees are told of a number. Symbols stand for such ones there.
    bool small(Dim d) { return magnitude(d) <= largest_small; }
    void add_small(Sym s) { small_.insert(s); }

 private:
    bool bounded(Sym s);
    double magnitude(Dim d);                             // an upper bound of |d|; infinite if there is none
    double magnitude(Dim d, std::unordered_map<Atom, double>& known);      // atoms share parts: without this, once per path to a part
    double magnitude(Atom a, std::unordered_map<Atom, double>& known);
    std::vector<Log> frames_;
    bool supposing_ = false;
    std::vector<Sym> extents_;                           // of open frames: what is near must not depend on how often a loop was walked
    std::vector<Dim> products_;                          // of open frames: extents that terms alone do not bound
    std::set<Dim> is_product_;
    struct Before { size_t extents, products; };
    std::vector<Before> before_;                         // per frame but the first
    std::set<Sym> bounded_, small_;
    static constexpr double largest_small = double(int64_t(1) << 44);
};
} // namespace nereus
