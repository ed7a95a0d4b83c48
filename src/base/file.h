// base/file.h - whole files in and out; a write is complete or leaves nothing behind.
#pragma once
#include "base/result.h"
#include <cstddef>
#include <span>
#include <string>

namespace nereus {
Result<std::string> read_file(const std::string& path);
// Writes beside the target and renames, so that nobody ever sees half a file. A link stays and what it leads to is
// replaced; devices and pipes are written to.
Status write_file(const std::string& path, std::span<const std::byte> bytes);
Status write_file(const std::string& path, std::span<const std::span<const std::byte>> pieces);      // one after the other
Status write_file(const std::string& path, std::string_view text);
bool same_file(const std::string& a, const std::string& b);          // both are there, and are one
} // namespace nereus
