// base/source_text.h - a file that a program was read from; spans name it by its number in a list of them.
#pragma once
#include <string>

namespace nereus {
struct SourceText { std::string path, text; };           // an empty text: not at hand, only places are shown
} // namespace nereus
