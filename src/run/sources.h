// run/sources.h - the texts in which errors of a running program show their place.
#pragma once
#include "base/source_text.h"
#include "exe/executable.h"
#include <span>

namespace nereus {
// One per source of the executable. The text is that of `known`, else that of the file, if this still is what was
// compiled; else it is empty.
std::vector<SourceText> source_texts(const Executable& exe, std::span<const SourceText> known);
} // namespace nereus
