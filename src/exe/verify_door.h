// exe/verify_door.h - the part of verify() about door types and entries.
#pragma once
#include "base/result.h"
#include "exe/executable.h"

namespace nereus {
Status verify_door(const Executable& exe);                // functions and code have been verified before
} // namespace nereus
