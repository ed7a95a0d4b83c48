// generator/smaller_forms.h - pieces of a program written shorter, by their text: what shrink.h tries.
#pragma once
#include "generator/program.h"
#include <optional>

namespace nereus::gen {
// The name that "%a = $0" or "%a: T = $0" binds.
std::optional<std::string> bound_name(const std::string& form);
size_t mentions(const Block& b, const std::string& variable);        // where it is bound included
// The text instead of a variable, all over the block.
void put_for(Block& b, const std::string& variable, const std::string& text);
// A match without one of its arms, or without the guard of one.
std::vector<std::string> forms_without_an_arm(const std::string& form);
// With the parts that the new form still has.
Expr with_form(const Expr& e, const std::string& form);
// What a loop gives if its body is run once: the states' first values are bound, then comes the body.
std::optional<Block> first_trip(const Expr& loop);
} // namespace nereus::gen
