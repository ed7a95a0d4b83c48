// text/habits.h - words and signs of other languages, and what is written for them here.
#pragma once
#include <string_view>

namespace nereus {
// A hint for whoever wrote `word` where it means nothing; empty if no habit explains it.
std::string_view habit(std::string_view word);
// For whoever named an axis of a function of the prelude that takes none; empty if it is no such function.
std::string_view axis_habit(std::string_view function);
// Whether it is a dtype elsewhere and none here, such as f16 or float: nobody means a type variable of that name.
bool is_foreign_dtype(std::string_view word);
} // namespace nereus
