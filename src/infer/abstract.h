// infer/abstract.h - abstract values: all that the shapes stage knows about a value. Hash-consed, so equal ids are
// equal knowledge and a key is a list of ids.
//
// A leaf is an extent or a known number. Leaves of tensors and tuples are *direct*: polynomials over symbols in scope.
// Leaves inside a container (elements of Seq, type arguments of data, content of cells, captured values) describe many
// elements at once: a polynomial that holds for all of them and is in scope where the container is bound, or an
// *element unknown* ?k, local to one element and opened as a new symbol whenever an element is read. ?(level, k) counts
// containers outwards from the leaf: level 0 belongs to the nearest one.
#pragma once
#include "ir/shape_rule.h"
#include <deque>
#include <map>
#include <unordered_map>

namespace nereus {
using AbsId = Id<struct AbsTag>;
constexpr uint32_t cell_from_outside = UINT32_MAX;       // came through the door: holds what its type says
using AbsArg = std::variant<AbsId, Dim, Element, Shape>;     // of data; an invalid Dim: no object has said yet
struct Closure { uint32_t code = 0; std::vector<AbsId> env; };   // code: Program::codes

enum class AbsKind : uint8_t {
    bottom,        // no value arrives
    tensor, tuple, data, seq, ref,
    closures,      // one of several lambdas or functions
    gradient,      // grad of a function: parts[0]; `cells`: with respect to which parameters, none = all
    outside,       // a function that came through the door: only its declared type is known
};
struct Abs {
    AbsKind kind = AbsKind::bottom;
    ShapedTensor tensor = {};
    std::vector<AbsId> parts = {};                       // tuple; seq: the element; ref: the content; data: what it carries
    DeclId decl = {};
    std::vector<AbsArg> args = {};
    std::vector<uint32_t> cells = {};                    // ref: where it may point, ascending
    std::vector<Closure> closures = {};                  // by code, ascending
    TypeId declared = {};                                // outside
};

class Abstracts {
 public:
    Abstracts(Dims& dims);
    const Abs& operator[](AbsId id) const { return table_[id.index]; }
    AbsId intern(Abs abs);
    AbsId bottom() const { return AbsId(0); }
    AbsId unit() const { return AbsId(1); }
    bool is_bottom(AbsId id) const { return id.index == 0; }
    AbsId tensor(ShapedTensor t) { return intern({.kind = AbsKind::tensor, .tensor = std::move(t)}); }
    AbsId tuple(std::vector<AbsId> parts);               // bottom if a part is
    AbsId seq(AbsId element) { return intern({.kind = AbsKind::seq, .parts = {element}}); }
    AbsId number(Dim d, DType dtype);                    // a scalar of known value

    // Inside a container, joined with itself it stays what it is if the symbols that it mentions stay: element unknowns
    // are those of containers in it, numbered as they occur, and there is no bound or condition that a join would forget.
    bool is_settled(AbsId id) const { return mentions_[id.index].settled && mentions_[id.index].open.empty(); }
    const std::vector<Sym>& symbols_of(AbsId id) const { return mentions_[id.index].symbols; }   // if settled; ascending
    bool has_tails(AbsId id) const { return mentions_[id.index].tails; }                         // if settled

    Dims& dims() { return dims_; }
    Dim unknown(uint32_t level, uint32_t k);             // the element unknown ?k
    struct Unknown { uint32_t level, k; };
    std::optional<Unknown> as_unknown(Dim d) const;
    bool has_unknown(Dim d) const;

 private:
    Dims& dims_;
    struct OpenUnknown { Unknown unknown; bool direct; };        // direct: of a leaf that is in no container in the value
    struct Mentions {
        bool settled = true;
        std::vector<Sym> symbols = {};
        std::vector<OpenUnknown> open = {};              // of containers around it, as they occur first
        bool tails = false;
    };
    class Mentioning;
    struct WordsHash { size_t operator()(const std::vector<uint32_t>& words) const; };
    Mentions mentions_of(const Abs& abs) const;

    std::deque<Abs> table_;                              // references stay valid while it grows
    std::deque<Mentions> mentions_;                      // of each value in the table
    std::unordered_map<std::vector<uint32_t>, AbsId, WordsHash> by_content_;
    std::map<std::pair<uint32_t, uint32_t>, Dim> unknowns_;
    std::map<Sym, Unknown> unknown_of_;
};

// Rebuilds a value leaf by leaf. `depth` counts the containers around the leaf. Number leaves may be forgotten by
// giving back an invalid Dim; a list is forgotten with any of its elements.
class LeafMap {
 public:
    virtual ~LeafMap() = default;
    virtual Dim extent(Dim d, uint32_t depth) = 0;
    virtual Dim number(Dim d, uint32_t depth) { return extent(d, depth); }
    virtual Shape tail(VarId tail, uint32_t) { return Shape{{}, false, tail}; }
    virtual bool keeps_hints() const { return true; }    // false: element bounds and conditions are forgotten
    virtual bool keeps_decisions() const { return keeps_hints(); }       // conditions that always or never hold
    virtual bool keeps(AbsId, uint32_t /*depth*/) { return false; }      // true: the whole value stays, do not go into it
};
AbsId map_leaves(Abstracts& abstracts, AbsId value, LeafMap& map);

using SymImage = std::function<std::optional<Dim>(Sym)>;
using TailImage = std::function<std::optional<Shape>(VarId)>;
AbsId substitute(Abstracts& abstracts, AbsId value, const SymImage& image, const TailImage& tail);
// Opens one element: its unknowns become what `fresh` gives, shape tails without a name get one.
AbsId open_element(Abstracts& abstracts, AbsId element, const std::function<Dim()>& fresh, const std::function<VarId()>& fresh_tail);

// Every leaf in order of occurrence; numbers only where `numbers` is set.
struct Leaf { Dim dim; uint32_t depth; bool is_number; };
std::vector<Leaf> leaves_of(Abstracts& abstracts, AbsId value);

// The type to print and store. `skeleton` is what phase T said: it gives what abstract values do not carry.
TypeId type_of(Module& module, Abstracts& abstracts, AbsId value, TypeId skeleton);
} // namespace nereus
