// infer/types_term.h - type terms: structure and dtypes with unknowns, in a union-find. Ranks and sizes are no part of
// a term, and neither are the dim and shape arguments of data types.
//
// Terms live as long as their `Terms`; the first clash ends inference, and all that is then taken back is that the two
// sides were held to be equal, so that each can be shown as it is. Equal composite terms may be merged too, so cyclic
// terms can arise: they are found by `nesting` when a group of functions is done.
#pragma once
#include "ir/module.h"
#include "ir/scheme.h"
#include <span>

namespace nereus {
using TermId = Id<struct TermTag>;
enum class TermKind : uint8_t { unknown, dtype_unknown, dtype, tensor, tuple, function, ref, seq, data };

// A variable of a signature: it may take a class, never a type. Recursive functions may share one, each by its own name.
struct Declared { std::string name; FunctionId function; };

struct TypeTerm {
    TermKind kind = TermKind::unknown;
    DTypeClass of = DTypeClass::any;        // dtype_unknown
    DType dtype = DType::f32;               // dtype
    DeclId decl;                            // data
    uint32_t first = 0, count = 0;          // parts: tensor: its dtype; function: parameters, then the result
    std::vector<Declared> declared;         // unknown, dtype_unknown: rigid if not empty
};

class Terms {
 public:
    Terms();
    TermId unknown();
    TermId dtype_unknown(DTypeClass of);
    TermId dtype(DType dtype) const { return TermId(size_t(dtype)); }
    TermId tensor(TermId element);
    TermId tensor(DType dtype) { return tensor(this->dtype(dtype)); }
    TermId tensor(DTypeClass of) { return tensor(dtype_unknown(of)); }
    TermId tuple(std::span<const TermId> parts) { return composite(TermKind::tuple, parts); }
    TermId function(std::vector<TermId> params, TermId result);
    TermId ref(TermId content) { return composite(TermKind::ref, {&content, 1}); }
    TermId seq(TermId content) { return composite(TermKind::seq, {&content, 1}); }
    TermId data(DeclId decl, std::span<const TermId> args);
    void declare(TermId unknown, Declared as) { node(unknown).declared.push_back(std::move(as)); }

    TermId find(TermId id) const;           // the representative of everything unified with it
    const TypeTerm& operator[](TermId id) const { return terms_[find(id).index]; }
    std::span<const TermId> parts(TermId id) const;
    TermId part(TermId id, size_t i) const { return parts(id)[i]; }
    bool is_unknown(TermId id) const;       // a type or dtype that is not known and not rigid either
    size_t size() const { return terms_.size(); }

    // For unify: `from` becomes `to`. An unknown's class is met by the caller.
    void merge(TermId from, TermId to) { parent_[find(from).index] = find(to); }
    // Composites held to be equal, between `suppose` and the end of it: kept, or taken back after a clash.
    void suppose() { supposing_ = true, supposed_.clear(); }
    void merge_supposed(TermId from, TermId to);
    void keep() { supposing_ = false; }
    void take_back();
    TypeTerm& node(TermId id) { return terms_[find(id).index]; }
    TermId composite(TermKind kind, std::span<const TermId> parts, DeclId decl = {});

    // Levels of nesting below a term, from a shared table; nullopt where a term contains itself.
    std::optional<uint32_t> nesting(TermId id, std::unordered_map<TermId, uint32_t>& known) const;

 private:
    std::vector<TypeTerm> terms_;
    struct Before { TermId id, parent; };
    mutable std::vector<TermId> parent_;    // of a representative: itself; find() shortens paths
    mutable std::vector<Before> supposed_;  // parents to put back, the last first
    bool supposing_ = false;
    std::vector<TermId> parts_;
};
inline constexpr uint32_t max_type_nesting = 1000;   // so that whoever walks a finished type may recurse
} // namespace nereus
