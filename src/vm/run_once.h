// vm/run_once.h - one call of an executable's first entry, with a context that lives as long as the call.
#pragma once
#include "value/value.h"
#include "vm/loaded.h"

namespace nereus {
Result<Value> run_once(Executable executable, std::span<const Kernel> library);
} // namespace nereus
