// grad/backward.h - the product form of reverse mode: writes the backward half of code that stands in a function.
//
// The *forward* code is ordinary code that is already written. The walk goes through it from its end and writes, per
// binding, what the adjoint of its result adds to the adjoints of its operands. An adjoint is a list of leaves
// (adjoint_types.h); one that is not there is zero, and what only zeros would reach is not written at all. A projection
// has no adjoint of its own: its leaves are some of those of the whole.
//
// Backward code reads forward values as if all were in scope. Where they are not (arms, loop bodies, other functions) the
// values it reads are its *tape*: found when it is written, handed out by the forward code, which is changed for that,
// and given new names in the backward code (backward_tape.cpp). So a tape holds what is read and nothing else, and
// nothing changes in forward code whose result needs no adjoint. Of a value whose shape alone is read the shape is taken in
// forward code.
//
// backward.cpp: adjoints; backward_op.cpp: operators; backward_structure.cpp: tuples, records, constructors;
// backward_seq.cpp: Seq; backward_control.cpp: if, match, calls; backward_loop.cpp: loops; backward_cell.cpp: cells;
// backward_lend.cpp: parts of structures that are read in parts themselves. Code that touches cells is gone through even
// where no adjoint reaches its result: there may be one in a cell.
#pragma once
#include "grad/activity.h"
#include "grad/adjoint_structures.h"
#include "grad/products.h"

namespace nereus {
class Backward {
 public:
    Backward(Products& all, Writer& w);

    // The forward code: the bindings of a block from `first` on. `inputs` are what is differentiated by.
    void read(BlockId block, size_t first, const std::vector<ValueId>& inputs);
    Status contribute(ValueId v, const Leaves& adjoint);             // adds; nothing where v is constant
    Status walk();                                                   // writes where the writer stands
    Leaves adjoint(ValueId v);                                       // invalid: zero
    Leaves dense(ValueId v);                                         // zeros instead
    bool active(ValueId v) const { return activity_.active(v); }

    // What the backward block reads of values defined in the forward block, in order of use. Parts, shapes and indexed
    // reads of what is there anyway do not count: they are computed again, behind the first `front` bindings of the
    // backward block. `there`: values of the forward block that are known to it, such as the counter of a loop.
    std::vector<ValueId> tape_of(BlockId forward, BlockId backward, size_t front = 0, const std::set<ValueId>& there = {});
    std::set<ValueId> read_by(BlockId backward) const;               // all it mentions from outside
    // Sizes that the backward block mentions by their names: values of the forward code instead, which are given back.
    std::vector<ValueId> take_sizes(BlockId backward);
    using Names = std::map<ValueId, ValueId>;
    void rename(BlockId block, const Names& to);

 private:
    friend class OpBackward;
    struct Place { ValueId root; size_t offset = 0; };
    using Adjoints = std::map<ValueId, Leaves>;

    void enter(BlockId block);                           // notes where values are defined
    Status walk(BlockId block, size_t first);
    Status step(BindingId id);
    Place place(ValueId v);
    Leaves take(ValueId result);                         // the adjoint of a result; it is spent with that
    ValueId& leaf(ValueId v, size_t i);
    Status contribute(ValueId v, size_t i, ValueId adjoint);
    ValueId primal(ValueId root, size_t i);              // the tensor a leaf is the adjoint of
    ValueId zero(ValueId root, size_t i);
    ValueId shape(ValueId x);                            // taken in forward code
    bool is_forward(ValueId v) const { return v.index < first_own_ || block_of_.contains(v); }
    BlockId home(ValueId v) const;                       // the forward block to write to, where v is visible
    bool is_cheap(ValueId v) const;
    ValueId in_forward(BlockId block, const std::function<ValueId()>& write);        // at its end
    ValueId behind(ValueId v, const std::function<ValueId()>& write);                // right where v is defined
    void note(BlockId block, size_t first_value, size_t first_binding);              // what was written there
    bool is_constant_scalar(ValueId v) const;
    TypeId plain(ValueId v) { return shadows_.plain(w_.type(v)); }
    ValueId read_plain(ValueId cell) {                   // sizes of forward code have no names here
        ValueId now = w_.read(cell);
        f_[now].type = plain(now);
        return now;
    }

    Status op(const Binding& b);
    Status structure(const Binding& b);
    Status construct(const Binding& b);
    Status branch(BindingId id);
    Leaves pattern_adjoint(const Pattern& p, TypeId subject);
    std::vector<std::pair<const Pattern*, TypeId>> fields(const Pattern& p, TypeId subject);     // in the order of the type; null: not named
    Status call(BindingId id);
    Status sequence(const Binding& b);
    Status hand_element(ValueId v, ValueId held);
    ValueId length(ValueId seq);                         // taken in forward code
    Status loop(BindingId id);
    Status cell(const Binding& b);                       // of a cell that keeps an adjoint

    // Accumulators that parts of a structure have of it for a while (backward_lend.cpp): what a pattern names, or an element
    // of a Seq, or what is in a cell.
    struct Loan { ValueId from; const Pattern* pattern = nullptr; Binding element = {}; };
    bool wants_loan(const Pattern& p) const;
    Result<bool> lend(const Loan& loan);
    Result<bool> lend_parts(const Pattern& p, ValueId subject, size_t leaf, TypeId type);
    Result<ValueId> lent_out(const Pattern& p, TypeId type, ValueId held);
    Status put_back(const Loan& loan);
    Result<std::vector<Loan>> suspend_loans(const Binding& call);
    Status resume_loans(const std::vector<Loan>& suspended);
    // Elements by the binding that uses them last: its place in `all`.
    std::multimap<size_t, BindingId> elements_to_lend(const std::vector<BindingId>& all);
    bool keeps_cells(const Binding& b);                  // as they are

    bool touches_cells(const Binding& b) const { return cells_.touches(f_, b); }

    // What arms and loop bodies change of adjoints that exist outside of them.
    struct Change { ValueId root; size_t leaf; };
    std::vector<Change> changes(const Adjoints& before, const std::vector<Adjoints>& after) const;
    TypeId type_of(const Change& change) { return types_.leaves(w_.type(change.root))[change.leaf]; }
    void forget(BlockId forward);                        // adjoints of what is defined there

    // The tape (backward_tape.cpp).
    ValueId hand_out(BindingId id, TypeId tape);         // the result becomes (result, tape); gives the tape
    ValueId hand_out_steps(BindingId id, const std::vector<ValueId>& kept);           // a Seq with a tuple per trip
    enum class Side : uint8_t { before, behind };
    void beside(BindingId id, Side side, const std::function<void()>& write);         // in the same block
    void at_front(BlockId block, size_t behind, const std::function<void()>& write);

    Products& all_;
    Writer& w_;
    Function& f_;
    Module& module_;
    ShadowTypes& shadows_;
    AdjointTypes& types_;
    AdjointStructures& structures_;
    CellAdjoints& cells_;
    Activity activity_;
    std::set<ValueId> read_in_parts_;
    std::vector<Loan> loans_;                            // at this point of the walk
    BlockId base_;
    size_t first_ = 0;
    uint32_t first_own_ = 0;                             // values from here on are not the program's
    std::map<ValueId, BlockId> block_of_;
    std::map<ValueId, BindingId> definitions_;
    Adjoints adjoints_;
    std::map<ValueId, ValueId> shapes_;
    std::map<std::pair<ValueId, size_t>, ValueId> primals_;
};
} // namespace nereus
