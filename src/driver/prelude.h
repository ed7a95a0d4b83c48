// driver/prelude.h - the library written in the language itself, from the folder prelude/.
#pragma once
#include "ir/module.h"

namespace nereus {
std::vector<SourceText> prelude();
std::vector<SourceText> onnx_prelude();      // functions that the text of an ONNX model calls, beside those of the prelude
} // namespace nereus
