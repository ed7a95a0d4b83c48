// base/diagnostics.h - an Error as people read it: place, message, the line with a mark under it, hint, notes.
#pragma once
#include "base/error.h"
#include "base/source_text.h"
#include <span>

namespace nereus {
// prog.nr:3:7: error: message
//     %y = add(%x, %z)
//                  ^~
// hint: did you mean `%x`?
// Without a known place only the message, hint and notes. Every line ends in a newline.
std::string render(const Error& error, std::span<const SourceText> sources);
} // namespace nereus
