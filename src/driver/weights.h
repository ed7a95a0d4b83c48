// driver/weights.h - the weights of a model beside its text: weight("conv1.w", in="model.npz").
#pragma once
#include "ir/module.h"
#include <optional>

namespace nereus {
// All of them to one file, each once; the module names it from then on, without the folder.
Status write_weights(Module& module, const std::string& file);
// A parsed program has names only. Files lie in the folder of the program or below; a text without one has none.
Status read_weights(Module& module, const std::optional<std::string>& folder);
} // namespace nereus
