// ir/shape_rule.h - how an operator infers shapes: what it sees of its arguments, what it says of its results, and the
// services it may ask for. A rule proves what it can; what it cannot prove it requires, and the scope decides whether
// that becomes a check, an error or (in a trial run) nothing.
#pragma once
#include "dim/facts.h"
#include "ir/op.h"
#include <span>

namespace nereus {
// What is known of a rank-0 bool. A relation is between numbers that are exact, so it may be believed as it stands.
struct Condition {
    enum class Kind : uint8_t { unknown, always, never, relation, all, any } kind = Kind::unknown;
    Relation relation = Relation::equal;
    Dim left, right;
    std::vector<Condition> parts;                        // all, any
    bool operator==(const Condition&) const = default;
};
Condition negate(const Condition& condition);
Condition both(Condition a, Condition b);
Condition either(Condition a, Condition b);
Relation negate(Relation relation);

// The value map: what is known of the elements of a small host tensor. Numbers are polynomials that agree with the
// element modulo 2^bits; use ShapeScope::exact before reading order, quotients or extrema into them.
struct Known {
    enum class Kind : uint8_t { none, number, list, grid, condition } kind = Kind::none;
    // number: one, of a rank-0 integer; list: of a vector of integers, or of bools as 0 and 1; grid: of any rank above
    // 0 at constant extents, row by row, where some may be invalid: nothing is known of these. Only movement sees
    // grids.
    std::vector<Dim> numbers;
    Condition condition;                                 // of a rank-0 bool
    bool operator==(const Known&) const = default;
};

struct ShapedTensor {
    DType dtype = DType::f32;
    Shape shape;
    Known known = {};
    Dim low = {}, high = {};                             // every element e of an integer tensor: low <= e < high
    bool operator==(const ShapedTensor&) const = default;

    bool ranked() const { return shape.ranked; }
    size_t rank() const { return shape.dims.size(); }
};
// The one number of a tensor whose value is known; invalid: none.
inline Dim number_of(const ShapedTensor& t) { return t.known.kind == Known::Kind::number ? t.known.numbers[0] : Dim(); }
inline Known known_number(Dim d) { return {.kind = Known::Kind::number, .numbers = {d}}; }

// Arguments by position of the parameter, as in EvalArgs.
struct ShapeArgs {
    const OpDef& op;
    std::vector<std::vector<ShapedTensor>> tensors;      // value: one; values: several; absent: none
    std::vector<std::vector<Dim>> sizes;                 // size: one; sizes: several
    std::vector<bool> sizes_known;                       // false: a vector whose length is not known; `sizes` is empty
    std::vector<bool> present;
    std::vector<bool> is_seq;                            // values: one Seq; `tensors` has one element that stands for all
    const AttributeList& attributes;

    const ShapedTensor& tensor(size_t param) const { return tensors[param][0]; }
    int64_t integer(std::string_view name, int64_t otherwise) const;
    bool boolean(std::string_view name, bool otherwise) const;
    std::optional<DType> dtype(std::string_view name) const;
    std::optional<std::vector<int64_t>> integers(std::string_view name) const;
    const std::string* text(std::string_view name) const;                // null: left out
};

class ShapeScope {
 public:
    virtual ~ShapeScope() = default;
    virtual Facts& facts() = 0;
    Dims& dims() { return facts().dims(); }

    // Proved: nothing. Refuted: an error naming both sides. Else a check, whose fact holds from here on. `what` names
    // what is compared, or is the whole message, with {0} and {1} for the two sides.
    virtual Status require(Dim a, Relation relation, Dim b, std::string_view what) = 0;
    virtual Dim late(std::string_view name, Dim upper) = 0;      // an extent that the operator chooses; upper may be invalid
    virtual Dim host(std::string_view name) = 0;                 // an integer that is known once the operator has run
    virtual Shape unknown_shape() = 0;                           // any rank; a new shape variable
    virtual Answer ask(const Condition& condition) = 0;
    virtual bool exact(Dim number, DType dtype) = 0;             // cannot have wrapped: the polynomial is the integer
    virtual Error error(std::string what) = 0;
};
} // namespace nereus
