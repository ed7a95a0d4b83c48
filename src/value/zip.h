// value/zip.h - zip archives as far as .npz files need them: members stored or deflated, below 4 GiB, not encrypted.
#pragma once
#include "base/result.h"
#include <string>
#include <vector>

namespace nereus {
struct ZipMember { std::string name, bytes; };

// Anything may be wrong with the file; memory stays proportional to it, as deflate cannot shrink beyond a known ratio.
// Errors: parse (damaged), unsupported (another method, zip64, encrypted).
Result<std::vector<ZipMember>> parse_zip(std::string_view file);
// Stored, with the time that zip counts from: equal members give equal bytes. Errors: limit.
Result<std::string> to_zip(const std::vector<ZipMember>& members);
} // namespace nereus
