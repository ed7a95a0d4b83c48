// infer/shapes_key.h - what identifies an instance of a function: its arguments up to renaming of symbols.
//
// A key is the arguments with base symbols renamed in order of first occurrence; polynomials, constants and element
// unknowns stay. An expression whose symbols occur in no other leaf is one symbol. Each symbol carries the sign that
// the caller could prove. Recursion that would need ever new keys is stopped by generalise().
#pragma once
#include "infer/shapes_join.h"

namespace nereus {
enum class Sign : uint8_t { any, natural, positive };
struct Range {
    Sign sign = Sign::any;
    bool bounded = false;                                // no larger than an extent can be
    bool small = bounded;                                // of any sign: p - 5 is, and small multiples cannot wrap
    auto operator<=>(const Range&) const = default;
    bool like_extent() const { return sign != Sign::any && bounded; }
};
inline Range widest(Range a, Range b) { return {std::min(a.sign, b.sign), a.bounded && b.bounded, a.small && b.small}; }

struct Key {
    uint32_t code = 0;
    std::vector<AbsId> args;
    std::vector<Range> ranges;                           // by pattern symbol
    bool checks = false;                                 // compares its arguments with its signature itself
    auto operator<=>(const Key&) const = default;
};

// The symbols that keys are written in, shared by all of them: number i of each kind, extents and
// other integers apart; and those that summaries are written in.
class PatternPool {
 public:
    explicit PatternPool(Module& module) : module_(module) {}
    Sym symbol(size_t i, bool extent) { return get(symbols_[extent], i, extent, "p"); }
    Sym result(size_t i, bool extent) { return get(results_[extent], i, extent, "e"); }
    VarId tail(size_t i) { return get(tails_, i, "s"); }
    VarId result_tail(size_t i) { return get(result_tails_, i, "r"); }

 private:
    Sym get(std::vector<Sym>& pool, size_t i, bool extent, const char* name);
    VarId get(std::vector<VarId>& pool, size_t i, const char* name);
    Module& module_;
    std::vector<Sym> symbols_[2], results_[2];
    std::vector<VarId> tails_, result_tails_;
};

struct KeyPlan {
    Key key;
    std::vector<Sym> symbols;                            // pattern symbols in order
    std::vector<VarId> tails;
    std::vector<Dim> actuals;                            // what each symbol stands for in the caller
    std::vector<Shape> tail_actuals;
};

using RangeOf = std::function<Range(Dim, bool is_extent)>;
// Sizes of an entry are kept as they are declared: there is a check that 6*m comes out even, at the door.
KeyPlan make_key(Abstracts& abstracts, PatternPool& pool, uint32_t code, const std::vector<AbsId>& args, const RangeOf& range,
                 bool as_declared = false);

// The least general key that covers both a key under analysis and new arguments; it is `under` itself if they match.
// `args` are in the caller's terms and free of hints.
KeyPlan generalise(Abstracts& abstracts, PatternPool& pool, Module& module, const KeyPlan& under,
                   const std::vector<AbsId>& args, const RangeOf& range, const std::function<bool(Dim, Dim)>& equal);

// Ranks and structure without sizes, as text; `with_codes`: which closures, too.
std::string rank_skeleton(const Abstracts& abstracts, const std::vector<AbsId>& args, bool with_codes = false);
} // namespace nereus
