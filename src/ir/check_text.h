// ir/check_text.h - what a failing check of two sizes says, in compiled programs and in eval alike.
#pragma once
#include "ir/module.h"

namespace nereus {
// With {0} and {1} for the numbers of the two sides. `what`: what is compared, or the whole message. A size is called by its
// name if somebody wrote that; one that a stage named is a number alone.
std::string check_text(const Module& module, const DimFact& fact, const std::string& what);
// The one symbol in a fact about what is computed of it; nothing: there are several, or it is a side of its own.
std::optional<Sym> only_symbol(const Dims& dims, const DimFact& fact);
// Behind the text of such a fact of a function's sizes: which size it is, and its number.
std::string size_of_fact(const Module& module, const Function& function, Sym symbol, const std::string& number);
std::string_view sign_of(Relation relation);             // <= and the like; ~ for compatible
} // namespace nereus
