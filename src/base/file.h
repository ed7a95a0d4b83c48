// base/file.h - whole files in and out; a write is complete or leaves nothing behind.
#pragma once
#include "base/result.h"
#include <cstddef>
#include <span>
#include <string>

namespace nereus {
Result<std::string> read_file(const std::string& path);
// Writes beside the target and renames, so that nobody ever sees half a file.
Status write_file(const std::string& path, std::span<const std::byte> bytes);
Status write_file(const std::string& path, std::string_view text);
} // namespace nereus
