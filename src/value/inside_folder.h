// value/inside_folder.h - paths that come with data may name files of one folder and nothing else.
#pragma once
#include "base/result.h"
#include <string>
#include <string_view>

namespace nereus {
// The path of a regular file in `folder` or below. Refused: absolute paths, '..', and links that lead
// outside.
Result<std::string> inside_folder(const std::string& folder, std::string_view path);
} // namespace nereus
