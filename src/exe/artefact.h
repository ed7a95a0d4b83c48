// exe/artefact.h - an executable as a file: magic, version, checksum, tables; then weights and machine code, each on a page
// of its own, so that they are used where they are when the file is mapped. The same executable gives the same bytes.
#pragma once
#include "base/result.h"
#include "exe/executable.h"
#include <cstddef>
#include <span>

namespace nereus {
inline constexpr uint32_t artefact_version = 12;

// Refused: what does not fit the format's counts (limit).
Result<std::vector<std::byte>> save(const Executable& exe);
// Straight to a file, without a copy of the weights.
Status save_file(const Executable& exe, const std::string& path);

// Puts length and checksum into the header, as save does: for tests that change what they cover.
void seal(std::span<std::byte> file);

// Anything may be wrong with the bytes: damage is corrupt, another version or a CPU without the features is mismatch.
// Allocates no more than a small multiple of their number. What comes back is verified. It contains code: loading and
// running an artefact is trusting whoever made it. Copies the weights; those of a file stay in it, mapped and shared.
Result<Executable> load(std::span<const std::byte> bytes);
Result<Executable> load_file(const std::string& path);

// For one process, without a copy: the artefact has no weights, they go beside it.
Result<std::vector<std::byte>> save_without_weights(const Executable& exe);
Result<Executable> load_with_weights(std::span<const std::byte> bytes, std::vector<HeldBytes> weights);

// Does this machine have what x86-64, x86-64-v2, -v3 or -v4 promises? The error names what is missing.
Status check_target(std::string_view target);
} // namespace nereus
