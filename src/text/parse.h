// text/parse.h - a program's text to a Module. Reads what print (ir/print.h) writes, at every stage.
#pragma once
#include "ir/op.h"
#include <functional>

namespace nereus {
// Gives the text of an imported file; the path is relative to the importing one and made from it.
using Loader = std::function<Result<std::string>(const std::string& path)>;
Loader no_imports();                                     // refuses every import

struct ParseInput {
    std::string path, text;                              // the path names it in errors and is where imports start
    Loader load = no_imports();
    std::vector<SourceText> prelude;                     // functions that are called by a bare name
};
// Names, layout and arity are checked here; types, sizes and effects are not. An error refers to `out_sources` by the
// index in its span; on success the module has them too.
Result<Module> parse(ParseInput input, const OpRegistry& ops, std::vector<SourceText>* out_sources = nullptr);
Result<Module> parse(std::string path, std::string text, const OpRegistry& ops, Loader load = no_imports());
} // namespace nereus
