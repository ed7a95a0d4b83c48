// driver/prelude.h - the library written in the language itself, from the folder prelude/.
#pragma once
#include "ir/module.h"

namespace nereus {
std::vector<SourceText> prelude();
} // namespace nereus
