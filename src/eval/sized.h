// eval/sized.h - types with numbers for their dims, and whether a value fits one. What is not known (an open symbol,
// '?', '..', a type variable) fits everything. A structure remembers the type it was found to fit and is not walked
// again for one that says no more: the check of a list at each step of a recursion costs one look.
#pragma once
#include "eval/datum.h"
#include <unordered_map>

namespace nereus {
using SizedId = Id<struct SizedTag>;

struct SizedArg;
struct Sized {
    enum class Kind : uint8_t { any, tensor, tuple, seq, data } kind = Kind::any;    // functions and cells: any
    std::optional<DType> dtype;
    bool ranked = false;                    // not ranked: sizes of the leading axes only
    Extents sizes;                          // -1: any size
    std::vector<SizedId> parts;             // tuple; seq: one
    DeclId decl;
    std::vector<SizedArg> args;             // data: one per parameter, or none when they are not known
    bool operator==(const Sized&) const = default;
};
struct SizedArg {                           // one of these, by the kind of the parameter
    SizedId type;
    int64_t dim = -1;
    std::optional<DType> dtype;
    bool ranked = false;
    Extents shape;
    bool operator==(const SizedArg&) const = default;
};

struct Misfit {
    std::string what;
    bool nested = false;                    // inside a structure, not the value itself
    std::vector<uint32_t> way = {};         // to the part: which item of each structure on the way
};

class SizedTypes {
 public:
    explicit SizedTypes(const Module& module);
    const Sized& operator[](SizedId id) const { return all_[id.index]; }
    SizedId any() const { return SizedId(0); }

    SizedId of(TypeId type, const Scope& scope);
    // The types of a constructor's fields in an object of type `data` that binds these dims.
    std::vector<SizedId> fields(SizedId data, DeclId decl, uint32_t constructor, std::span<const int64_t> dims);
    std::optional<Misfit> misfit(const Datum& value, SizedId type);          // nothing: it fits
    // A type that states no size fits without a look: structure and dtypes were settled when the program was typed.
    bool says_nothing(SizedId type) const { return says_nothing_[type.index]; }
    bool is_closed(TypeId type);            // mentions no symbol and no variable: the same in every scope

 private:
    struct Names;                           // what symbols and variables mean where a type is written
    SizedId of(TypeId type, const Names& names);
    SizedArg argument(const TypeArg& arg, const Names& names);
    void shape_of(const Shape& shape, const Names& names, bool& ranked, Extents& sizes);
    SizedId intern(Sized type);
    bool implies(SizedId fits, SizedId type);
    bool implies(const SizedArg& fits, const SizedArg& arg);
    size_t fitting_items(const Datum& seq, SizedId type);    // how many leading items need no look
    bool decl_says_nothing(DeclId decl);

    const Module& module_;
    std::vector<Sized> all_;
    std::vector<bool> says_nothing_;
    std::unordered_multimap<size_t, SizedId> by_hash_;
    std::vector<int8_t> closed_;            // per TypeId: mentions no symbol and no variable; -1: not looked at
    std::unordered_map<TypeId, SizedId> of_closed_;
    std::unordered_map<uint64_t, bool> implies_;
    std::vector<int8_t> decl_says_nothing_; // per DeclId, -1: not looked at
};
} // namespace nereus
