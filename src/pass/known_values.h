// pass/known_values.h - what partial evaluation knows of values, and of what cells hold at the place that is written.
//
// A known value stands in the code that is written like any other, so nothing need be made again where it is used as a
// whole. What is known beside that serves to take it apart, to apply it and to decide branches.
#pragma once
#include "pass/symbol_image.h"
#include <map>
#include <set>

namespace nereus {
using KnownId = Id<struct KnownTag>;
using CellId = Id<struct CellTag>;
using ActivationId = Id<struct ActivationTag>;

// Sizes that code which is put elsewhere mentions: what they are there.
struct SizeNames {
    SymbolImage image;
    std::set<Sym> defined;                   // by what was gone through so far
};

struct KnownValue {
    enum class Kind : uint8_t { unknown, constant, tuple, record, construct, seq, closure, function, cell };
    Kind kind = Kind::unknown;
    TypeId type;
    ValueId value;                           // in the code that is written; none for a constant: it is written at each use
    Binding constant;                        // literal or dim
    std::vector<KnownId> parts;              // elements, fields, arguments; of a closure: what it captures
    std::vector<std::string> names;          // record
    DeclId decl;                             // construct
    uint32_t constructor = 0;
    FunctionId function;                     // function; closure: the one its lambda stands in
    BindingId lambda;
    std::vector<ValueId> captured;           // as the lambda names its parts
    uint32_t sizes = 0;                      // closure: index in KnownValues::sizes
    ActivationId made_in;
    int branches = 0;                        // closure: blocks around it that may not run, or run more than once
    CellId cell;
    KnownId shape;                           // unknown: the vector of its sizes
};

class KnownValues {
 public:
    KnownId add(KnownValue value) {
        all_.push_back(std::move(value));
        return KnownId(all_.size() - 1);
    }
    const KnownValue& operator[](KnownId id) const { return all_[id.index]; }
    KnownId next() const { return KnownId(all_.size()); }
    // A closure, cell, constructor or Seq is in it: code that gets it may become simpler.
    bool is_telling(KnownId id) const;
    const Literal* literal(KnownId id) const;            // nullptr: no number, truth or text that is known
    std::optional<int64_t> integer(KnownId id) const;    // of a scalar

    std::vector<SizeNames> sizes;

 private:
    std::vector<KnownValue> all_;
};

// What cells hold, as far as it is known. A cell that other code may have got hold of is *exposed*: whatever writes may
// write it.
class CellContents {
 public:
    KnownId content(CellId cell) const;                  // invalid: not known
    void put(CellId cell, KnownId content) { known_[cell] = content; }
    bool expose(CellId cell) { return exposed_.insert(cell).second; }        // false: it was exposed one by one before
    bool is_exposed(CellId cell) const { return cell.index < first_own_ || exposed_.contains(cell); }
    void forget_exposed();
    // Those before this one: in code that runs at another time, or once more.
    void expose_before(CellId cell) { first_own_ = cell.index; }
    // The rest may hold what was known of it, and may be anyone's from here on: `lost`.
    void forget_all(std::vector<KnownId>& lost);
    void join(const CellContents& other, std::vector<KnownId>& lost);    // after one of two pieces of code: what both agree on
    void forget_since(KnownId first, std::vector<KnownId>& lost);        // what was made inside of a block is not seen outside
    void leave(const CellContents& inner);               // after code that perhaps did not run: it may have exposed some

 private:
    std::map<CellId, KnownId> known_;
    std::set<CellId> exposed_;
    uint32_t first_own_ = 0;
};
} // namespace nereus
