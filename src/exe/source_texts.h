// exe/source_texts.h - what an executable itself knows of the texts that it was made from.
#pragma once
#include "base/source_text.h"
#include "exe/executable.h"

namespace nereus {
// One per source: of a model the lines that are blamed, with their nodes (base/diagnostics.h); of a program its path alone.
std::vector<SourceText> source_texts(const Executable& exe);
} // namespace nereus
