// base/resident.h - how much memory of this process is in the machine's, in bytes, mapped files included.
#pragma once
#include <cstdint>

namespace nereus {
struct Resident { int64_t now = 0, most = 0; };
Resident resident();                         // zeros where the system does not tell
} // namespace nereus
