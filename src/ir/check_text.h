// ir/check_text.h - what a failing check of two sizes says, in compiled programs and in eval alike.
#pragma once
#include "ir/module.h"

namespace nereus {
// With {0} and {1} for the numbers of the two sides. `what`: what is compared, or the whole message. A size is called by its
// name if somebody wrote that; one that a stage named is a number alone.
std::string check_text(const Module& module, const DimFact& fact, const std::string& what);
std::string_view sign_of(Relation relation);             // <= and the like; ~ for compatible
} // namespace nereus
