// infer/shapes_prune.h - the last step of shape inference: hidden integers that nothing uses are dropped, and the symbols
// of each function become its own, with names no other symbol of that function has.
#pragma once
#include "ir/module.h"

namespace nereus {
// What the program itself calls some symbols and shape variables of a function.
struct SymbolNames {
    std::map<Sym, std::string> dims;
    std::map<VarId, std::string> tails;
};
// names: per function; facts: about symbols on their left, renamed alike.
void prune_symbols(Module& module, const std::vector<SymbolNames>& names, std::vector<DimFact>& facts);
} // namespace nereus
