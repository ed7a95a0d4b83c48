// strings/split.h - the parts of a text between delimiters, as Python's str.split gives them.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

namespace nereus {
// Without a delimiter the parts lie between runs of white space, none of which is empty. At most `limit` cuts are made, from
// the left; negative: all.
std::vector<std::string_view> parts_of(std::string_view text, std::string_view delimiter, int64_t limit = -1);
} // namespace nereus
