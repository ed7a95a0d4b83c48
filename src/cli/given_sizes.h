// cli/given_sizes.h - the sizes that a call names, and random arguments that have them:
//   --shapes ids:1x128,mask:1x128     of arguments, by name; x: is of rank 0; given several times: several calls
//   --dim batch=4,seq=128             of symbols, in every call; all=1: of all others
#pragma once
#include "api/size_binding.h"
#include "run/arguments.h"
#include "value/json.h"

namespace nereus {
inline constexpr FlagSpec size_flags[] = {
    {"shapes", true, "x:1x128[,y:4] sizes of random arguments; may be given several times, for a call each"},
    {"dim", true,
     "n=4[,m=2] what the size n is in random arguments; all=1: every other one; may be given several times"},
};
using NamedShapes = std::map<std::string, Extents, std::less<>>;
Result<NamedShapes> parse_shapes(std::string_view text);
Result<std::vector<std::pair<std::string, int64_t>>> parse_dims(std::string_view text);

struct GivenSizes {
    std::vector<NamedShapes> shapes;             // one for each --shapes
    api::Bindings dims;
    std::optional<int64_t> others = {};          // what all=N says of sizes that no name says
    bool any() const { return !shapes.empty() || !dims.empty() || others; }
    void fill(const EntryInfo& entry);           // dims from others
};
// Names of a model become those of its parameters and sizes.
using NameMap = std::map<std::string, std::string>;
Result<GivenSizes> given_sizes(const Arguments& arguments, const NameMap& parameters, const NameMap& symbols);
// Every name is one that the entry has; else a usage error with did-you-mean.
Status check_names(const GivenSizes& sizes, const EntryInfo& entry);

// The call with arguments for all parameters: random where none is given, of the given shape, else of sizes that follow
// from --dim and from the other arguments. Integers are 0 or 1: small tables have such rows.
Result<NamedValues> with_random(NamedValues given, const NamedShapes& shapes, const api::Bindings& dims, const Executable& exe, uint64_t seed);
// The same for each call and each --shapes.
Result<Inputs> with_random(const Inputs& given, GivenSizes sizes, const Executable& exe, uint64_t seed);
} // namespace nereus
