// exe/artefact.h - an executable as bytes: magic, version, checksum, tables; then constants and machine code, each on a
// page of its own so that a file can be mapped. The same executable gives the same bytes.
#pragma once
#include "base/result.h"
#include "exe/executable.h"
#include <cstddef>
#include <span>

namespace nereus {
inline constexpr uint32_t artefact_version = 5;

// Refused: what does not fit the format's counts (limit).
Result<std::vector<std::byte>> save(const Executable& exe);

// Puts length and checksum into the header, as save does: for tests that change what they cover.
void seal(std::span<std::byte> file);

// Anything may be wrong with the bytes: damage is corrupt, another version or a CPU without the features is mismatch.
// Allocates no more than a small multiple of their number. What comes back is verified. It contains code: loading and
// running an artefact is trusting whoever made it.
Result<Executable> load(std::span<const std::byte> bytes);

// Does this machine have what x86-64, x86-64-v2, -v3 or -v4 promises? The error names what is missing.
Status check_target(std::string_view target);
} // namespace nereus
