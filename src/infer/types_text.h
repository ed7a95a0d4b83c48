// infer/types_text.h - type terms in the words of the language, for error messages. Ranks are not known here, so a
// tensor reads Tensor[.., f32]; what is not known reads _.
#pragma once
#include "infer/unify.h"

namespace nereus {
std::string text_of(const Module& module, const Terms& terms, TermId id);
// To be pasted: open dtypes as the defaults, open types as "…".
std::string paste_text(const Module& module, const Terms& terms, TermId id);
std::string text_of(const Module& module, TypeId written);
// As in "expected X, found Y": a dtype or class by its name alone.
std::string part_text(const Module& module, const Terms& terms, TermId id);
// "expected f32, found i64".
std::string clash_text(const Module& module, const Terms& terms, const Clash& clash);
// The parts that differ are the types, or their dtypes.
bool says_it_all(const Terms& terms, const Clash& clash, TermId expected);
// Both types, one above the other, with marks under the parts that differ.
std::string both_types(const Module& module, const Terms& terms, const Clash& clash, TermId expected, TermId found);
// The name nearest to a misspelt one, as ", did you mean `x`?"; empty if none is near.
std::string did_you_mean(std::string_view wrong, std::span<const std::string> names);
} // namespace nereus
