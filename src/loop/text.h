// loop/text.h - the text form of loop functions (an example of each statement is in loop.h).
// parse(print(f)) prints the same text; canonical_text forgets names, so equal kernels are compiled once.
#pragma once
#include "base/result.h"
#include "loop/loop.h"
#include <string>

namespace nereus::loop {
std::string print(const Function& f);
Result<Function> parse(std::string_view text);               // one function, verified; errors are Code::parse
std::string canonical_text(const Function& f);               // the key under which kernels are shared
bool is_name(std::string_view text);                         // a letter or _, then letters, digits, _
std::string_view fold_name(Fold fold);
std::string_view update_sign(Update update);                 // =, +=, *=, max=, min=
} // namespace nereus::loop
